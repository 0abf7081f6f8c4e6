# SPDX-License-Identifier: Apache-2.0
"""Cases of point-wise operators follow from their declarations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aclhost.bench import cases, pointwise, runner
from aclhost.spec import products

OPERATORS = pytest.mark.parametrize("operator", pointwise.BY_PYTHON_NAME)
LENGTH = 100


def tiny_cases(operator):
    return [replace(case, shape=(LENGTH,)) for case in cases.full(operator) if case.size == "tiny"]


@OPERATORS
def test_dtypes_are_those_of_the_default_product(operator):
    op = pointwise.BY_PYTHON_NAME[operator]
    found = {case.dtype for case in cases.full(operator)}
    assert found
    rule = op.dtype_rule(op.tensors[0].name)
    if rule is not None:
        assert found <= {dtype.numpy for dtype in rule.dtypes(products.DEFAULT)}


@OPERATORS
def test_sizes_and_layouts(operator):
    found = list(cases.full(operator))
    assert {case.size for case in found} == set(cases.LINES)
    assert any(case.strided for case in found)
    assert len({case.name for case in found}) == len(found)
    assert len(list(cases.quick(operator))) == 1
    assert cases.growing(operator, 1000).elements == 1000


@OPERATORS
def test_calls_write_what_torch_gives(operator):
    pytest.importorskip("torch")
    for case in tiny_cases(operator):
        workload = case.prepare()
        assert workload.moved >= LENGTH
        ours = first(workload.call())
        assert ours.size == LENGTH
        peer, note = runner._peer(case.prepare())
        if peer is None:
            assert case.dtype not in ("float32", "float64"), note
        elif case.dtype in ("float32", "float64"):
            theirs = first(case.prepare().peer()()).numpy()
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5, err_msg=case.name)


@OPERATORS
def test_strided_calls(operator):
    case = next(case for case in cases.full(operator) if case.strided)
    assert first(replace(case, shape=(LENGTH,)).prepare().call()).size == LENGTH


def first(result):
    return result[0] if isinstance(result, tuple) else result

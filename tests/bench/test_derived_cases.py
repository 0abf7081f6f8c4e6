# SPDX-License-Identifier: Apache-2.0
"""Cases that follow from declarations: of point-wise operators, and of common calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aclhost.bench import cases, derived, runner
from aclhost.spec import products

DERIVED = {name: op for name, op in derived.BY_PYTHON_NAME.items() if name not in cases.BY_HAND}
OPERATORS = pytest.mark.parametrize("operator", DERIVED)
LENGTH = 100
FLOATS = ("float32", "float64")  # what ours and torch round alike


def tiny_cases(operator):
    return [replace(case, shape=(LENGTH,)) for case in cases.full(operator) if case.size == "tiny"]


@OPERATORS
def test_dtypes_are_those_of_the_default_product(operator):
    op = DERIVED[operator]
    found = {case.dtype for case in cases.full(operator)}
    assert found
    rule = op.dtype_rule(op.params[0].name)
    if rule is not None:
        assert found <= {dtype.numpy for dtype in rule.dtypes(products.DEFAULT)}


@OPERATORS
def test_sizes_and_layouts(operator):
    found = list(cases.full(operator))
    assert {case.size for case in found} == set(cases.LINES)
    assert any(case.strided for case in found) == derived.can_be_strided(operator)
    assert len({case.name for case in found}) == len(found)
    assert len(list(cases.quick(operator))) == 1
    assert cases.growing(operator, 1000).elements == 1000


@OPERATORS
def test_calls_write_what_torch_gives(operator):
    pytest.importorskip("torch")
    for case in tiny_cases(operator):
        workload = case.prepare()
        assert workload.moved >= LENGTH // 8  # masks are bits
        ours = first(workload.call())
        assert DERIVED[operator].typical or ours.size == LENGTH
        peer, note = runner._peer(case.prepare())
        if peer is None and named(operator):
            assert note == "torch: another rule" or case.dtype not in ("float32", "float64"), note
        elif peer is not None and not DERIVED[operator].peer and case.dtype in FLOATS:
            theirs = first(case.prepare().peer()()).numpy()
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5, err_msg=case.name)


def named(operator):
    """Whether torch has such a function."""
    return bool(DERIVED[operator].reference)


@pytest.mark.parametrize("operator", [name for name in DERIVED if derived.can_be_strided(name)])
def test_strided_calls(operator):
    case = next(case for case in cases.full(operator) if case.strided)
    plain = replace(case, shape=(LENGTH,), strided=False).prepare().call()
    assert first(replace(case, shape=(LENGTH,)).prepare().call()).size == first(plain).size


@pytest.mark.parametrize("operator", [name for name, op in DERIVED.items() if op.typical])
def test_common_calls_have_about_the_size_that_is_asked_for(operator):
    """Benchmarks of one size must not differ in work by orders of magnitude."""
    moved = {
        size: replace(next(cases.full(operator)), shape=(size,)).prepare().moved
        for size in (100_000, 1_000_000)
    }
    assert 3 <= moved[1_000_000] / moved[100_000] <= 30
    assert moved[100_000] >= 10_000


def first(result):
    return first(result[0]) if isinstance(result, tuple | list) else result

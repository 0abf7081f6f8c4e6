# SPDX-License-Identifier: Apache-2.0
"""The grid of the benchmark covers the operators, and both sides of a case do the same work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aclhost import ops
from aclhost.bench import cases, runner
from aclhost.bench.workload import reversed_axes
from aclhost.spec import products

ALL = runner.chosen(cases.BY_HAND, quick=False)
SMALL = {"tiny": (1000,), "volume": (1, 2, 8, 8, 8)}


def small(case):
    shape = SMALL["tiny" if case.operator in cases.ELEMENTWISE else "volume"]
    return replace(case, size="tiny", shape=shape)


# Each variant, dtype and layout once, whatever its size.
KINDS = list(dict.fromkeys(small(case) for case in ALL))


def test_every_operator_has_cases():
    """All that are computed, whatever product they are on, unless a reason is given."""
    assert set(cases.OPERATORS) | set(cases.WITHOUT) == {op.snake_name for op in ops.ALL}
    assert not set(cases.OPERATORS) & set(cases.WITHOUT)
    for quick in (True, False):
        chosen = runner.chosen(cases.OPERATORS, quick)
        assert {case.operator for case in chosen} == set(cases.OPERATORS)
        assert len(set(chosen)) == len(chosen)


def test_the_first_case_of_every_operator_comes_before_any_second():
    chosen = runner.chosen(cases.OPERATORS, quick=False)
    first = chosen[: len(cases.OPERATORS)]
    assert [case.operator for case in first] == list(cases.OPERATORS)
    assert {case.size for case in first} == {"medium"}
    assert runner.chosen(cases.OPERATORS, quick=True) == first


def test_what_is_neither_tiny_nor_medium_is_large():
    everything = runner.chosen(cases.BY_HAND, quick=False)
    parts = {
        size: runner.chosen(cases.BY_HAND, False, (size,)) for size in ("tiny", "medium", "large")
    }
    assert sum(map(len, parts.values())) == len(everything)
    assert {case.size for case in parts["tiny"]} == {"tiny"}
    assert {case.size for case in parts["medium"]} == {"medium"}
    assert {case.size for case in parts["large"]} == set(cases.SIZES) - {"tiny", "medium"}


def test_growth_is_of_operators_that_there_are():
    assert set(cases.GROWING) < set(cases.OPERATORS)


@pytest.mark.parametrize("operator", cases.BY_HAND)
def test_every_dtype_has_cases(operator):
    """Those of the first tensor on the default product."""
    op = next(op for op in ops.ALL if op.snake_name == operator)
    rule = op.dtype_rule(op.tensors[0].name)
    found = {case.dtype for case in ALL if case.operator == operator}
    assert found == {dtype.numpy for dtype in rule.dtypes(products.DEFAULT)}


def test_names_are_unique():
    assert len({case.name for case in ALL}) == len(ALL)


def test_sizes_of_the_grid():
    elements = {case.elements for case in ALL if case.operator in cases.ELEMENTWISE}
    assert elements == {1000, 100_000, 1 << 25}
    shapes = {case.shape for case in ALL if case.operator in cases.ON_VOLUMES}
    assert {(2, 32, 32, 64, 64), (4, 64, 32, 64, 64)} < shapes
    assert any(shape[0] * shape[1] == 1 for shape in shapes)
    assert any(shape[3] * shape[4] > 1 << 16 for shape in shapes)
    for operator in cases.BY_HAND:
        found = {case.layout for case in ALL if case.operator == operator}
        assert found == {"contiguous", "transposed"} | (
            {"broadcast"} if operator.startswith("smooth") else set()
        )


@pytest.mark.parametrize("operator", cases.BY_HAND)
@pytest.mark.parametrize("elements", [10**5, 10**6, 10**8])
def test_growth_has_the_elements_it_says(operator, elements):
    assert cases.growing(operator, elements).elements == elements


def test_reversed_axes_changes_memory_only():
    array = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    view = reversed_axes(array, 3)
    assert np.array_equal(view, array)
    assert view.strides == (480, 8, 24, 96)


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_the_call_and_torchs_call_agree(case):
    pytest.importorskip("torch")
    workload = case.prepare()
    assert workload.moved > 0
    peer, note = runner._peer(case.prepare())
    if peer is None:
        assert case.dtype not in ("float32", "float16"), note
        return
    ours = as_double(workload.call())
    theirs = as_double(case.prepare().peer()())
    if (case.operator, case.variant) != ("max_unpool3d", "random"):  # who wins is open in torch
        exact = case.dtype in ("float32", "float64")
        relative, absolute = (1e-5, 1e-5) if exact else (2e-2, 0.2)  # torch sums in half precision
        np.testing.assert_allclose(ours.ravel(), theirs.ravel(), rtol=relative, atol=absolute)


@pytest.mark.parametrize(
    "case",
    [case for case in KINDS if case.operator in cases.ELEMENTWISE],
    ids=lambda case: case.name,
)
def test_numpys_expressions_agree(case):
    ours = as_double(case.prepare().call())
    theirs = as_double(case.prepare().ufuncs()())
    digits = {"float64": 1e-12, "float32": 1e-5}.get(case.dtype, 4e-2)
    np.testing.assert_allclose(ours.ravel(), theirs.ravel(), rtol=digits, atol=digits)


def test_numpy_writes_where_the_operator_does():
    for operator in cases.ELEMENTWISE:
        workload = next(cases.full(operator)).prepare()
        assert np.shares_memory(workload.call(), workload.ufuncs()())


def as_double(result):
    """Of several results the first."""
    result = result[0] if isinstance(result, tuple) else result
    return result.astype(np.float64) if isinstance(result, np.ndarray) else result.double().numpy()


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_results_have_memory_of_their_own(case):
    """An input there would be copied first."""
    workload = case.prepare()
    results = [workload.values[output.name] for output in workload.operator.outputs]
    inputs = [workload.values[param.name] for param in workload.operator.python_params()]
    arrays = [each for each in inputs if isinstance(each, np.ndarray)]
    assert not any(np.shares_memory(one, other) for one in results for other in arrays)


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_torch_writes_where_the_operator_does(case):
    """So that neither side pays for fresh memory."""
    pytest.importorskip("torch")
    workload = case.prepare()
    peer, _ = runner._peer(workload)
    if peer is None or (case.operator == "smooth_l1_loss" and case.variant != "none"):
        return
    ours, theirs = workload.call(), peer()
    if isinstance(ours, tuple):
        ours, theirs = ours[0], theirs[0]
    assert theirs.data_ptr() == ours.ctypes.data

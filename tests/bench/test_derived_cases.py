# SPDX-License-Identifier: Apache-2.0
"""Cases that follow from declarations: of point-wise operators, and of common calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aclhost
from aclhost.bench import cases, derived, runner
from aclhost.bench.c_door import c_call
from aclhost.bench.workload import BROADCAST, TRANSPOSED

DERIVED = {
    name: op
    for name, op in derived.BY_PYTHON_NAME.items()
    if name in cases.OPERATORS[len(cases.BY_HAND) :]
}
OPERATORS = pytest.mark.parametrize("operator", DERIVED)
LENGTH = 100
FLOATS = ("float32", "float64")  # what ours and torch round alike


def tiny_cases(operator):
    found = (case for case in cases.full(operator) if case.size == "tiny")
    return [replace(case, shape=(LENGTH,)) for case in found if case.layout == "contiguous"]


@OPERATORS
def test_dtypes_are_those_of_its_product_in_all_sizes_and_layouts(operator):
    op, found = DERIVED[operator], list(cases.full(operator))
    assert found
    rule = op.dtype_rule(op.params[0].name)
    if rule is not None:
        allowed = {dtype.numpy for dtype in rule.dtypes(derived.product_of(op))}
        assert {case.dtype for case in found} <= allowed
    dtypes, layouts = derived.dtypes_of(operator), derived.layouts_of(operator)
    assert {(case.dtype, case.size, case.layout) for case in found} == {
        (dtype, size, layout) for dtype in dtypes for size in cases.LINES for layout in layouts
    }
    assert len({case.name for case in found}) == len(found)
    assert len(list(cases.quick(operator))) == 1
    assert cases.growing(operator, 1000).elements == 1000


@pytest.mark.parametrize(
    ("operator", "name"), [("pow_tensor_scalar", "exponent"), ("pow_scalar_tensor", "self")]
)
@pytest.mark.parametrize(("dtype", "least"), [("float32", 2.5), ("int32", 2)])
def test_powers_are_no_copies(operator, name, dtype, least):
    call = derived.described(DERIVED[operator], dtype, LENGTH)
    assert call.arguments[name].value >= least


@OPERATORS
def test_calls_write_what_torch_gives(operator):
    pytest.importorskip("torch")
    for case in tiny_cases(operator):
        with aclhost.soc(case.soc):
            check_call(case)


def check_call(case):
    operator = case.operator
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


@OPERATORS
def test_calls_through_both_doors_in_every_layout(operator):
    """Of small arrays; what the C functions refuse raises."""
    sizes = set()
    for layout in derived.layouts_of(operator):
        case = replace(next(cases.full(operator)), shape=(LENGTH,), layout=layout)
        with aclhost.soc(case.soc):
            workload = case.prepare()
            sizes.add(first(workload.call()).size)
            with c_call(workload) as call:
                call.repeated(2)
    if derived.BY_PYTHON_NAME[operator].typical:
        assert len(sizes) == 1


def test_layouts_are_what_they_say():
    def arrays(layout):
        values = replace(next(cases.full("add")), shape=(LENGTH,), layout=layout).prepare().values
        return values["self"], values["other"]

    assert derived.layouts_of("add") == ("contiguous", TRANSPOSED, BROADCAST)
    assert all(array.flags.f_contiguous for array in arrays(TRANSPOSED))
    assert [array.shape for array in arrays(BROADCAST)] == [(10, 10), (1, 10)]
    assert BROADCAST not in derived.layouts_of("exp")
    assert sum(BROADCAST in derived.layouts_of(name) for name in DERIVED) > 60


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


def test_views_of_torch_are_copied():
    """The operators write a result; torch's slice of an input alone would cost nothing."""
    pytest.importorskip("torch")
    for operator in ("permute", "slice", "real", "split_tensor"):
        workload = replace(next(cases.full(operator)), shape=(LENGTH,)).prepare()
        results = [workload.values[output.name] for output in workload.operator.outputs]
        workload.call()
        expected = [array.tobytes() for array in flat(results)]
        for array in flat(results):
            array[...] = 0
        workload.peer()()
        assert [array.tobytes() for array in flat(results)] == expected


def flat(arrays):
    return [each for one in arrays for each in (one if isinstance(one, list) else [one])]


@pytest.mark.parametrize("operator", ["exp", "acosh"])
def test_complex_inputs_have_both_parts(operator):
    drawn = derived.prepared(operator, "complex64", 1000, "contiguous").values["self"]
    assert np.ptp(drawn.real) > 1
    assert np.ptp(drawn.imag) > 1

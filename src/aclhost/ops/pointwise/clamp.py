# SPDX-License-Identifier: Apache-2.0
"""Values kept between bounds, which are scalars or tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

from aclhost.ops.pointwise.checks import (
    NOT_950,
    ONLY_950,
    Rules,
    broadcast_to,
    castable_from,
    computes,
    feasible,
    given,
    listed,
    ranks,
    readable,
    shape_of,
)
from aclhost.ops.pointwise.declare import (
    INTEGERS,
    NEW_BF16,
    REALS,
    Row,
    Torch,
    declare,
    with_sample,
    with_twin,
)
from aclhost.ops.pointwise.deduction import by_product, combined, scalar_default
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.rules import castable_to, done_when_empty, is_given, requires, when
from aclhost.spec.status import Status
from aclhost.spec.terms import Const, DtypeOf, If, Or, Present, Promote, Term

_TABLE = (FLOAT16, FLOAT, *INTEGERS, DOUBLE, NEW_BF16)
_DTYPES = (*REALS, *INTEGERS)
_MIN, _MAX = "clipValueMin", "clipValueMax"
_EXTREMES = {_MIN: "least", _MAX: "most", "max": "most"}
_UPPER_WINS = (
    "Where the bounds cross, the upper one wins, as in upstream's kernels; the document's formula "
    "lets the lower one win.",
)
_CONVERTED = (
    "Bounds are converted to the dtype of the result, fractions cut off and integers wrapped, "
    "except on Ascend 950.",
)


def between(x: Element, low: Element, high: Element) -> Element:
    """NaN where one is NaN."""
    return math.minimum(math.maximum(x, low), high)


def from_below(x: Element, low: Element, high: Element = None) -> Element:
    """Only the lower bound."""
    return math.maximum(x, low)


def from_above(x: Element, high: Element) -> Element:
    """Only the upper bound."""
    return math.minimum(x, high)


def from_above_only(x: Element, low: Element, high: Element) -> Element:
    """The upper bound, where the lower one could have been given, too."""
    return math.minimum(x, high)


_FUNCTIONS: dict[tuple[str, ...], Any] = {
    (_MIN, _MAX): between, (_MIN,): from_below, (_MAX,): from_above, ("max",): from_above,
}  # fmt: skip


def _reference(bounds: tuple[str, ...]) -> Any:  # noqa: ANN401
    def reference(torch: Torch, x: Torch, *limits: Torch) -> Torch:
        words = {
            "min" if name == _MIN else "max": each
            for name, each in zip(bounds, limits, strict=True)
        }
        return torch.clamp(x, **words)

    return reference


def _some_bound() -> Rules:
    return requires(
        "some_bound",
        "",
        Or(Present(_MIN), Present(_MAX)),
        f"{_MIN} and {_MAX} must not both be null",
        ("two null pointers",),
        "Give at least one bound.",
        Status.PARAM_NULLPTR,
    )


def _pointers(x: str, out: str, bounds: tuple[str, ...]) -> Rules:
    """A single bound is looked at first, then the tensors."""
    if len(bounds) == 1:
        return given(*bounds, x, out)
    return (*given(x, out), *_some_bound())


def _joined(bounds: tuple[str, ...], first: Term | None = None) -> Term:
    """The common dtype of a tensor, if any, and of the bounds that are there."""
    result = first
    for name in bounds:
        bound = DtypeOf(name) if first else scalar_default(DtypeOf(name))
        if result is None:
            result = bound
        elif len(bounds) == 1:
            result = Promote(result, bound)
        elif first:
            result = If(Present(name), Promote(result, bound), result)
        else:
            result = If(
                Present(name), If(Present(bounds[0]), Promote(result, bound), bound), result
            )
    assert result is not None
    return result


def _readable(bound: str, optional: bool) -> Rules:
    is_there = is_given(bound)
    return when(is_there, readable(bound)) if optional else readable(bound)


def _with_either(op: Operator, bounds: tuple[str, ...]) -> Operator:
    """With samples that have only one of two bounds."""
    for absent in bounds if len(bounds) == 2 else ():
        op = with_sample(op, partial(Call.passing, **{absent: None}))
    return op


def _scalars(name: str, x: str, out: str, *bounds: str) -> Operator:
    on_950 = combined(DtypeOf(x), _joined(bounds))
    computed = by_product(on_950, DtypeOf(out))
    both = len(bounds) == 2
    op = declare(Row(
        name, "Keeps the elements of a tensor between bounds.",
        (_pointers(x, out, bounds), listed((x, out), *_TABLE), shape_of(out, x), ranks(x),
         done_when_empty(x),
         () if x == out else when(NOT_950, castable_to(out, x)),
         when(ONLY_950, castable_from(out, on_950)), feasible(name, out, (x,))),
        _FUNCTIONS[bounds], (x,), out, computed, _DTYPES, _reference(bounds),
        numbers=tuple(NumberFrom(each, absent=_EXTREMES[each] if both else "") for each in bounds),
        result=by_product(on_950, DtypeOf(x)), optional=bounds if both else (),
        notes=(*(_UPPER_WINS if both else ()), *_CONVERTED),
    ))  # fmt: skip
    return _with_either(op, bounds)


def _tensors(name: str, x: str, out: str, *bounds: str) -> Operator:
    common = _joined(bounds, DtypeOf(x))
    inputs, both = (x, *bounds), len(bounds) == 2
    choice = If(Present(_MIN), If(Present(_MAX), Const(0), Const(1)), Const(2))
    op = declare(Row(
        name, "Keeps the elements of a tensor between those of other tensors.",
        (_pointers(x, out, bounds), listed((x, out), *_TABLE),
         ranks(*dict.fromkeys((x, out, *bounds))), done_when_empty(*inputs),
         computes(bounds[-1], common), castable_from(out, common), broadcast_to(out, *inputs),
         feasible(name, out, inputs), *(_readable(each, both) for each in bounds)),
        _FUNCTIONS[bounds], inputs, out, common, _DTYPES, _reference(bounds),
        variants=(from_below, from_above_only) if both else (), variant=choice if both else None,
        optional=bounds if both else (), mixed=(FLOAT, *(FLOAT16,) * len(bounds)),
        notes=_UPPER_WINS if both else (),
    ))  # fmt: skip
    return _with_either(op, bounds)


OPS = (
    _scalars("aclnnClamp", "self", "out", _MIN, _MAX),
    _scalars("aclnnClampMin", "self", "out", _MIN),
    *with_twin(lambda prefix, x, out: _scalars(f"{prefix}ClampMax", x, out, _MAX)),
    _tensors("aclnnClampTensor", "self", "out", _MIN, _MAX),
    *with_twin(lambda prefix, x, out: _tensors(f"{prefix}ClampMinTensor", x, out, _MIN)),
    *with_twin(lambda prefix, x, out: _tensors(f"{prefix}ClampMaxTensor", x, out, "max")),
)

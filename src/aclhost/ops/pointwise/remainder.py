# SPDX-License-Identifier: Apache-2.0
"""Remainders with the sign of the dividend (fmod) and of the divisor (remainder)."""

from __future__ import annotations

from aclhost.ops.pointwise.checks import (
    Rules,
    broadcast_to,
    castable_from,
    computed_in,
    computes,
    delivered,
    given,
    listed,
    ranks,
    readable,
    shape_of,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import NEW_BF16, Row, Torch, declare, with_sample, with_twin
from aclhost.ops.pointwise.deduction import (
    ON_950,
    by_product,
    combined,
    kept_or_promoted,
    scalar_default_keeping_double,
)
from aclhost.spec import math
from aclhost.spec.dtypes import (
    BF16,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT8,
)
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    broadcastable,
    cast_exists,
    done_when_empty,
    inner,
    inside_storage,
    refused_unless_on,
    requires,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, SameShape, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Elements,
    Equal,
    In,
    Not,
    Or,
    Promote,
    RankOf,
    all_of,
    promoted,
)

_FMOD_TABLE = (FLOAT, INT32, INT8, FLOAT16, UINT8, DOUBLE, INT64, NEW_BF16)
_FMOD_DTYPES = (FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT32, INT64)
_DTYPES = (INT32, INT64, FLOAT16, FLOAT, DOUBLE, BF16)
_BUT_310B = (A950, A3, A2, P310P, T910)
_TABLE = (*_DTYPES[:-1], NEW_BF16)
_FMOD_BY_ZERO = (
    "The remainder of an integer by 0 is -1, or all bits set, as on Ascend 950; torch refuses it."
)
_ANY_OUT = (
    "The documented rule that what is computed converts to the result is not enforced: fractions "
    "are cut off for an integer result."
)
_BY_ZERO = "The remainder of an integer by 0 is the integer, as documented; torch refuses it."
_EXACT = "INT32 is exact; upstream's is so only within 2^24."


def fmod(x: Element, y: Element) -> Element:
    """By 0: NaN, or for integers what Ascend 950 gives."""
    return math.where(y == 0, -1, math.fmod(x, y)) if x.is_integer else math.fmod(x, y)


def remainder(x: Element, y: Element) -> Element:
    """By 0: NaN, or for integers the dividend."""
    return math.remainder(x, y)


def _torch_fmod(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.fmod(x, y)


def _torch_remainder(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.remainder(x, y)


def _fmod_tensor(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}FmodTensor", promoted(x, "other")
    return declare(Row(
        name, "Remainder of a division, with the sign of the dividend.",
        (given(x, "other", out), listed((x, "other", out), *_FMOD_TABLE),
         computed_in("other", common, *_FMOD_TABLE), shapes_fit(out, x, "other"),
         delivered(name, out, (x, "other"))),
        fmod, (x, "other"), out, common, _FMOD_DTYPES, _torch_fmod, mixed=(FLOAT16, INT32),
        notes=(_FMOD_BY_ZERO, _ANY_OUT),
    ))  # fmt: skip


def _fmod_scalar(prefix: str, x: str, out: str) -> Operator:
    name, tensor, other = f"{prefix}FmodScalar", DtypeOf(x), DtypeOf("other")
    on_950 = combined(tensor, scalar_default_keeping_double(other))
    computed = by_product(on_950, Promote(tensor, other))
    return declare(Row(
        name, "Remainder of a division by a scalar, with the sign of the dividend.",
        (given(x, "other", out), listed((x, "other", out), *_FMOD_TABLE),
         computed_in("other", computed, *_FMOD_TABLE), ranks(x), shape_of(out, x),
         delivered(name, out, (x,))),
        fmod, (x,), out, computed, _FMOD_DTYPES, _torch_fmod, numbers=("other",),
        notes=(_FMOD_BY_ZERO, _ANY_OUT),
    ))  # fmt: skip


def _one_element(name: str) -> tuple[AtMost, Equal]:
    return AtMost(RankOf(name), Const(1)), Equal(Elements(name), Const(1))


def _result_shape(x: str, out: str) -> Rules:
    """The common shape; [] and [1] are the same to all products but Ascend 950."""
    if x == out:
        return broadcast_to(out, x, "other")
    common = Broadcast((x, "other"))
    single = all_of(
        Not(ON_950), *(term for each in (x, "other", out) for term in _one_element(each))
    )
    return (
        *broadcastable("other", x),
        *requires(
            "shape_is",
            out,
            Or(SameShape(ShapeOf(out), common), single),
            f"{out} must have the shape to which {x} and other broadcast",
            (Shown("shape", ShapeOf(out)), " instead of ", Shown("shape", common)),
            f"Create {out} with that shape.",
        ),
    )


def _remainder_tensors(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}RemainderTensorTensor", promoted(x, "other")
    op = declare(Row(
        name, "Remainder of a division, with the sign of the divisor.",
        (given(x, "other", out), computes("other", common), castable_from(out, common),
         refused_unless_on(*_BUT_310B), computed_in("other", common, *_TABLE),
         _result_shape(x, out), ranks(x) if x == out else ranks(x, "other"),
         done_when_empty(x, "other"), inside_storage(x, "other"),
         () if x == out else cast_exists(out, common), readable(x, "other")),
        remainder, (x, "other"), out, common, _DTYPES, _torch_remainder, mixed=(FLOAT16, INT32),
        notes=(_BY_ZERO, _EXACT),
    ))  # fmt: skip
    return op if x == out else with_sample(op, lambda call: call.reshaped((1,), x))


def _not_complex(*parameters: str) -> Rules:
    return tuple(
        rule
        for name in parameters
        for rule in requires(
            "not_complex",
            name,
            Not(In(DtypeOf(name), (COMPLEX64, COMPLEX128))),
            f"{name} must not be complex",
            (Shown("dtype", DtypeOf(name)),),
            "Complex numbers have no remainder.",
        )
    )


def _remainder_by_scalar(prefix: str, x: str, out: str) -> Operator:
    name, tensor, other = f"{prefix}RemainderTensorScalar", DtypeOf(x), DtypeOf("other")
    on_950 = combined(tensor, scalar_default_keeping_double(other))
    computed = by_product(on_950, kept_or_promoted(tensor, other))
    return declare(Row(
        name, "Remainder of a division by a scalar, with the sign of the scalar.",
        (given(x, "other", out), shape_of(out, x), _not_complex(x, "other"),
         refused_unless_on(*_BUT_310B), computed_in("other", computed, *_TABLE),
         castable_from(out, computed), ranks(x), delivered(name, out, (x,), computed),
         readable(x)),
        remainder, (x,), out, computed, _DTYPES, _torch_remainder, numbers=("other",),
        notes=(_BY_ZERO, _EXACT),
    ))  # fmt: skip


def _remainder_of_scalar() -> Operator:
    name, scalar, other = "aclnnRemainderScalarTensor", DtypeOf("self"), DtypeOf("other")
    on_950 = combined(other, scalar_default_keeping_double(scalar))
    deduced = by_product(on_950, other)
    computed = by_product(on_950, DtypeOf("out"))
    return declare(Row(
        name, "Remainder of a division of a scalar, with the sign of the tensor's elements.",
        (inner(given("self", "other", "out")), shape_of("out", "other"),
         _not_complex("self", "other"), castable_from("out", deduced),
         refused_unless_on(*_BUT_310B), listed(("out",), *_TABLE), ranks("other"),
         delivered(name, "out", ("other",)),
         readable("other"), inner(computed_in("other", computed, *_TABLE))),
        lambda y, x: remainder(x, y), ("other",), "out", computed, _DTYPES,
        lambda torch, y, x: torch.remainder(x, y), numbers=("self",), result=deduced,
        notes=(_BY_ZERO, _EXACT, "Null pointers give 561103, as in upstream's code; the document "
               "says 161001."),
    ))  # fmt: skip


OPS = (
    *with_twin(_fmod_tensor),
    *with_twin(_fmod_scalar),
    *with_twin(_remainder_tensors),
    *with_twin(_remainder_by_scalar),
    _remainder_of_scalar(),
)

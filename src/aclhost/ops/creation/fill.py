# SPDX-License-Identifier: Apache-2.0
"""One value for every element."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    CAST_TARGETS,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    HIFLOAT8,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    has_common_dtype,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import And, AtMost, Const, DtypeOf, Elements, Equal, In, RankOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_SUPPORTED = supported_on(*_NEWER, P310P, T910)
_FILLED = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, BOOL, COMPLEX64, COMPLEX128)
_ONES = (FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL, DOUBLE)
_ZEROS = (
    *(INT8, INT32, INT64, UINT8, FLOAT16, FLOAT, BOOL, DOUBLE, INT16, UINT16),
    *(COMPLEX128, COMPLEX64, BF16),
)
_ON_CPU = (DOUBLE, INT16, UINT16, COMPLEX64, COMPLEX128)
_STRIDED = TensorArg((2, 3), INT32, strides=(1, 2))


def _fill(self_ref: Array, value: float) -> Array:
    """Integers drop the fraction; a BOOL tells whether there is anything."""
    import numpy as np

    if self_ref.dtype.kind == "b":
        return np.full(self_ref.shape, value != 0)
    whole = self_ref.dtype.kind in "iu"
    return np.full(self_ref.shape, np.trunc(value) if whole else value)


def _one(self_ref: Array) -> Array:
    """Ones."""
    import numpy as np

    return np.ones(self_ref.shape)


def _zero(self_ref: Array) -> Array:
    """Zeros."""
    import numpy as np

    return np.zeros(self_ref.shape)


def _drawn(rng: Random, *dtypes: DataType) -> Call:
    return Call({"selfRef": TensorArg(random_shape(rng), rng.choice(dtypes))})


def _drawn_fill(rng: Random) -> Call:
    """A value that every dtype holds but for its fraction; UINT16 takes no other dtype."""
    call = _drawn(rng, *_FILLED, UINT16)
    value = ScalarArg(eighths(rng, 0, 15))
    if call.tensor("selfRef").dtype is UINT16:
        value = ScalarArg(rng.randrange(2**16), UINT16)
    return call.passing(value=value)


FILL_SCALAR = Operator(
    "aclnnInplaceFillScalar",
    summary="Sets every element to a number.",
    formula="`selfRef = value`, converted to the dtype of selfRef",
    params=(
        TensorInOut("selfRef", "What is overwritten.", reads=False),
        Scalar("value", "The number."),
    ),
    checks=(
        not_null("selfRef", "value"),
        dtype_in(
            "selfRef",
            *_FILLED,
            *(only_on(dtype, *_NEWER) for dtype in (BF16, UINT16, UINT32, UINT64)),
        ),
        has_common_dtype("value", "selfRef"),
        rank_at_most("selfRef", 8),
        done_when_empty("selfRef"),
        _SUPPORTED,
    ),
    golden=_fill,
    reference="Tensor.fill_",
    draw=_drawn_fill,
    typical=lambda elements: Call({"selfRef": TensorArg((elements,)), "value": ScalarArg(2.5)}),
    samples=(
        Call({"selfRef": TensorArg((3,)), "value": ScalarArg(2.5)}),
        Call({"selfRef": TensorArg((), FLOAT16), "value": ScalarArg(-3, INT64)}),
        Call({"selfRef": _STRIDED, "value": ScalarArg(7.75, DOUBLE)}),
        Call({"selfRef": TensorArg((2, 2), UINT16), "value": ScalarArg(9, UINT16)}),
    ),
    notes=(
        "A tensor of UINT16, UINT32 or UINT64 takes a scalar of its own dtype, or a complex one.",
        "A complex value counts as 0 in a tensor of real numbers. In a BOOL tensor, a float is "
        "true from 2^-23 on, a double from 2^-52 on, and NaN is false; torch takes all but 0 as "
        "true.",
        "A float that no integer of the dtype holds is converted as by aclnnCast; upstream leaves "
        "it to the processor of the host.",
    ),
)
ONE = Operator(
    "aclnnInplaceOne",
    summary="Sets every element to 1.",
    formula="`selfRef = 1`",
    params=(TensorInOut("selfRef", "What is overwritten.", is_const=True, reads=False),),
    checks=(
        not_null("selfRef"),
        dtype_in(
            "selfRef",
            *_ONES,
            only_on(BF16, *_NEWER),
        ),
        rank_at_most("selfRef", 8),
        done_when_empty("selfRef"),
        _SUPPORTED,
        inside_storage("selfRef"),
    ),
    golden=_one,
    reference=lambda _, self_ref: self_ref.fill_(1),
    draw=lambda rng: _drawn(rng, *_ONES, BF16),
    typical=lambda elements: Call({"selfRef": TensorArg((elements,))}),
    samples=(
        Call({"selfRef": TensorArg((3,))}),
        Call({"selfRef": TensorArg((), DOUBLE)}),
        Call({"selfRef": _STRIDED}),
    ),
    notes=("The document lists UINT16; upstream's code, and so aclhost, refuses it.",),
)
ZERO = Operator(
    "aclnnInplaceZero",
    summary="Sets every element to 0.",
    formula="`selfRef = 0`",
    params=(TensorInOut("selfRef", "What is overwritten.", reads=False),),
    checks=(
        not_null("selfRef"),
        dtype_in(
            "selfRef",
            *_ZEROS,
            *(only_on(dtype, A950) for dtype in (FLOAT8_E5M2, FLOAT8_E4M3FN, HIFLOAT8)),
        ),
        done_when_empty("selfRef"),
        _SUPPORTED,
        inside_storage("selfRef"),
        when(
            Condition(
                In(DtypeOf("selfRef"), _ON_CPU),
                "selfRef is DOUBLE, INT16, UINT16, COMPLEX64 or COMPLEX128",
            ),
            inner(rank_at_most("selfRef", 8)),
        ),
    ),
    golden=_zero,
    reference="Tensor.zero_",
    draw=lambda rng: _drawn(rng, *_ZEROS),
    typical=lambda elements: Call({"selfRef": TensorArg((elements,))}),
    samples=(
        Call({"selfRef": TensorArg((3,))}),
        Call({"selfRef": TensorArg((2, 2), DOUBLE)}),
        Call({"selfRef": _STRIDED}),
    ),
    notes=("Ascend 950 knows FLOAT4_E1M2 and FLOAT4_E2M1, too; aclhost refuses them.",),
)


def _drawn_fill_tensor(rng: Random) -> Call:
    """Integers: every dtype holds them."""
    call = _drawn(rng, *_FILLED, BF16)
    kind = rng.choice((FLOAT, INT32, call.tensor("selfRef").dtype))
    return call.passing(value=TensorArg(rng.choice(((), (1,))), kind, span=(0, 9)))


def _fill_from(self_ref: Array, value: Array) -> Array:
    return _fill(self_ref, value.ravel()[0])


FILL_TENSOR = Operator(
    "aclnnInplaceFillTensor",
    summary="Sets every element to the one of another tensor.",
    formula="`selfRef = value`, converted to the dtype of selfRef",
    params=(
        TensorInOut("selfRef", "What is overwritten.", reads=False),
        TensorIn("value", "One element."),
    ),
    checks=(
        not_null("selfRef", "value"),
        dtype_in("selfRef", *_FILLED, only_on(BF16, *_NEWER)),
        rank_at_most("selfRef", 8),
        requires(
            "one_value",
            "value",
            And(AtMost(RankOf("value"), Const(1)), Equal(Elements("value"), Const(1))),
            "value must have no dimensions, or one of length 1",
            (Shown("shape", ShapeOf("value")),),
            "Reshape value.",
        ),
        done_when_empty("selfRef"),
        _SUPPORTED,
        inner(dtype_in("value", *CAST_TARGETS)),
    ),
    golden=_fill_from,
    reference=lambda torch, self_ref, value: torch.full_like(self_ref, value.item()),
    draw=_drawn_fill_tensor,
    typical=lambda elements: Call({"selfRef": TensorArg((elements,)), "value": TensorArg(())}),
    samples=(
        Call({"selfRef": TensorArg((3,)), "value": TensorArg(())}),
        Call({"selfRef": TensorArg((), FLOAT16), "value": TensorArg((1,), INT64)}),
        Call({"selfRef": _STRIDED, "value": TensorArg((), DOUBLE, (7.75,))}),
        Call({"selfRef": TensorArg((2, 2), BOOL), "value": TensorArg((1,), FLOAT, (0.5,))}),
        Call({"selfRef": TensorArg((2,), COMPLEX64), "value": TensorArg((), UINT16)}),
    ),
    notes=("value is converted as by aclnnCast.",),
)
OPS = (FILL_SCALAR, FILL_TENSOR, ONE, ZERO)

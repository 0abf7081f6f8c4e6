# SPDX-License-Identifier: Apache-2.0
"""Copies of values, with another dtype or without."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    CAST_TARGETS,
    COMPLEX32,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT8_E8M0,
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
from aclhost.spec.params import Dtype, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    broadcastable,
    done_when_empty,
    dtype_in,
    dtype_is,
    dtype_value_in,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_format_unless_nd,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import Broadcast, SameShape, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import And, DtypeOf, Equal, In, ProductIn, Term, ValueOf, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_BYTES = (HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN)
_WIDER = (FLOAT, FLOAT16, BF16)
_LIST: tuple[DataType | Limited, ...] = (
    *(FLOAT16, FLOAT, DOUBLE, INT8, UINT8, INT16, INT32, INT64, UINT16, UINT32, UINT64, BOOL),
    *(COMPLEX64, COMPLEX128),
    only_on(BF16, *_NEWER),
    *(only_on(dtype, A950) for dtype in (*_BYTES, COMPLEX32)),
)
_NUMBERS = (
    "- to a floating type: to nearest even; what is too large becomes infinity\n"
    "- floating to integer: towards zero, NaN becomes 0. What does not fit is the nearest INT32 "
    "(INT64 for INT64 and UINT32; UINT64 above it), of which narrower types keep the low bits\n"
    "- integer to integer: the low bits\n"
    "- to BOOL: whether it is not 0; NaN is true\n"
    "- real to complex: with 0 as the imaginary part; complex to real: the real part"
)
_NOTES = (
    "Upstream's kernels of Atlas A2 round twice from INT32 and INT64 to BF16; aclhost rounds once.",
    "Ascend 950 also converts 4-bit types; aclhost does not. To HIFLOAT8, halves are rounded away "
    "from zero; what is too large for FLOAT8_E4M3FN becomes NaN.",
)


def _exists(parameter: str, source: Term, target: Term) -> tuple[Rule, ...]:
    """The product has the conversion (561103 if not)."""
    half = (FLOAT16, COMPLEX64)
    on_950 = any_of(
        And(In(source, _BYTES), In(target, _WIDER)),
        And(In(source, _WIDER), In(target, _BYTES)),
        And(In(source, half), In(target, (COMPLEX32,))),
        And(In(source, (COMPLEX32,)), In(target, half)),
    )
    return requires(
        "cast_implemented",
        parameter,
        any_of(
            Equal(source, target),
            And(In(source, CAST_TARGETS), In(target, CAST_TARGETS)),
            And(ProductIn((A950,)), on_950),
        ),
        "the conversion must exist: 8-bit floats convert to and from FLOAT, FLOAT16 and BF16, "
        "COMPLEX32 to and from FLOAT16 and COMPLEX64, and both only on Ascend 950",
        (Shown("dtype", source), " to ", Shown("dtype", target)),
        "Convert to FLOAT16 first.",
        Status.INNER_NULLPTR,
    )


def _cast(self: Array, dtype: DataType | str) -> Array:
    """As NumPy converts what fits."""
    import numpy as np

    from aclhost.goldens import convert

    if not isinstance(dtype, DataType):
        dtype = dtypes.BY_NUMPY[np.dtype(dtype).name]
    return convert(self, dtype)


def _copy(self_ref: Array, src: Array) -> Array:
    """Broadcast; integers drop the fraction."""
    import numpy as np

    from aclhost.goldens import convert

    dtype = dtypes.BY_NUMPY[self_ref.dtype.name]
    if dtype.category is dtypes.Category.FLOATING:  # rounded where results are compared
        dtype = dtypes.DOUBLE
    return np.broadcast_to(convert(src, dtype), self_ref.shape)


def _torch_cast(_: Any, self: Any, dtype: Any) -> Any:  # noqa: ANN401
    """Torch warns of imaginary parts that get lost."""
    dropped = self.is_complex() and not dtype.is_complex
    return (self.real if dropped else self).to(dtype)


def _torch_copy(torch: Any, self_ref: Any, src: Any) -> Any:  # noqa: ANN401
    return self_ref.copy_(_torch_cast(torch, src, self_ref.dtype))


def _drawn_copy(rng: Random) -> Call:
    shape = random_shape(rng)
    source = tuple(1 if rng.random() < 0.2 else length for length in shape)
    tensors = (TensorArg(each, rng.choice(CAST_TARGETS)) for each in (shape, source))
    return Call(dict(zip(("selfRef", "src"), tensors, strict=True)))


def _sample(source: TensorArg, dtype: DataType) -> Call:
    return Call({"self": source, "dtype": dtype, "out": TensorArg(source.shape, dtype)})


CAST = Operator(
    "aclnnCast",
    summary="Converts every element to another dtype.",
    formula=f"`out = self` as dtype:\n\n{_NUMBERS}",
    params=(
        TensorIn("self", "Input."),
        Dtype("dtype", "The dtype of out.", is_const=True),
        TensorOut("out", "Result.", shape=ShapeOf("self"), dtype=ValueOf("dtype")),
    ),
    checks=(
        not_null("self", "out"),
        dtype_in("self", *_LIST),
        dtype_value_in("dtype", *_LIST),
        rank_at_most("self", 8),
        same_shape("out", "self"),
        done_when_empty("self"),
        supported_on(*_NEWER, P310P, T910),
        inside_storage("self"),
        _exists("dtype", DtypeOf("self"), ValueOf("dtype")),
        inner(dtype_is("out", ValueOf("dtype"), "the dtype that is passed as dtype")),
        same_format_unless_nd("out", "self"),
    ),
    golden=_cast,
    elementwise=("self",),
    reference=_torch_cast,
    draw=lambda rng: _sample(
        TensorArg(random_shape(rng), rng.choice(CAST_TARGETS)), rng.choice(CAST_TARGETS)
    ),
    typical=lambda elements: _sample(TensorArg(matrix_shape(elements)), FLOAT16),
    samples=(
        _sample(TensorArg((3,), values=(-1.7, 0.0, 300.2)), INT32),
        _sample(TensorArg((2, 3), INT64, strides=(1, 2)), FLOAT16),
        _sample(TensorArg((2, 3), BF16), DOUBLE),
        _sample(TensorArg((4,), DOUBLE), FLOAT),
        _sample(TensorArg((), INT8), FLOAT),
        _sample(TensorArg((4,), FLOAT), FLOAT16).on(A950),
    ),
    formats="Any label; when self is not labelled ND, out must carry the same label.",
    notes=_NOTES,
)
COPY = Operator(
    "aclnnInplaceCopy",
    summary="Copies a tensor into another, broadcast and converted.",
    formula=f"`selfRef = src`, broadcast to the shape of selfRef and converted:\n\n{_NUMBERS}",
    params=(
        TensorInOut("selfRef", "Where to copy.", reads=False),
        TensorIn("src", "What to copy."),
    ),
    checks=(
        not_null("selfRef", "src"),
        *(
            dtype_in(
                name,
                *(INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT16, FLOAT, BOOL),
                *(DOUBLE, COMPLEX64, COMPLEX128, BF16, FLOAT8_E5M2, FLOAT8_E4M3FN, HIFLOAT8),
                FLOAT8_E8M0,
            )
            for name in ("selfRef", "src")
        ),
        rank_at_most("selfRef", 8),
        rank_at_most("src", 8),
        broadcastable("src", "selfRef"),
        shape_is("selfRef", Broadcast(("selfRef", "src")), "that selfRef and src broadcast to"),
        done_when_empty("selfRef"),
        inside_storage("src"),
        _exists("src", DtypeOf("src"), DtypeOf("selfRef")),
        when(
            Condition(
                SameShape(ShapeOf("src"), ShapeOf("selfRef")), "src has the shape of selfRef"
            ),
            same_format_unless_nd("selfRef", "src"),
        ),
    ),
    golden=_copy,
    elementwise=("src",),
    reference=_torch_copy,
    draw=_drawn_copy,
    typical=lambda elements: Call(
        dict.fromkeys(("selfRef", "src"), TensorArg(matrix_shape(elements)))
    ),
    samples=(
        Call({"selfRef": TensorArg((3,)), "src": TensorArg((3,), values=(-1.5, 0.0, 2.0))}),
        Call({"selfRef": TensorArg((2, 3), INT32), "src": TensorArg((1, 3), FLOAT)}),
        Call({"selfRef": TensorArg((2, 3), FLOAT16, strides=(1, 2)), "src": TensorArg((), INT64)}),
        Call({"selfRef": TensorArg((4,), FLOAT), "src": TensorArg((4,), FLOAT8_E4M3FN)}).on(A950),
    ),
    formats="Any label; a src of selfRef's shape that is not labelled ND needs the same label.",
    notes=(
        *_NOTES,
        "Upstream refuses some strided selfRef of UINT16, UINT32 and UINT64; aclhost takes all.",
    ),
)
OPS = (CAST, COPY)

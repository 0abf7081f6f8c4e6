# SPDX-License-Identifier: Apache-2.0
"""Padding with one value."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
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
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, Scalar, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    inside_storage,
    none_negative,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_format_unless_nd,
    same_rank,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import Padded, PaddedPositive, PadsFit, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    AtMost,
    Const,
    Divided,
    DtypeOf,
    Equal,
    EveryItem,
    In,
    LengthOf,
    RankOf,
    RealIs,
    Times,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Rules = tuple[Rule, ...]

_NEWER = (A950, A3, A2)
_PADDED = Padded("self", "pad")
_BYTES = (HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0)
_COMMON = (
    *(FLOAT, INT32, FLOAT16, INT8, DOUBLE, INT16, INT64, UINT64, UINT32, UINT16, UINT8, BOOL),
    COMPLEX64,
    COMPLEX128,
)
_SMALL = Condition(In(DtypeOf("self"), _BYTES), "self has a dtype of 8-bit floats")
_SHAPES = (Shown("array", "pad"), " for ", Shown("shape", ShapeOf("self")))


def _pairs() -> Rules:
    """The array has a pair for some of the dimensions."""
    half = Divided(LengthOf("pad"), Const(2))
    return (
        *requires(
            "even_length",
            "pad",
            Equal(Times(half, Const(2)), LengthOf("pad")),
            "pad must have an even number of values",
            (Shown("array", "pad"),),
            "Pass two values for each dimension, from the last one on.",
        ),
        *requires(
            "at_most_rank_pairs",
            "pad",
            AtMost(half, RankOf("self")),
            "pad must have at most two values for each dimension of self",
            _SHAPES,
            "Pass fewer values.",
        ),
        *requires(
            "pads_fit",
            "pad",
            PadsFit("self", "pad"),
            "negative values of pad must leave something of self's dimensions, or nothing",
            _SHAPES,
            "Cut off less.",
        ),
    )


def _golden(self: Array, pad: Ints, value: float) -> Array:
    """A full array, with what is kept of self in it."""
    import numpy as np

    pairs = [tuple(pad[i : i + 2]) for i in range(0, len(pad), 2)][::-1]
    pairs = [(0, 0)] * (self.ndim - len(pairs)) + pairs
    shape = [length + sum(pair) for length, pair in zip(self.shape, pairs, strict=True)]
    value = float(np.trunc(value)) if self.dtype.kind in "iu" else value
    result = np.full(shape, value, self.dtype)
    kept, place = [], []
    for length, (before, after) in zip(self.shape, pairs, strict=True):
        kept.append(slice(max(-before, 0), length + min(after, 0)))
        place.append(slice(max(before, 0), max(before, 0) + kept[-1].stop - kept[-1].start))
    result[tuple(place)] = self[tuple(kept)]
    return result


def _torch(torch: Any, self: Any, pad: Ints, value: float) -> Any:  # noqa: ANN401
    if self.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return NotImplemented
    return torch.nn.functional.pad(self, list(pad), value=value)


def _call(self: TensorArg, pad: tuple[int, ...], value: ScalarArg | None = None) -> Call:
    value = value or ScalarArg(0 if self.dtype in _BYTES else 1)
    call = Call({"self": self, "pad": pad, "value": value})
    return call.passing(out=TensorArg(_PADDED.evaluate(call), self.dtype))


def _draw(rng: Random) -> Call:
    dtype = rng.choice((*_COMMON, BF16))
    shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(0, 5)))
    count = rng.randint(0, len(shape))
    pad = tuple(rng.randint(-1 if shape[-1 - i // 2] > 2 else 0, 3) for i in range(2 * count))
    return _call(TensorArg(shape, dtype), pad, ScalarArg(rng.randint(0, 1)))


def _typical(n: int) -> Call:
    return _call(TensorArg((8, 16, max(n // 8192, 1), 64)), (1, 1, 1, 1))


def _sample(dtype: DataType) -> Call:
    return _call(TensorArg((2, 3), dtype), (1, 2))


_FOUR = TensorArg((1, 2, 3, 4))

OP = Operator(
    "aclnnConstantPadNd",
    summary="Pads with one value.",
    formula=(
        "Pairs of pad belong to the dimensions of self from the last one on: so many elements with "
        "the value, converted to self's dtype, come before and after. Negative numbers cut "
        "elements off."
    ),
    params=(
        TensorIn("self", "Input."),
        IntArray("pad", "Pairs of lengths, the last dimension's first.", length=2),
        Scalar("value", "What is put there.", default=0),
        TensorOut("out", "Result.", shape=_PADDED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "pad", "value", "out"),
        same_dtype("out", "self"),
        dtype_in(
            "self",
            *_COMMON,
            only_on(BF16, *_NEWER),
            *(only_on(dtype, A950) for dtype in _BYTES),
        ),
        tuple(
            rule.with_code(Status.PARAM_INVALID) for rule in same_format_unless_nd("out", "self")
        ),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        same_rank("out", "self"),
        _pairs(),
        shape_is("out", _PADDED, "of self, longer by pad"),
        requires(
            "nothing_empty_padded",
            "pad",
            any_of(EveryItem("pad", most=0), PaddedPositive("out", "pad")),
            "a dimension that pad belongs to must not become 0 while another one grows",
            _SHAPES,
            "Cut off less, or skip the call.",
        ),
        when(_SMALL, none_negative("pad")),
        done_when_empty("out"),
        supported_on(*_NEWER, P310P, T910),
        inside_storage("self"),
        when(
            _SMALL,
            requires(
                "zero",
                "value",
                RealIs("value", "==", 0.0),
                "value must be 0",
                (Shown("real", "value"),),
                "Pad wider floats, then cast.",
            ),
        ),
    ),
    golden=_golden,
    reference=_torch,
    gradient=Gradient(  # what was added is taken away
        "aclnnConstantPadNd",
        results={"out": "self"},
        given={"self": "out"},
        derived={
            "pad": lambda forward: tuple(-length for length in forward["pad"]),
            "value": lambda forward: 0.0,
        },
    ),
    samples=(
        *(_sample(dtype) for dtype in (*_COMMON, BF16)),
        *(_sample(dtype).on(A950) for dtype in (FLOAT8_E5M2, FLOAT8_E4M3FN)),
        _call(_FOUR, (1, 0, 2, 3, 0, 1, 1, 0), ScalarArg(-2.5)),
        _call(_FOUR, (-1, 2, 1, -2), ScalarArg(3, INT64)),
        _call(TensorArg((2, 3), FLOAT, strides=(1, 2)), (0, 0)),
        _call(TensorArg((0, 3)), (1, 1, 2, 0), ScalarArg(7)),
        _call(TensorArg(()), ()),
    ),
    draw=_draw,
    typical=_typical,
    formats="Any label. When self is not labelled ND, out must carry the same one.",
    notes=(
        "Ascend 950 knows FLOAT4_E1M2 and FLOAT4_E2M1, too; aclhost refuses them.",
        "8-bit floats are padded with bits of 0 only, as the document says of one release of "
        "upstream; in FLOAT8_E8M0 these mean 2^-127.",
        "A complex value counts as 0 in a tensor of real numbers.",
    ),
)

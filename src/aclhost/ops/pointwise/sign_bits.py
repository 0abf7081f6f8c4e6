# SPDX-License-Identifier: Apache-2.0
"""Signs as bits, eight of them in a byte, and back."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.formats import ND
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    Rule,
    at_least,
    done_when_empty,
    dtype_in,
    dtype_is,
    fits_shape,
    format_in,
    inner,
    inside_storage,
    not_null,
    rank_in,
    refused_unless_on,
    requires,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import Const, DimOf, Divided, Equal, Sum, Term, Times, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_KNOWN = refused_unless_on(A950, A3, A2, P310P)
_LENGTH = DimOf("self", Const(0))
_BYTES = Divided(Sum(_LENGTH, Const(7)), Const(8))
_BITS = Times(_LENGTH, Const(8))


def _pack(self: Array, size: int) -> Array:
    """The first sign is the lowest bit; what is left over in the last byte is 0."""
    import numpy as np

    return np.packbits(self >= 0, bitorder="little").reshape(size, -1)


def _unpack(self: Array, size: int, dtype: Any) -> Array:  # noqa: ANN401
    """1 for every bit that is set, -1 for the others."""
    import numpy as np

    return np.unpackbits(self, bitorder="little").reshape(size, -1) * 2.0 - 1


def _rows(count: Term) -> Lengths:
    return Lengths((ValueOf("size"), Divided(count, ValueOf("size"))))


def _values(count: Term, what: str) -> tuple[Rule, ...]:
    return (
        *at_least("size", 1),
        *requires(
            "divisible",
            "size",
            Equal(Times(Divided(count, ValueOf("size")), ValueOf("size")), count),
            f"size must divide the number of {what}",
            (Shown("integer", ValueOf("size")), " for ", Shown("integer", count)),
            "Pass a divisor, for example 1.",
        ),
        *requires(
            "rows",
            "out",
            Equal(DimOf("out", Const(0)), ValueOf("size")),
            "the first dimension of out must be size",
            (Shown("integer", DimOf("out", Const(0))), " for ", Shown("integer", ValueOf("size"))),
            "Create out with size rows.",
        ),
    )


def _pack_call(rows: int, elements: int, dtype: DataType) -> Call:
    out = TensorArg((rows, -(-elements // 8) // rows), UINT8)
    return Call({"self": TensorArg((elements,), dtype), "size": rows, "out": out})


def _unpack_call(rows: int, elements: int, dtype: DataType) -> Call:
    out = TensorArg((rows, elements * 8 // rows), dtype)
    return Call(
        {"self": TensorArg((elements,), UINT8, span=(0, 256)), "size": rows, "dtype": dtype,
         "out": out}
    )  # fmt: skip


def _drawn_pack(rng: Random) -> Call:
    rows, columns = rng.randint(1, 5), rng.randint(0, 9)
    elements = max(rows * columns * 8 - rng.randint(0, 7), 0)
    return _pack_call(rows, elements, rng.choice((FLOAT, FLOAT16)))


def _drawn_unpack(rng: Random) -> Call:
    rows = rng.choice((1, 2, 3, 4, 8))
    return _unpack_call(rows, 3 * rng.randint(0, 20), rng.choice((FLOAT, FLOAT16)))


PACK = Operator(
    "aclnnSignBitsPack",
    summary="Packs the signs of numbers into bytes.",
    formula=(
        "Bit k of byte j is 1 where `self[8j + k] >= 0`; bits past the last number are 0. The "
        "bytes fill size rows."
    ),
    params=(
        TensorIn("self", "Numbers, in one dimension."),
        Int("size", "Rows of the result."),
        TensorOut("out", "Bytes.", shape=_rows(_BYTES), dtype=Const(UINT8.value)),
    ),
    checks=(
        not_null("self", "out"),
        _KNOWN,
        dtype_in("self", FLOAT, FLOAT16),
        dtype_in("out", UINT8),
        format_in("self", ND),
        format_in("out", ND),
        _values(_BYTES, "bytes"),
        rank_in("self", 1),
        rank_in("out", 2),
        done_when_empty("self", "out"),
        supported_on(A3, A2, P310P),
        inside_storage("self"),
        inner(fits_shape("out", _rows(_BYTES), "[size, bytes / size]")),
    ),
    golden=_pack,
    draw=_drawn_pack,
    typical=lambda elements: _pack_call(1, elements, FLOAT),
    samples=(
        _pack_call(2, 14, FLOAT),
        _pack_call(1, 24, FLOAT16),
        _pack_call(3, 20, FLOAT),
        Call({**_pack_call(1, 16, FLOAT).arguments, "self": TensorArg((16,), strides=(2,))}),
    ),
    formats="Both tensors must be labelled ND.",
    notes=("A negative zero counts as 0, and NaN as negative; the document excludes NaN.",),
)
UNPACK = Operator(
    "aclnnSignBitsUnpack",
    summary="Unpacks bytes into numbers with the signs that their bits say.",
    formula="`out` is 1 where bit k of `self[j]` is set, otherwise -1, at place 8j + k of all rows",
    params=(
        TensorIn("self", "Bytes, in one dimension."),
        Int("size", "Rows of the result."),
        Dtype("dtype", "The dtype of out."),
        TensorOut("out", "Numbers.", shape=_rows(_BITS), dtype=ValueOf("dtype")),
    ),
    checks=(
        not_null("self", "out"),
        _KNOWN,
        dtype_in("self", UINT8),
        dtype_in("out", FLOAT, FLOAT16),
        dtype_is("out", ValueOf("dtype"), "the dtype that is passed as dtype"),
        format_in("self", ND),
        format_in("out", ND),
        _values(_BITS, "bits"),
        rank_in("self", 1),
        rank_in("out", 2),
        done_when_empty("self", "out"),
        inside_storage("self"),
        inner(fits_shape("out", _rows(_BITS), "[size, bits / size]")),
    ),
    golden=_unpack,
    draw=_drawn_unpack,
    typical=lambda elements: _unpack_call(1, max(elements // 8, 1), FLOAT),
    samples=(
        _unpack_call(2, 2, FLOAT),
        _unpack_call(1, 3, FLOAT16),
        _unpack_call(8, 3, FLOAT),
    ),
    formats="Both tensors must be labelled ND.",
)
OPS = (PACK, UNPACK)

# SPDX-License-Identifier: Apache-2.0
"""And, or, exclusive or of the bits of integers; BOOL has one bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aclhost.ops.pointwise.checks import (
    Rules,
    broadcast_to,
    castable_from,
    computes,
    delivered,
    given,
    listed,
    ranks,
    shape_of,
)
from aclhost.ops.pointwise.comparison import Dtypes, torch_function
from aclhost.ops.pointwise.declare import INTEGERS, Checks, Row, declare, with_twin
from aclhost.ops.pointwise.deduction import by_product, is_bool, is_integer
from aclhost.spec.dtypes import BOOL, INT8, INT32, UINT16, UINT32, UINT64, DataType
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950
from aclhost.spec.rules import not_private, only_on, same_format
from aclhost.spec.terms import And, DtypeOf, Equal, If, promoted

_BITS = (*INTEGERS, BOOL)
_UNSIGNED = (UINT16, UINT32, UINT64)
_UNSIGNED_ON_950 = tuple(only_on(each, A950) for each in _UNSIGNED)
_ANY_OUT = (
    "The result may have any dtype that the common one converts to, as in upstream's code; its "
    "document lists integers and BOOL."
)


@dataclass(frozen=True)
class _Kind:
    word: str
    function: Callable[[Element, Element], Element]
    tensors: Dtypes  # what tensors may be
    beside_scalars: Dtypes
    loops: tuple[DataType, ...] = (*_BITS, *_UNSIGNED)

    @property
    def summary(self) -> str:
        return f"The {self.word} of the bits of two integers."

    @property
    def is_and(self) -> bool:
        return self.word == "and"


_AND = _Kind("and", lambda x, y: x & y, (*_BITS, UINT16), (*_BITS, UINT16), (*_BITS, UINT16))
_OR = _Kind("or", lambda x, y: x | y, (*_BITS, *_UNSIGNED), (*_BITS, UINT16, *_UNSIGNED_ON_950[1:]))
_XOR = _Kind(
    "xor", lambda x, y: x ^ y, (*_BITS, *_UNSIGNED_ON_950), (*_BITS, *_UNSIGNED_ON_950)
)  # fmt: skip


def _formats(kind: _Kind, *parameters: str) -> Rules:
    return not_private(*dict.fromkeys(parameters)) if kind.is_and else ()


def _tensors(name: str, x: str, out: str, kind: _Kind, formats: Rules | None = None) -> Operator:
    inputs, common = (x, "other"), promoted(x, "other")
    ranked = inputs if kind.is_and else tuple(dict.fromkeys((*inputs, out)))
    checks: Checks = (
        given(*inputs, out),
        listed(inputs, *kind.tensors),
        computes("other", common),
        castable_from(out, common),
        _formats(kind, *inputs, out) if formats is None else formats,
        ranks(*ranked),
        broadcast_to(out, *inputs),
        delivered(name, out, inputs, common),
    )
    return declare(Row(
        name, kind.summary, checks, kind.function, inputs, out, common, kind.loops,
        torch_function(f"bitwise_{kind.word}"), mixed=(INT8, INT32), notes=(_ANY_OUT,),
        docs={"self": "First operand, overwritten with the result."} if x == out else {},
    ))  # fmt: skip


def _same_formats(x: str, out: str) -> Rules:
    others = ("other", *(() if x == out else (out,)))
    return (*(rule for name in others for rule in same_format(name, x)), *not_private(x))


def _scalar(name: str, x: str, out: str, kind: _Kind) -> Operator:
    tensor, common = DtypeOf(x), promoted(x, "other")
    computed = by_product(If(is_bool(tensor), common, tensor), common)
    # Bits for which the result has no place need not be computed.
    is_kept = And(is_integer(tensor), Equal(DtypeOf(out), tensor))
    shape, rank = shape_of(out, x), ranks(x)
    checks: Checks = (
        given(x, "other", out),
        listed((x, "other"), *kind.beside_scalars),
        computes("other", computed),
        castable_from(out, computed),
        _formats(kind, x, out),
        (*rank, *shape) if kind.is_and else (*shape, *rank),
        delivered(name, out, (x,), computed),
    )
    return declare(Row(
        name, f"The {kind.word} of the bits of integers and of a scalar.", checks, kind.function,
        (x,), out, If(is_kept, tensor, computed), kind.loops,
        torch_function(f"bitwise_{kind.word}"), numbers=("other",),
        result=If(is_bool(tensor), common, tensor), notes=(_ANY_OUT,),
    ))  # fmt: skip


def _both(word: str, kind: _Kind) -> tuple[Operator, ...]:
    return (
        *with_twin(lambda prefix, x, out: _tensors(f"{prefix}Bitwise{word}Tensor", x, out, kind)),
        *with_twin(lambda prefix, x, out: _scalar(f"{prefix}Bitwise{word}Scalar", x, out, kind)),
    )


OPS = (
    *_both("And", _AND),
    *_both("Or", _OR),
    *_both("Xor", _XOR),
    *(
        _tensors(name, "self", out, _AND, _same_formats("self", out))
        for name, out in (
            ("aclnnBitwiseAndTensorOut", "out"),
            ("aclnnInplaceBitwiseAndTensorOut", "self"),
        )
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Comparisons of two tensors.

Upstream looks either at the dtypes of the operands or at the one they have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aclhost.ops.pointwise.checks import (
    ONLY_950,
    Rules,
    broadcast_to,
    computed_in,
    computes,
    delivered,
    feasible,
    given,
    listed,
    ranks,
    readable,
)
from aclhost.ops.pointwise.declare import (
    COMPLEX,
    NEW_BF16,
    NUMBERS,
    Checks,
    Row,
    Torch,
    declare,
    with_sample,
    with_twin,
)
from aclhost.ops.pointwise.deduction import by_product, combined_by_rank, replaced
from aclhost.spec.call import Call
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
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
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950, P310B, P310P, T910
from aclhost.spec.rules import done_when_empty, dtype_in, on_products, only_on, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.terms import DtypeOf, In, Not, Term, const, promoted

Dtypes = tuple[DataType | Limited, ...]

PLAIN = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, BOOL)
_OLD = (P310B, P310P, T910)
EVERY = (*PLAIN, UINT16, UINT32, UINT64, *COMPLEX, BF16)
WITHOUT_OLD_BF16 = (*EVERY[:-1], NEW_BF16)
ORDERED = (*PLAIN, UINT32, UINT64, UINT16, NEW_BF16)
AT_MOST = (*PLAIN, UINT16, NEW_BF16, only_on(UINT64, A950))
DIFFERENT = (*PLAIN, *COMPLEX, NEW_BF16, only_on(UINT64, A950))
_EQUAL = (*PLAIN, *COMPLEX, NEW_BF16, only_on(UINT64, A950, *_OLD), only_on(UINT32, *_OLD))
LOOPS = tuple(each for each in NUMBERS if each is not BOOL)
AT_MOST_LOOPS = (*(each for each in LOOPS if each not in COMPLEX), UINT16, UINT64)
ORDERED_LOOPS = (*AT_MOST_LOOPS, UINT32)

_DOCUMENTED_RESULTS = (
    "Upstream's document lists more dtypes of the result than its code accepts, except on Ascend "
    "950; checks follow the code."
)
_ANY_BF16 = "A BF16 result is accepted on every product, as in upstream's code."
_NO_BYTES = "Floating types of one byte are not read; upstream's code takes them on Ascend 950."


def wider_on_950(allowed: Dtypes) -> Dtypes:
    """The list of results: Ascend 950 delivers every dtype that can be cast to."""
    known = {each.dtype: each.on for each in allowed if isinstance(each, Limited)}
    return tuple(
        each if each in allowed else only_on(each, *dict.fromkeys((A950, *known.get(each, ()))))
        for each in EVERY
    )


def of_950(allowed: Dtypes) -> tuple[DataType, ...]:
    """What a list allows on Ascend 950."""
    return tuple(
        each.dtype if isinstance(each, Limited) else each
        for each in allowed
        if not isinstance(each, Limited) or A950 in each.on
    )


def without_bool(dtype: Term) -> Term:
    """BOOL compares as INT8, whose order is the same."""
    return replaced(dtype, INT8, BOOL)


def torch_function(name: str) -> Callable[..., Any]:
    """A reference of two operands."""

    def reference(torch: Torch, x: Torch, y: Torch) -> Torch:
        return getattr(torch, name)(x, y)

    return reference


@dataclass(frozen=True)
class Comparison:
    """One of the six: how it is named, and what it is."""

    word: str  # in upstream's names and, without its capital, in torch
    relation: str
    function: Callable[[Element, Element], Element]

    @property
    def reference(self) -> Callable[..., Any]:
        return torch_function(self.word.lower())

    def summary(self, other: str) -> str:
        """One sentence."""
        return f"Whether each element {self.relation} {other}."


EQ = Comparison("Eq", "equals", lambda x, y: x == y)
NE = Comparison("Ne", "differs from", lambda x, y: x != y)
GT = Comparison("Gt", "is greater than", lambda x, y: x > y)
GE = Comparison("Ge", "is at least", lambda x, y: x >= y)
LT = Comparison("Lt", "is less than", lambda x, y: x < y)
LE = Comparison("Le", "is at most", lambda x, y: x <= y)


def result_in(x: str, out: str, allowed: Dtypes) -> Rules:
    """The result's dtype is listed; in place it is the operand's, which is listed already."""
    return () if x == out else dtype_in(out, *allowed)


def _no_bf16_on_910(*parameters: str) -> Rules:
    rules = (
        rule
        for name in parameters
        for rule in requires(
            "dtype_in",
            name,
            Not(In(DtypeOf(name), (BF16,))),
            f"{name} must not have dtype BF16",
            (Shown("dtype", DtypeOf(name)),),
            f"Cast {name} to FLOAT.",
        )
    )
    return when(on_products(T910), tuple(rules))


def _common_dtype(x: str, other: str) -> Term:
    """Tensors of rank 0 count as scalars on Ascend 950."""
    return by_product(combined_by_rank(x, other), promoted(x, other))


def _shapes(x: str, out: str) -> Rules:
    return (*ranks(*dict.fromkeys((x, "other", out))), *broadcast_to(out, x, "other"))


def _row(
    name: str, kind: Comparison, x: str, out: str, checks: Checks, computed: Term,
    loops: tuple[DataType, ...], notes: tuple[str, ...],
) -> Operator:  # fmt: skip
    op = declare(Row(
        name, kind.summary("that of the other tensor"), checks, kind.function, (x, "other"), out,
        without_bool(computed), loops, kind.reference, result=const(BOOL), mixed=(FLOAT16, INT32),
        notes=notes,
    ))  # fmt: skip
    return with_sample(op, lambda call: _with_rank_0(call, x))


def _with_rank_0(call: Call, x: str) -> Call:
    return call.retyped(FLOAT16, x).retyped(FLOAT, "other").reshaped((), "other").on(A950)


def _by_common_dtype(
    kind: Comparison,
    taken: Dtypes,
    results: Dtypes,
    loops: tuple[DataType, ...],
    *notes: str,
) -> tuple[Operator, Operator]:
    """The operands' own dtypes hardly count, only the one they have in common."""

    def make(prefix: str, x: str, out: str) -> Operator:
        name, common, inputs = f"{prefix}{kind.word}Tensor", _common_dtype(x, "other"), (x, "other")
        shapes_first = kind is EQ and x == out
        checks = (
            given(*inputs, out),
            broadcast_to(out, *inputs) if shapes_first else (),
            _no_bf16_on_910(*inputs) if kind is not GE else (),
            when(ONLY_950, listed(inputs, *of_950(taken))) if kind is EQ else (),
            dtype_in(out, *results),
            computes("other", common),
            computed_in("other", common, *taken),
            ranks(x) if shapes_first else _shapes(x, out),
            delivered(name, out, inputs),
            readable(*(each for each in inputs if each != out)),
        )
        return _row(name, kind, x, out, checks, common, loops, notes)

    return with_twin(make, early=4 if kind is EQ else 0)


def _by_lists(
    kind: Comparison, taken: Dtypes, loops: tuple[DataType, ...], empty_first: bool
) -> tuple[Operator, Operator]:
    """Operands and result have lists of their own."""

    def make(prefix: str, x: str, out: str) -> Operator:
        name, common, inputs = f"{prefix}{kind.word}Tensor", _common_dtype(x, "other"), (x, "other")
        done = done_when_empty(*inputs)
        checks = (
            given(*inputs, out),
            done if empty_first else (),
            listed(inputs, *taken),
            result_in(x, out, wider_on_950(taken)),
            computes("other", common),
            when(ONLY_950, computed_in("other", common, *of_950(taken))) if kind is NE else (),
            _shapes(x, out),
            () if empty_first else done,
            feasible(name, out, inputs),
        )
        return _row(name, kind, x, out, checks, common, loops, (_DOCUMENTED_RESULTS,))

    return with_twin(make)


OPS = (
    *_by_common_dtype(
        EQ, _EQUAL, wider_on_950(_EQUAL), (*LOOPS, UINT32, UINT64), _DOCUMENTED_RESULTS
    ),
    *_by_common_dtype(GT, ORDERED, WITHOUT_OLD_BF16, ORDERED_LOOPS, _NO_BYTES),
    *_by_common_dtype(GE, ORDERED, EVERY, ORDERED_LOOPS, _NO_BYTES, _ANY_BF16),
    *_by_lists(LT, ORDERED, ORDERED_LOOPS, empty_first=False),
    *_by_lists(LE, AT_MOST, AT_MOST_LOOPS, empty_first=True),
    *_by_lists(NE, DIFFERENT, (*LOOPS, UINT64), empty_first=True),
)

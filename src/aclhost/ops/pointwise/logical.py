# SPDX-License-Identifier: Apache-2.0
"""And, or, exclusive or of truth values; whatever is not 0 is true, NaN included."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aclhost.ops.pointwise.checks import Rules, broadcast_to, delivered, given, listed, ranks
from aclhost.ops.pointwise.comparison import PLAIN, Dtypes, result_in, torch_function, wider_on_950
from aclhost.ops.pointwise.declare import (
    COMPLEX,
    NEW_BF16,
    Checks,
    Row,
    declare,
    with_sample,
    with_twin,
)
from aclhost.ops.pointwise.deduction import is_complex
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, BOOL, COMPLEX64, FLOAT16, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.rules import Condition, rank_at_most, when
from aclhost.spec.terms import DtypeOf, const

_TAKEN = (*PLAIN, *COMPLEX, NEW_BF16)
_COMPLEX = "What upstream makes of complex numbers is not public; either part counts, as in torch."


def _operator(
    name: str,
    x: str,
    out: str,
    function: Callable[[Element, Element], Element],
    summary: str,
    taken: Dtypes,
    results: Dtypes,
    *notes: str,
    late: Rules = (),
) -> Operator:
    """Without a list of results their dtypes are looked at last."""
    inputs, truth = (x, "other"), const(BOOL)
    checks: Checks = (
        given(*inputs, out),
        listed(inputs, *taken),
        result_in(x, out, results) if results else (),
        ranks(*inputs),
        broadcast_to(out, *inputs),
        delivered(name, out, inputs, None if results else truth),
        late,
    )
    return declare(Row(
        name, summary, checks, function, inputs, out, truth, (BOOL,),
        torch_function(function.__name__), result=truth, mixed=(FLOAT16, INT32), notes=notes,
    ))  # fmt: skip


def _and(prefix: str, x: str, out: str) -> Operator:
    return _operator(
        f"{prefix}LogicalAnd", x, out, math.logical_and, "Whether both elements are true.",
        (*PLAIN, *COMPLEX, BF16), (), _COMPLEX,
        "BF16 is accepted on every product, and no dtype in common is asked for, as in upstream's "
        "code; its document says otherwise.",
    )  # fmt: skip


def _or(prefix: str, x: str, out: str) -> Operator:
    return _operator(
        f"{prefix}LogicalOr", x, out, math.logical_or, "Whether one of the elements is true.",
        _TAKEN, wider_on_950(_TAKEN), _COMPLEX,
    )  # fmt: skip


def _rank_of_complex(name: str) -> Rules:
    return when(Condition(is_complex(DtypeOf(name)), f"{name} is complex"), rank_at_most(name, 7))


def _xor() -> Operator:
    op = _operator(
        "aclnnLogicalXor", "self", "out", math.logical_xor,
        "Whether just one of the elements is true.", _TAKEN, _TAKEN,
        late=(*_rank_of_complex("self"), *_rank_of_complex("other")),
    )  # fmt: skip
    for name in ("self", "other"):
        op = with_sample(op, partial(_complex_of_rank_7, name))
    return op


def _complex_of_rank_7(name: str, call: Call) -> Call:
    return call.retyped(COMPLEX64, name).reshaped((1, 1, 1, 1, 1, 2, 3), name)


OPS = (*with_twin(_and), *with_twin(_or), _xor())

# SPDX-License-Identifier: Apache-2.0
"""Comparisons of a tensor with a scalar.

Each of the six deduces what it compares in by a rule of its own, except on Ascend 950.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aclhost.ops.pointwise.checks import (
    NOT_950,
    ONLY_950,
    Rules,
    computed_in,
    computes,
    delivered,
    given,
    listed,
    ranks,
    readable,
    shape_of,
)
from aclhost.ops.pointwise.comparison import (
    AT_MOST,
    AT_MOST_LOOPS,
    DIFFERENT,
    EQ,
    EVERY,
    GE,
    GT,
    LE,
    LOOPS,
    LT,
    NE,
    ORDERED,
    ORDERED_LOOPS,
    PLAIN,
    WITHOUT_OLD_BF16,
    Comparison,
    Dtypes,
    of_950,
    result_in,
    wider_on_950,
    without_bool,
)
from aclhost.ops.pointwise.declare import COMPLEX, Checks, Row, declare, with_sample, with_twin
from aclhost.ops.pointwise.deduction import (
    by_product,
    combined_with_default,
    first_match,
    is_bool,
    is_complex,
    is_floating,
)
from aclhost.spec.call import ScalarArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, UINT32, UINT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import dtype_in, inner, not_null, only_on, when
from aclhost.spec.terms import (
    And,
    DtypeAllowed,
    DtypeOf,
    In,
    KeepsScalar,
    Not,
    Promote,
    Term,
    all_of,
    any_of,
)
from aclhost.spec.terms import const as constant

Deduction = Callable[[Term, Term], Term]  # from the dtypes of the tensor and of the scalar

_EQUAL = (
    *PLAIN, *COMPLEX, only_on(BF16, A950, A3, A2, P310B, P310P), only_on(UINT64, A950, T910),
    only_on(UINT32, T910),
)  # fmt: skip


def narrow(tensor: Term, scalar: Term) -> Term:
    """The tensor's dtype unless the scalar is of a higher kind."""
    higher = any_of(is_bool(tensor), is_floating(scalar), is_complex(scalar))
    return first_match(
        (is_complex(tensor), tensor),
        (And(is_floating(tensor), Not(is_complex(scalar))), tensor),
        (higher, Promote(tensor, scalar)),
        otherwise=tensor,
    )


def wide(tensor: Term, scalar: Term) -> Term:
    """The common dtype; a DOUBLE that a floating tensor's dtype holds does not widen it."""
    held = all_of(In(scalar, (DOUBLE,)), is_floating(tensor), KeepsScalar("other", tensor))
    return first_match((held, tensor), otherwise=Promote(tensor, scalar))


def short(tensor: Term, scalar: Term) -> Term:
    """Floating tensors keep their dtype, and a DOUBLE counts as FLOAT."""
    return first_match(
        (is_floating(tensor), tensor),
        (In(scalar, (DOUBLE,)), FLOAT),
        otherwise=Promote(tensor, scalar),
    )


def _scalar_of_less(tensor: Term, scalar: Term) -> Term:
    """What aclnnLtScalar makes of the scalar before it looks at dtypes, but on Ascend 950."""
    return first_match(
        (is_floating(tensor), tensor), (In(scalar, (DOUBLE,)), FLOAT), otherwise=scalar
    )


def less(tensor: Term, scalar: Term) -> Term:
    """The tensor's dtype promoted with what was made of the scalar."""
    return Promote(tensor, _scalar_of_less(tensor, scalar))


def _computed(x: str, deduction: Deduction) -> Term:
    dtypes = DtypeOf(x), DtypeOf("other")
    return by_product(combined_with_default(*dtypes), deduction(*dtypes))


def _row(
    name: str, kind: Comparison, x: str, out: str, checks: Checks, computed: Term,
    loops: tuple[DataType, ...], notes: tuple[str, ...],
) -> Operator:  # fmt: skip
    computed = without_bool(computed)
    op = declare(Row(
        name, kind.summary("the scalar"), checks, kind.function, (x,), out, computed, loops,
        kind.reference, numbers=(NumberFrom("other", computed),), result=constant(BOOL),
        notes=notes, docs={"other": "What to compare with."},
    ))  # fmt: skip
    tenth = ScalarArg(0.1, DOUBLE)
    return with_sample(op, lambda call: call.retyped(FLOAT16, x).passing(other=tenth))


_WRAPPED = (
    "The scalar is converted to what is compared in; integers wrap to an integer tensor's dtype."
)
_SHORTENED = (
    "The scalar is converted to what is compared in. Beside integers a DOUBLE counts as FLOAT, but "
    "on Ascend 950, where integers wrap to the tensor's dtype."
)
_WIDENED = (
    "Except on Ascend 950 a floating tensor is compared in DOUBLE with a DOUBLE that its dtype "
    "does not hold, where torch rounds the scalar."
)


def _shapes(name: str, x: str, out: str) -> Checks:
    return (ranks(*dict.fromkeys((x, out))), shape_of(out, x), delivered(name, out, (x,)))


def _by_lists(
    kind: Comparison,
    taken: Dtypes,
    deduction: Deduction,
    loops: tuple[DataType, ...],
    note: str,
    results: Dtypes = (),
    defined: Deduction | None = None,
) -> tuple[Operator, Operator]:
    """Tensor, scalar and result have lists; then there is a dtype to compare in."""

    def make(prefix: str, x: str, out: str) -> Operator:
        name, computed = f"{prefix}{kind.word}Scalar", _computed(x, deduction)
        checks = (
            given(x, "other", out), listed((x, "other"), *taken),
            result_in(x, out, results or wider_on_950(taken)),
            computes("other", _computed(x, defined or deduction)), *_shapes(name, x, out),
        )  # fmt: skip
        return _row(name, kind, x, out, checks, computed, loops, (note,))

    return with_twin(make)


def _greater_equal(prefix: str, x: str, out: str) -> Operator:
    name, computed = f"{prefix}GeScalar", without_bool(_computed(x, wide))
    comparable = tuple(each for each in ORDERED if each is not BOOL)
    checks = (
        given(x, "other", out), when(ONLY_950, listed((x,), *of_950(ORDERED))),
        dtype_in(out, *EVERY),
        computed_in("other", computed, *comparable), *_shapes(name, x, out),
        readable(x) if x != out else (),
    )  # fmt: skip
    return _row(name, GE, x, out, checks, computed, ORDERED_LOOPS, (_WIDENED,))


def _scalar_in(x: str) -> Rules:
    """The scalar is listed, as what it counts as."""
    (rule,) = dtype_in("other", *ORDERED)
    assert isinstance(rule.holds, DtypeAllowed)
    counted = by_product(DtypeOf("other"), _scalar_of_less(DtypeOf(x), DtypeOf("other")))
    return (replace(rule, holds=DtypeAllowed(counted, rule.holds.lists)),)


def _less(prefix: str, x: str, out: str) -> Operator:
    name, computed = f"{prefix}LtScalar", _computed(x, less)
    checks = (
        when(NOT_950, inner(not_null("other", x))), when(ONLY_950, not_null("other", x)),
        not_null(out) if x != out else (), listed((x,), *ORDERED), _scalar_in(x),
        result_in(x, out, wider_on_950(ORDERED)), computes("other", computed),
        *_shapes(name, x, out),
    )  # fmt: skip
    notes = (
        "A complex scalar counts as 0 beside a floating tensor, as upstream's code reads it, "
        "except on Ascend 950.",
        "Null pointers of operands give 561103, except on Ascend 950; upstream's document says "
        "161001.",
    )
    return _row(name, LT, x, out, checks, computed, ORDERED_LOOPS, (_SHORTENED, *notes))


OPS = (
    *_by_lists(EQ, _EQUAL, narrow, (*LOOPS, UINT32, UINT64), _WRAPPED, defined=Promote),
    *_by_lists(NE, DIFFERENT, narrow, (*LOOPS, UINT64), _WRAPPED),
    *_by_lists(GT, ORDERED, wide, ORDERED_LOOPS, _WIDENED, WITHOUT_OLD_BF16),
    *with_twin(_greater_equal),
    *with_twin(_less),
    *_by_lists(LE, AT_MOST, short, AT_MOST_LOOPS, _SHORTENED),
)

# SPDX-License-Identifier: Apache-2.0
"""Which dtype an operator computes in: what upstream deduces from tensors and scalars."""

from __future__ import annotations

from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX32,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    UNDEFINED,
    Category,
    DataType,
)
from aclhost.spec.products import A950
from aclhost.spec.terms import (
    And,
    Const,
    DtypeOf,
    Equal,
    If,
    In,
    InCategory,
    KeepsScalar,
    Not,
    Or,
    ProductIn,
    Promote,
    RankOf,
    Term,
    all_of,
    const,
)

ON_950 = ProductIn((A950,))
NO_DTYPE = const(UNDEFINED)


def is_floating(dtype: Term) -> Term:
    """Of any width."""
    return InCategory(dtype, Category.FLOATING)


def is_integer(dtype: Term) -> Term:
    """Signed or unsigned, not BOOL."""
    return InCategory(dtype, Category.INTEGER)


def is_complex(dtype: Term) -> Term:
    """Of any width."""
    return InCategory(dtype, Category.COMPLEX)


def is_bool(dtype: Term) -> Term:
    """BOOL and nothing else."""
    return In(dtype, (BOOL,))


def is_defined(dtype: Term) -> Term:
    """Whether a deduction found a dtype."""
    return Not(Equal(dtype, NO_DTYPE))


def by_product(on_950: Term, others: Term) -> Term:
    """One deduction for the Ascend 950, one for the other products."""
    return If(ON_950, on_950, others)


def first_match(*cases: tuple[Term, Term | DataType], otherwise: Term | DataType) -> Term:
    """The value of the first condition that holds."""
    result = _term(otherwise)
    for condition, value in reversed(cases):
        result = If(condition, _term(value), result)
    return result


def _term(value: Term | DataType) -> Term:
    return value if isinstance(value, Term) else const(value)


def replaced(dtype: Term, by: DataType, *which: DataType) -> Term:
    """The dtype, or another in place of some."""
    return If(In(dtype, which), const(by), dtype)


def as_complex(dtype: Term) -> Term:
    """The complex dtype whose parts a floating one can be."""
    return first_match(
        (is_complex(dtype), dtype),
        (In(dtype, (BF16, FLOAT)), COMPLEX64),
        (In(dtype, (FLOAT16,)), COMPLEX32),
        (In(dtype, (DOUBLE,)), COMPLEX128),
        otherwise=UNDEFINED,
    )


def scalar_default(dtype: Term) -> Term:
    """What a scalar counts as: precision does not matter, only the kind."""
    return first_match((is_complex(dtype), COMPLEX64), (is_floating(dtype), FLOAT), otherwise=dtype)


def scalar_default_keeping_double(dtype: Term) -> Term:
    """The same, only complex scalars lose their precision."""
    return If(is_complex(dtype), const(COMPLEX64), dtype)


def combined(tensor: Term, scalar: Term) -> Term:
    """A tensor's dtype, unless the scalar is of a higher kind."""
    promoted = Promote(tensor, scalar)
    return first_match(
        (is_complex(tensor), tensor),
        (is_complex(scalar), If(is_floating(tensor), as_complex(tensor), scalar)),
        (is_floating(tensor), tensor),
        (Or(is_bool(tensor), is_floating(scalar)), promoted),
        otherwise=tensor,
    )


def combined_by_rank(first: str, second: str) -> Term:
    """A tensor of rank 0 counts as a scalar beside one that has dimensions."""
    one, other = DtypeOf(first), DtypeOf(second)
    no_dims, other_no_dims = (Equal(RankOf(name), Const(0)) for name in (first, second))
    return first_match(
        (Equal(no_dims, other_no_dims), Promote(one, other)),
        (no_dims, combined(other, one)),
        otherwise=combined(one, other),
    )


def combined_with_default(tensor: Term, scalar: Term) -> Term:
    """The rule of the Ascend 950 for a tensor and a scalar."""
    return replaced(combined(tensor, scalar_default(scalar)), COMPLEX64, COMPLEX32)


def combined_keeping(tensor: Term, scalar: str, *further: str) -> Term:
    """The same, but FLOAT where a 16-bit dtype would change a scalar's value."""
    combination = combined_with_default(tensor, DtypeOf(scalar))
    kept = all_of(*(KeepsScalar(name, combination) for name in (scalar, *further)))
    return If(And(In(combination, (FLOAT16, BF16)), Not(kept)), const(FLOAT), combination)


def kept_or_promoted(tensor: Term, scalar: Term) -> Term:
    """Floating tensors keep their dtype; scalars of a higher kind, and BOOL tensors, promote."""
    return first_match(
        (is_floating(tensor), tensor),
        (Or(is_floating(scalar), is_bool(tensor)), Promote(tensor, scalar)),
        otherwise=tensor,
    )


def double_for_float(scalar: Term, out: Term) -> Term:
    """A scalar that is DOUBLE where the result is FLOAT: no reason to compute in DOUBLE."""
    return And(In(scalar, (DOUBLE,)), In(out, (FLOAT,)))


def floating_or_float(dtype: Term) -> Term:
    """The dtype where it has fractions, else FLOAT."""
    return If(Or(is_floating(dtype), is_complex(dtype)), dtype, const(FLOAT))


def add_scalar(tensor: Term, scalar: Term, out: Term) -> Term:
    """AclnnAdds and aclnnSubs but on the Ascend 950."""
    return first_match(
        (Or(is_complex(tensor), is_complex(scalar)), Promote(tensor, scalar)),
        (is_floating(tensor), tensor),
        (double_for_float(scalar, out), FLOAT),
        otherwise=kept_or_promoted(tensor, scalar),
    )


def subtract_from_scalar(tensor: Term, scalar: Term) -> Term:
    """AclnnRsubs but on the Ascend 950: complex scalars do not count."""
    return first_match(
        (is_floating(tensor), tensor),
        (is_floating(scalar), Promote(tensor, scalar)),
        otherwise=tensor,
    )


def multiply_scalar(tensor: Term, scalar: Term, out: Term) -> Term:
    """AclnnMuls but on the Ascend 950: BF16 is computed in FLOAT."""
    double = In(scalar, (DOUBLE,))
    return first_match(
        (Or(is_complex(tensor), is_complex(scalar)), Promote(tensor, scalar)),
        (is_floating(tensor), replaced(tensor, FLOAT, BF16)),
        (And(double, Or(is_bool(tensor), In(out, (FLOAT,)))), FLOAT),
        otherwise=kept_or_promoted(tensor, scalar),
    )


def add_to_scalar(tensor: Term, scalar: Term, out: Term) -> Term:
    """aclnnAddV3: floating tensors are computed in FLOAT."""
    return first_match(
        (Or(is_complex(tensor), is_complex(scalar)), Promote(tensor, scalar)),
        (is_floating(tensor), FLOAT),
        (double_for_float(scalar, out), FLOAT),
        otherwise=kept_or_promoted(tensor, scalar),
    )

# SPDX-License-Identifier: Apache-2.0
"""The checks that functions of one tensor share: which dtypes, then shapes, then formats."""

from __future__ import annotations

from aclhost.ops.pointwise.unary import Checks, Deduction, Dtypes, nothing, own_or_float
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.products import A2, A3, A950, Product
from aclhost.spec.rules import (
    Rule,
    Step,
    cast_exists,
    castable_to,
    done_when_empty,
    dtype_in,
    in_tiling,
    inner,
    not_null,
    not_private,
    on_products,
    only_on,
    rank_at_most,
    same_dtype,
    same_format,
    same_format_unless_nd,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.terms import DtypeOf

NEW = (A950, A3, A2)  # the products that compute with BF16
BF16_ON_NEW = only_on(BF16, *NEW)

WHOLE = (INT8, INT16, INT32, INT64, UINT8, BOOL)
FLOATS = (FLOAT, FLOAT16, DOUBLE, BF16)
FLOATS_BY_PRODUCT = (FLOAT, FLOAT16, DOUBLE, BF16_ON_NEW)
COMPLEX = (COMPLEX64, COMPLEX128)
REAL_NUMBERS = (*FLOATS_BY_PRODUCT, *WHOLE)
NUMBERS = (*REAL_NUMBERS, *COMPLEX)

REAL_PART = "A complex input with a real result delivers the real part."
NULL_IS_561103 = "A null tensor is 561103, as in upstream's code; its document says 161001."


def limited_to(on: tuple[Product, ...], *which: DataType) -> Dtypes:
    """Dtypes that only these products allow."""
    return tuple(only_on(dtype, *on) for dtype in which)


def shape_then_rank(x: str, out: str) -> tuple[Step, ...]:
    """The result has the tensor's shape, of at most eight dimensions."""
    return (*same_shape(out, x), *rank_at_most(x, 8))


def rank_then_shape(x: str, out: str) -> tuple[Step, ...]:
    """The same in the other order."""
    return (*rank_at_most(x, 8), *same_shape(out, x))


def ranks_then_shape(x: str, out: str) -> tuple[Step, ...]:
    """The ranks of both are checked first."""
    return (*rank_at_most(x, 8), *rank_at_most(out, 8), *same_shape(out, x))


def equal_formats(x: str, out: str) -> tuple[Step, ...]:
    """Tensor and result carry the same format."""
    return same_format(out, x)


def equal_public_formats(x: str, out: str) -> tuple[Step, ...]:
    """The same, and none of the device's own."""
    return (*same_format(out, x), *not_private(x))


def public_formats(x: str, out: str) -> tuple[Step, ...]:
    """Neither carries a format of the device's own."""
    return not_private(x, out)


def public_formats_on_950(x: str, out: str) -> tuple[Step, ...]:
    """The same where only the Ascend 950 minds."""
    return when(on_products(A950), not_private(x, out))


def copied_format(x: str, out: str) -> tuple[Step, ...]:
    """The last step copies what carries the tensor's format."""
    return () if x == out else same_format_unless_nd(out, x)


def not_null_561103(*names: str) -> tuple[Rule, ...]:
    """Null pointers are noticed late."""
    return inner(not_null(*names))


def in_order(*groups: Checks) -> Checks:
    """One group after another."""
    return lambda x, out: tuple(step for group in groups for step in group(x, out))


def takes(*allowed: DataType | Limited) -> Checks:
    """The tensor's dtype is one of these."""
    return lambda x, out: dtype_in(x, *allowed)


def gives(*allowed: DataType | Limited) -> Checks:
    """The result's dtype is one of these."""
    return lambda x, out: dtype_in(out, *allowed)


def gives_same(x: str, out: str) -> tuple[Step, ...]:
    """The result has the tensor's dtype."""
    return same_dtype(out, x)


def gives_same_shape(x: str, out: str) -> tuple[Step, ...]:
    """The result has the tensor's shape, of any rank."""
    return same_shape(out, x)


def gives_castable(computed: Deduction = own_or_float) -> Checks:
    """What is computed converts to the result's dtype."""
    return lambda x, out: castable_to(
        out, source=computed(DtypeOf(x), DtypeOf(out)), words="the computed dtype"
    )


def delivers(computed: Deduction = own_or_float) -> Checks:
    """The permitted conversion exists."""
    return lambda x, out: cast_exists(out, computed(DtypeOf(x), DtypeOf(out)))


def listed(taken: Dtypes, given: Dtypes, formats: Checks = nothing) -> Checks:
    """Tensor and result each have a dtype of a list, whatever the other's is."""
    return in_order(takes(*taken), gives(*given), shape_then_rank, formats)


def castable(taken: Dtypes, computed: Deduction = own_or_float) -> Checks:
    """The result can have any dtype that what is computed converts to."""
    return in_order(takes(*taken), gives_castable(computed), shape_then_rank)


def same(taken: Dtypes, formats: Checks = nothing) -> Checks:
    """The result has the tensor's dtype, which is looked at after that."""
    return in_order(gives_same, takes(*taken), shape_then_rank, formats)


def generated(dtypes: Checks, on: tuple[Product, ...]) -> Checks:
    """Of functions that upstream generates: the Ascend 950 compares shapes in its tiling."""
    others = tuple(product for product in on if product is not A950)

    def checks(x: str, out: str) -> tuple[Step, ...]:
        return (
            *dtypes(x, out),
            *supported_on(*on),
            *done_when_empty(out),
            *when(on_products(*others), same_shape(out, x)),
            *when(on_products(A950), in_tiling(rank_at_most(x, 8), same_shape(out, x))),
        )

    return checks

# SPDX-License-Identifier: Apache-2.0
"""Rules about data types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from aclhost.spec import dtypes, products
from aclhost.spec.dtypes import DataType
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, Shown, listing
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    CanCast,
    CastExists,
    DtypeAllowed,
    DtypeOf,
    Equal,
    Not,
    Term,
    ValueOf,
    const,
    promoted,
)

Rules = tuple[Rule, ...]


@dataclass(frozen=True)
class Limited:
    """A dtype that only some products know."""

    dtype: DataType
    on: tuple[Product, ...]


def only_on(which: DataType, *on: Product) -> Limited:
    """A dtype that only these products allow."""
    return Limited(which, on)


def dtype_in(parameter: str, *allowed: DataType | Limited) -> Rules:
    """The dtype is one of these."""
    words = (
        f"{parameter} must have dtype",
        f"{parameter} can have no dtype",
        f"Cast {parameter} to",
    )
    return _one_of_dtypes(parameter, DtypeOf(parameter), words, allowed)


def dtype_value_in(parameter: str, *allowed: DataType | Limited) -> Rules:
    """A dtype that is passed as such is one of these."""
    words = (f"{parameter} must be", f"{parameter} can be no dtype", "Pass")
    return _one_of_dtypes(parameter, ValueOf(parameter), words, allowed)


def _one_of_dtypes(
    parameter: str,
    dtype: Term,
    words: tuple[str, str, str],
    allowed: tuple[DataType | Limited, ...],
) -> Rules:
    """`words` begin the sentence, that for a product without any, and the advice."""
    table = _table(allowed)
    different = len(set(table.lists)) > 1
    must, none, advice = words
    return (
        Rule(
            "dtype_in",
            parameter,
            DtypeAllowed(dtype, table.lists),
            f"{must} {table.words}",
            (Shown("dtype", dtype),),
            f"{advice} one of these, or select another product (ACLHOST_SOC)."
            if different
            else f"{advice} one of these.",
            texts=tuple(
                f"{must} {each}" if each else f"{none}: the product is not supported"
                for each in table.listings
            )
            if different
            else (),
        ),
    )


class _Table(NamedTuple):
    """Allowed dtypes: for each product, the same in words, and the words for all products."""

    lists: tuple[tuple[DataType, ...], ...]
    listings: tuple[str, ...]
    words: str


@cache
def _table(allowed: tuple[DataType | Limited, ...]) -> _Table:
    """Kept, because hundreds of operators allow the same dtypes."""
    entries = [
        entry if isinstance(entry, Limited) else Limited(entry, products.ALL) for entry in allowed
    ]
    lists = tuple(
        tuple(entry.dtype for entry in entries if product in entry.on) for product in products.ALL
    )
    listings = tuple(listing(each) if each else "" for each in lists)
    return _Table(lists, listings, _words_for_all_products(entries))


def _words_for_all_products(entries: list[Limited]) -> str:
    wheres = {entry.on for entry in entries}
    if len(wheres) == 1:
        return listing(entry.dtype for entry in entries) + _where(wheres.pop())
    return listing(f"{entry.dtype}{_where(entry.on)}" for entry in entries)


def _where(on: tuple[Product, ...]) -> str:
    return "" if set(on) == set(products.ALL) else f" (only {listing(on, 'and')})"


def dtype_is(parameter: str, dtype: Term, words: str) -> Rules:
    """The dtype is what a term says, in words for the reader."""
    return (
        Rule(
            "dtype_is",
            parameter,
            Equal(DtypeOf(parameter), dtype),
            f"{parameter} must have {words}",
            (Shown("dtype", DtypeOf(parameter)), " instead of ", Shown("dtype", dtype)),
            f"Create {parameter} with that dtype.",
        ),
    )


def same_dtype(parameter: str, other: str) -> Rules:
    """Both tensors have the same dtype."""
    return (
        Rule(
            "same_dtype",
            parameter,
            Equal(DtypeOf(parameter), DtypeOf(other)),
            f"{parameter} must have the same dtype as {other}",
            (Shown("dtype", DtypeOf(parameter)), " and ", Shown("dtype", DtypeOf(other))),
            f"Cast {parameter} to the dtype of {other}.",
        ),
    )


def has_common_dtype(parameter: str, *others: str) -> Rules:
    """The dtypes of all have one in common."""
    names = (*others, parameter)
    parts: list[str | Shown] = []
    for name in names:
        parts += [" and " if parts else "", Shown("dtype", DtypeOf(name))]
    return (
        Rule(
            "common_dtype",
            parameter,
            Not(Equal(promoted(*names), const(dtypes.UNDEFINED))),
            f"{parameter} must have a dtype that has one in common with {listing(others, 'and')}",
            tuple(part for part in parts if part),
            f"Cast {parameter} or {listing(others)}; unsigned types above 8 bits mix with no "
            "other real type.",
        ),
    )


def _source_words(sources: tuple[str, ...]) -> str:
    if len(sources) == 1:
        return f"{sources[0]}'s dtype"
    return f"the common dtype of {listing(sources, 'and')}"


def castable_to(
    parameter: str, *sources: str, source: Term | None = None, words: str = ""
) -> Rules:
    """The sources' common dtype, or another term, converts to this output's."""
    term = source or promoted(*sources)
    return (
        Rule(
            "castable",
            parameter,
            CanCast(term, DtypeOf(parameter)),
            f"{parameter} must have a dtype that {words or _source_words(sources)} converts to",
            (Shown("dtype", DtypeOf(parameter)), " from ", Shown("dtype", term)),
            "Floating values convert neither to integers nor to BOOL, complex ones only to "
            f"complex ones, and nothing but BOOL to BOOL: give {parameter} another dtype.",
        ),
    )


def castable_scalars(target: DataType, *scalars: str) -> Rules:
    """Each scalar converts to the type the operator computes with."""
    return tuple(
        Rule(
            "castable_scalar",
            name,
            CanCast(DtypeOf(name), const(target)),
            f"{name} must have a dtype that converts to {target}",
            (Shown("dtype", DtypeOf(name)),),
            f"Create {name} from a real number, not a complex one.",
        )
        for name in scalars
    )


def cast_exists(parameter: str, source: Term) -> Rules:
    """The permitted conversion really exists (561103 if not)."""
    targets = listing(dtypes.CAST_TARGETS)
    return (
        Rule(
            "cast_implemented",
            parameter,
            CastExists(source, DtypeOf(parameter)),
            f"{parameter} must have a dtype that can be delivered: {targets}, and COMPLEX32 only "
            f"from FLOAT16 on {products.A950}",
            (Shown("dtype", DtypeOf(parameter)),),
            f"Give {parameter} one of these dtypes.",
            Status.INNER_NULLPTR,
        ),
    )


def final_cast(parameter: str, *sources: str) -> Rules:
    """The same from the sources' common dtype."""
    return cast_exists(parameter, promoted(*sources))

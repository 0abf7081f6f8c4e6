# SPDX-License-Identifier: Apache-2.0
"""Rules about data types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.spec import dtypes, products
from aclhost.spec.call import ScalarArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class Limited:
    """A dtype that only some products know."""

    dtype: DataType
    on: tuple[Product, ...]


def _where(on: tuple[Product, ...]) -> str:
    return "" if on == products.ALL else f" (only {listing(on, 'and')})"


@dataclass(frozen=True)
class DtypeIn(Rule):
    """The dtype is one of a list that may depend on the product."""

    allowed: tuple[Limited, ...]

    def dtypes(self, product: Product | None = None) -> tuple[DataType, ...]:
        """The list for one product; without one, every dtype that some product allows."""
        return tuple(
            entry.dtype for entry in self.allowed if product is None or product in entry.on
        )

    def violated(self) -> str:
        everywhere = [entry.dtype.c_name for entry in self.allowed if entry.on == products.ALL]
        terms = []
        if everywhere:
            terms.append(f"one_of(a.{self.parameter}.dtype, {{{', '.join(everywhere)}}})")
        for entry in self.allowed:
            if entry.on != products.ALL:
                where = ", ".join(f"Product::k{product.key}" for product in entry.on)
                terms.append(
                    f"(a.{self.parameter}.dtype == {entry.dtype.c_name} && "
                    f"one_of(soc.product, {{{where}}}))"
                )
        return f"!({' || '.join(terms)})"

    def got(self) -> str:
        return f"data_type_name(a.{self.parameter}.dtype)"

    def sentence(self, product: Product | None = None) -> str:
        allowed = self.dtypes(product)
        if not allowed:
            return f"{self.parameter} can have no dtype: the product is not supported"
        words = listing(allowed) if product else self._words_for_all_products()
        return f"{self.parameter} must have dtype {words}"

    def _words_for_all_products(self) -> str:
        wheres = {entry.on for entry in self.allowed}
        if len(wheres) == 1:
            return listing(self.dtypes()) + _where(wheres.pop())
        return listing(f"{entry.dtype}{_where(entry.on)}" for entry in self.allowed)

    def advice(self) -> str:
        return f"Cast {self.parameter} to one of these, or select another product (ACLHOST_SOC)."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        names = op.tied_before(self, SameDtype)
        candidates = (dtypes.INT32, dtypes.BF16, dtypes.BOOL)
        never = next(dtype for dtype in candidates if dtype not in self.dtypes())
        yield call.retyped(never, *names)
        for entry in self.allowed:
            for product in op.products_before(self):
                if product not in entry.on:
                    yield call.on(product).retyped(entry.dtype, *names)


@dataclass(frozen=True)
class SameDtype(Rule):
    """Two tensors share a dtype."""

    other: str

    def violated(self) -> str:
        return f"a.{self.parameter}.dtype != a.{self.other}.dtype"

    def got(self) -> str:
        return (
            f'std::string(data_type_name(a.{self.parameter}.dtype)) + " and " + '
            f"data_type_name(a.{self.other}.dtype)"
        )

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the same dtype as {self.other}"

    def advice(self) -> str:
        return f"Cast {self.parameter} to the dtype of {self.other}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        present = call.tensor(self.other).dtype
        other = dtypes.FLOAT16 if present is not dtypes.FLOAT16 else dtypes.FLOAT
        yield call.retyped(other, self.parameter)


@dataclass(frozen=True)
class CastRule(Rule):
    """A rule about the way from the dtype that is computed in to the output's."""

    sources: tuple[str, ...]  # tensors; the operator computes in what they promote to

    @property
    def source_cpp(self) -> str:
        if len(self.sources) == 1:
            return f"a.{self.sources[0]}.dtype"
        return f"promote_floating({', '.join(f'a.{name}.dtype' for name in self.sources)})"

    @property
    def source_words(self) -> str:
        if len(self.sources) == 1:
            return f"{self.sources[0]}'s dtype"
        return f"the common dtype of {listing(self.sources, 'and')}"


@dataclass(frozen=True)
class Castable(CastRule):
    """What is computed converts to the output's dtype."""

    def violated(self) -> str:
        return f"!can_cast({self.source_cpp}, a.{self.parameter}.dtype)"

    def got(self) -> str:
        return (
            f'std::string(data_type_name(a.{self.parameter}.dtype)) + " from " + '
            f"data_type_name({self.source_cpp})"
        )

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have a dtype that {self.source_words} converts to"

    def advice(self) -> str:
        return (
            f"Give {self.parameter} a floating or complex dtype; "
            "floating values convert neither to integers nor to BOOL."
        )

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for dtype in (dtypes.INT32, dtypes.UINT8, dtypes.BOOL):
            yield call.retyped(dtype, self.parameter)


@dataclass(frozen=True)
class CastableScalar(Rule):
    """A scalar converts to the type the operator computes with."""

    target: DataType

    def violated(self) -> str:
        return f"!can_cast(a.{self.parameter}.dtype, {self.target.c_name})"

    def got(self) -> str:
        return f"data_type_name(a.{self.parameter}.dtype)"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have a dtype that converts to {self.target}"

    def advice(self) -> str:
        return f"Create {self.parameter} from a real number, not a complex one."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for dtype in (dtypes.COMPLEX64, dtypes.COMPLEX128):
            yield call.passing(**{self.parameter: ScalarArg(1 + 2j, dtype)})


@dataclass(frozen=True)
class CastImplemented(CastRule):
    """The final cast exists: the conversion is permitted, yet not every target has a kernel."""

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        return f"!cast_implemented({self.source_cpp}, a.{self.parameter}.dtype, soc.product)"

    def got(self) -> str:
        return f"data_type_name(a.{self.parameter}.dtype)"

    def sentence(self, product: Product | None = None) -> str:
        targets = ["FLOAT", "FLOAT16", "BF16", "DOUBLE", "COMPLEX64", "COMPLEX128"]
        if product is None:
            targets.append(f"COMPLEX32 (only from FLOAT16 on {products.A950})")
        elif product is products.A950:
            targets.append("COMPLEX32 (only from FLOAT16)")
        return f"{self.parameter} must have a dtype that can be delivered: {listing(targets)}"

    def advice(self) -> str:
        return f"Give {self.parameter} one of these dtypes."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for dtype in (dtypes.COMPLEX32, dtypes.STRING, dtypes.UNDEFINED, dtypes.FLOAT8_E5M2):
            yield call.retyped(dtype, self.parameter)

# SPDX-License-Identifier: Apache-2.0
"""Rules about what must be there: pointers and products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.spec import products
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class NotNull(Rule):
    """The pointer is not null."""

    code = Status.PARAM_NULLPTR

    def violated(self) -> str:
        return f"!a.{self.parameter}.present"

    def got(self) -> str:
        return '"a null pointer"'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must not be null"

    def advice(self) -> str:
        return f"Create {self.parameter} before the call and check that its creation succeeded."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.passing(**{self.parameter: None})


@dataclass(frozen=True)
class SupportedProduct(Rule):
    """The operator's document lists the product as supported. Has no parameter of its own."""

    on: tuple[Product, ...]

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        where = ", ".join(f"Product::k{product.key}" for product in self.on)
        return f"!one_of(soc.product, {{{where}}})"

    def got(self) -> str:
        return "std::string(soc.title)"

    def sentence(self, product: Product | None = None) -> str:
        return f"the product must be {listing(self.on)}"

    def advice(self) -> str:
        return "Select a supported product, for example with ACLHOST_SOC."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for product in products.ALL:
            if product not in self.on:
                yield call.on(product)


@dataclass(frozen=True)
class RefusedProduct(SupportedProduct):
    """The same as an ordinary parameter error, before anything else is looked at."""

    code = Status.PARAM_INVALID

    @property
    def id(self) -> str:
        return "supported_product"

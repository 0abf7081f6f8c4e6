# SPDX-License-Identifier: Apache-2.0
"""Rules about what must be there: pointers and products."""

from __future__ import annotations

from aclhost.spec import products
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, Shown, listing
from aclhost.spec.status import Status
from aclhost.spec.terms import Present, ProductIn


def not_null(*parameters: str) -> tuple[Rule, ...]:
    """None of the pointers is null."""
    return tuple(
        Rule(
            "not_null",
            name,
            Present(name),
            f"{name} must not be null",
            ("a null pointer",),
            f"Create {name} before the call and check that its creation succeeded.",
            Status.PARAM_NULLPTR,
        )
        for name in parameters
    )


def refused_unless_on(*on: Product) -> tuple[Rule, ...]:
    """The product is one of these (161002 if not)."""
    return (
        Rule(
            "supported_product",
            "",
            ProductIn(on),
            f"the product must be {listing(on)}",
            (Shown("product", ""),),
            "Select a supported product, for example with ACLHOST_SOC.",
        ),
    )


def supported_on(*on: Product) -> tuple[Rule, ...]:
    """The operator's document lists the product as supported (561103 if not)."""
    if set(on) == set(products.ALL):
        return ()
    return tuple(rule.with_code(Status.INNER_NULLPTR) for rule in refused_unless_on(*on))

# SPDX-License-Identifier: Apache-2.0
"""The products whose behaviour can be selected, and the SoC names that select them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Product:
    """One row of the product tables in the operators' documents."""

    key: str
    title: str
    soc_prefix: str  # a SoC name belongs to the product with the longest matching prefix
    default_soc: str

    def __str__(self) -> str:
        return self.title


A950 = Product("A950", "Ascend 950", "Ascend950", "Ascend950PR_9599")
A3 = Product("A3", "Atlas A3", "Ascend910_93", "Ascend910_9391")
A2 = Product("A2", "Atlas A2", "Ascend910B", "Ascend910B1")
P310B = Product("P310B", "Atlas 200I/500 A2 inference", "Ascend310B", "Ascend310B1")
P310P = Product("P310P", "Atlas inference series", "Ascend310P", "Ascend310P3")
T910 = Product("T910", "Atlas training series", "Ascend910", "Ascend910A")

ALL = (A950, A3, A2, P310B, P310P, T910)
DEFAULT = A2
BY_KEY = {product.key: product for product in ALL}
KEYS = ", ".join(f"{product.key}: {product.title}" for product in ALL)  # under tables


def full_soc(name: str) -> str:
    """The SoC that a product (A2) or a SoC without its Ascend (910B, 310P3) stands for.

    Any other name is itself. native/base/soc.cc says the same.
    """
    prefixed = f"Ascend{name}"
    for product in ALL:
        if name.lower() == product.key.lower() or prefixed == product.soc_prefix:
            return product.default_soc
    known = name and any(prefixed.startswith(product.soc_prefix) for product in ALL)
    return prefixed if known else name


def of_soc(name: str) -> Product:
    """The product a SoC name belongs to.

    Raises:
        ValueError: no product has such a SoC; the message lists examples.

    """
    full = full_soc(name)
    matches = [product for product in ALL if full.startswith(product.soc_prefix)]
    if not matches:
        known = ", ".join(product.default_soc for product in ALL)
        raise ValueError(f"unknown SoC {name!r}; known are names like {known}")
    return max(matches, key=lambda product: len(product.soc_prefix))

# SPDX-License-Identifier: Apache-2.0
"""What the shell offers for operators, products and codes."""

from __future__ import annotations

import click

from aclhost.cli import listing
from aclhost.spec import error_codes, products


def operators(context: click.Context, param: click.Parameter, text: str) -> list[str]:
    """C names for what looks like one, Python names otherwise."""
    return [name for name in listing.names() if name.startswith(text)]


def codes_and_operators(context: click.Context, param: click.Parameter, text: str) -> list[str]:
    """Status codes by number and name, then operators."""
    codes = [name for code in error_codes.ALL for name in (str(code.value), code.name)]
    # Hundreds of codes help nobody who typed nothing yet.
    found = [code for code in codes if text and code.startswith(text)]
    return [*dict.fromkeys(found), *operators(context, param, text)]


def socs(context: click.Context, param: click.Parameter, text: str) -> list[str]:
    """Products by key, SoCs by their usual names."""
    known = [name for product in products.ALL for name in (product.key, product.default_soc)]
    return [name for name in known if name.startswith(text)]


def call_arguments(context: click.Context, param: click.Parameter, text: str) -> list[str]:
    """`name=` for each parameter of the operator that was typed before."""
    known = listing.parameters(str(context.params.get("what")))
    return [f"{name}=" for name in known if name.startswith(text)]

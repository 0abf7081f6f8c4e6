# SPDX-License-Identifier: Apache-2.0
"""Two lists, pair by pair."""

from __future__ import annotations

from typing import Any

from aclhost.ops.foreach.build import FLOATS, Row, declare
from aclhost.ops.foreach.checks import Dtypes
from aclhost.ops.foreach.numbers import (
    ALL,
    NARROW_BEFORE_950,
    WITH_INT32,
    Numbers,
    in_tensor,
    stated,
    torch_foreach,
)
from aclhost.spec.operator import Operator

_SIGNS = {"Add": "+", "Sub": "-"}
_WORDS = {"Add": "Adds multiples of", "Sub": "Subtracts multiples of"}


def _alpha(
    name: str,
    base: str,
    alpha: str,
    dtypes: Dtypes,
    numbers: Numbers,
    **more: Any,  # noqa: ANN401
) -> Operator:
    """With a factor for the second list."""
    out = "x1[i]" if "Inplace" in name else "out[i]"
    return declare(Row(
        name, f"{_WORDS[base]} the second list's tensors.",
        f"{out} = x1[i] {_SIGNS[base]} {alpha} * x2[i]", base,
        ("x1[i]", "x2[i]", alpha, out), torch_foreach(base.lower()), dtypes,
        numbers=numbers, summed=True, **more,
    ))  # fmt: skip


def _pair(
    name: str,
    base: str,
    formula: str,
    dtypes: Dtypes = WITH_INT32,
    **more: Any,  # noqa: ANN401
) -> Operator:
    """Without any."""
    out = "x1[i]" if "Inplace" in name else "out[i]"
    summary = {
        "Mul": "Multiplies", "Div": "Divides", "Maximum": "The greater of",
        "Minimum": "The lesser of", "PowTensorTensor": "Raises to powers",
    }[base]  # fmt: skip
    torch = torch_foreach(base.removesuffix("TensorTensor").lower())
    return declare(Row(
        name, f"{summary} two lists' tensors, element by element.", f"{out} = {formula}", base,
        ("x1[i]", "x2[i]", out), torch, dtypes, **more,
    ))  # fmt: skip


OPS = (
    _alpha("AddList", "Add", "alpha[0]", WITH_INT32, stated(WITH_INT32), stated=True),
    _alpha("AddListV2", "Add", "alpha", ALL, stated(ALL), stated=True, inner=NARROW_BEFORE_950),
    _alpha("AddListInplace", "Add", "alpha[0]", WITH_INT32, in_tensor(WITH_INT32)),
    _alpha("SubList", "Sub", "alpha[0]", NARROW_BEFORE_950, in_tensor(NARROW_BEFORE_950)),
    _alpha("SubListV2", "Sub", "alpha", ALL, stated(ALL), stated=True, inner=NARROW_BEFORE_950),
    _alpha("SubListInplace", "Sub", "alpha[0]", WITH_INT32, in_tensor(WITH_INT32)),
    _pair("MulList", "Mul", "x1[i] * x2[i]", ALL, stated=True),
    _pair("MulListInplace", "Mul", "x1[i] * x2[i]"),
    _pair("DivList", "Div", "x1[i] / x2[i]", FLOATS, stated=True),
    _pair("DivListInplace", "Div", "x1[i] / x2[i]", FLOATS),
    _pair("MaximumList", "Maximum", "max(x1[i], x2[i])"),
    _pair("MinimumList", "Minimum", "min(x1[i], x2[i])"),
    _pair("PowList", "PowTensorTensor", "pow(x1[i], x2[i])", whole_span=(0, 5)),
)  # fmt: skip

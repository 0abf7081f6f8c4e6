# SPDX-License-Identifier: Apache-2.0
"""Zeros, norms and rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aclhost.ops.foreach.build import FLOATS, Row, declare
from aclhost.ops.foreach.checks import Dtypes
from aclhost.ops.foreach.numbers import torch_foreach
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import only_on
from aclhost.spec.shapes import Rank0

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_INT16 = only_on(INT16, A3, A2)
_ROUNDED: Dtypes = (*FLOATS, _INT16)
_MODES = (
    "Modes: 1 to the nearest whole number, a half to even; 2 down; 3 up; 4 to the nearest, a half "
    "away from zero; 5 towards zero; 6 to the odd one of the two whole numbers around; 7 what is "
    "behind the decimal point; others change nothing.",
    "Upstream's kernel for the Ascend 950 takes mode 1 for all of them; here they are the same on "
    "every product.",
)


def _rounded(x: Sequence[Array], round_mode: Any) -> list[Array]:  # noqa: ANN401
    """By its mode."""
    import numpy as np

    def odd(values: Array) -> Array:
        below = np.floor(values)
        return np.where(below == values, values, np.where(below % 2 == 0, below + 1, below))

    functions: dict[int, Any] = {
        1: np.round, 2: np.floor, 3: np.ceil, 5: np.trunc, 6: odd,
        4: lambda values: np.copysign(np.floor(np.abs(values) + 0.5), values),
        7: lambda values: values - np.trunc(values),
    }  # fmt: skip
    function = functions.get(int(np.ravel(round_mode)[0]), np.array)
    return [np.asarray(function(values)) for values in x]


def _torch_rounded(torch: Any, x: Any, round_mode: Any) -> Any:  # noqa: ANN401
    mode = int(round_mode)
    names = {1: "round", 2: "floor", 3: "ceil", 5: "trunc", 7: "frac"}
    if mode not in names or not x[0].is_floating_point():
        return NotImplemented
    return [getattr(torch, names[mode])(each) for each in x]


def _round_off(name: str, mode: str, numbers: Dtypes, **more: Any) -> Operator:  # noqa: ANN401
    return declare(Row(
        name, "Rounds every element to a whole number in one of several ways.",
        f"out[i] = round(x[i], {mode})", "Round", ("x[i]", "out[i]"), _torch_rounded,
        numbers=dict.fromkeys((FLOAT, FLOAT16, BF16, INT16, INT32), numbers),
        number_span=(0.0, 9.0), golden=_rounded, written=True, notes=_MODES, **more,
    ))  # fmt: skip


OPS = (
    declare(Row(
        "ZeroInplace", "Sets every element to 0.", "x[i] = 0", "InplaceZero", ("x[i]",),
        lambda torch, x: [torch.zeros_like(each) for each in x],
        (FLOAT, FLOAT16, BF16, INT16, INT32),
    )),
    declare(Row(
        "Norm", "The norm of every tensor.",
        "out[i] = (sum |x[i]| ** scalar) ** (1 / scalar)", "Norm",
        ("x[i]", "scalar", None, 0, "out[i]"), torch_foreach("norm"),
        numbers=dict.fromkeys((FLOAT, FLOAT16, BF16), (FLOAT, DOUBLE, INT64)),
        number_span=(1.0, 4.0), result_shape=Rank0(), ulps=4,
        notes=("Upstream's kernels know the orders 1 and 2, and infinity on the Ascend 950; of "
               "others they give that of order 2, aclhost the norm that the document defines.",),
    )),
    _round_off("RoundOffNumber", "roundMode[0]", (INT8,), dtypes=_ROUNDED),
    _round_off("RoundOffNumberV2", "roundMode", (INT8, INT64), stated=True, inner=_ROUNDED,
               dtypes=(*FLOATS, INT32, _INT16)),
)  # fmt: skip

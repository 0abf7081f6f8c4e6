# SPDX-License-Identifier: Apache-2.0
"""Three operands: products and quotients that are added, and what lies between two lists."""

from __future__ import annotations

from typing import Any

from aclhost.ops.foreach.build import FLOATS, Row, declare
from aclhost.ops.foreach.numbers import (
    WITH_INT32,
    Numbers,
    in_tensor,
    like_tensors,
    stated,
    torch_foreach,
)
from aclhost.spec.dtypes import DOUBLE, FLOAT
from aclhost.spec.operator import Operator

_SIGNS = {"Addcdiv": ("/", "quotients"), "Addcmul": ("*", "products")}


def _added(kind: str, form: str, number: str, numbers: Numbers, **more: Any) -> Operator:  # noqa: ANN401
    sign, words = _SIGNS[kind]
    return declare(Row(
        f"{kind}{form}", f"Adds multiples of the {words} of two lists' tensors to a third's.",
        f"out[i] = x1[i] + {number} * x2[i] {sign} x3[i]", kind,
        ("x1[i]", "x2[i]", "x3[i]", number, "out[i]"), torch_foreach(kind.lower()),
        FLOATS if kind == "Addcdiv" else WITH_INT32, numbers, summed=True, **more,
    ))  # fmt: skip


def _between(name: str, base: str, weight: str, numbers: Numbers) -> Operator:
    return declare(Row(
        name, "Goes part of the way from one list's tensors to another's.",
        f"out[i] = x1[i] + {weight} * (x2[i] - x1[i])", base,
        ("x1[i]", "x2[i]", weight, "out[i]"), torch_foreach("lerp"), FLOATS, numbers,
        stated=True, summed=True, ulps=4,
    ))  # fmt: skip


_V2_ON_950 = stated(WITH_INT32, float_on_950=True)
_TENSOR_ON_950 = in_tensor(WITH_INT32, float_on_950=True)
_WEIGHT: Numbers = dict.fromkeys(like_tensors(FLOATS), (FLOAT, DOUBLE))

OPS = (
    _added("Addcdiv", "List", "scalars[i]", like_tensors(FLOATS)),
    _added("Addcdiv", "Scalar", "scalar[0]", stated(FLOATS), stated=True),
    _added("Addcdiv", "ScalarList", "scalars[i]", like_tensors(FLOATS), stated=True),
    _added("Addcdiv", "ScalarV2", "scalar", stated(FLOATS), stated=True),
    _added("Addcmul", "List", "scalars[i]", like_tensors(WITH_INT32)),
    _added("Addcmul", "Scalar", "scalar[0]", _TENSOR_ON_950),
    _added("Addcmul", "ScalarList", "scalars[i]", like_tensors(WITH_INT32)),
    _added("Addcmul", "ScalarV2", "scalar", _V2_ON_950, stated=True),
    _between("LerpList", "Lerp", "weight[i]", {}),
    _between("LerpScalar", "Lerps", "weight", _WEIGHT),
)

# SPDX-License-Identifier: Apache-2.0
"""Operators on lists by the definition of the operator that each member goes through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from aclhost import ops
from aclhost.arrays import NDArray
from aclhost.goldens.convert import convert
from aclhost.goldens.traced import call_of, pointwise
from aclhost.spec import dtypes
from aclhost.spec.call import Call
from aclhost.spec.each import Each, From
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar, TensorOut
from aclhost.spec.python_names import snake_case

Compute = Callable[[Operator, Call, Mapping[str, Any]], tuple[NDArray, ...]]


def by_members(
    each: Each, arguments: Mapping[str, Any], compute: Compute = pointwise
) -> list[NDArray]:
    """Each member's result; arguments by Python names, reals in float64.

    `compute` says what of a point-wise operator: its values, or the magnitudes of their terms.
    """
    base = ops.BY_NAME[each.base]
    members = arguments[snake_case(each.walks_over[0])]
    return [
        _result(base, _named(base, each, arguments, position), compute)
        for position in range(len(members))
    ]


def _named(
    base: Operator, each: Each, arguments: Mapping[str, Any], position: int
) -> dict[str, Any]:
    """The arguments of one member by the names of the other operator."""
    whole = arguments[snake_case(each.walks_over[0])][position].dtype.kind in "iu"
    named: dict[str, Any] = {}
    for param, (come, name, number) in zip(base.params, each.read(), strict=True):
        value: Any = number if come is From.NUMBER else arguments.get(snake_case(name))
        if isinstance(param, TensorOut):
            continue
        if come in (From.MEMBER, From.FIRST):
            value = _item(value, position if come is From.MEMBER else 0, param)
        if isinstance(param, Scalar):
            value = int(value) if whole else float(value)
        named[param.name] = value
    return named


def _item(values: Any, place: int, param: Parameter) -> Any:  # noqa: ANN401
    """A list's member, or an element of a tensor."""
    if isinstance(param, Scalar):
        return np.ravel(values)[place]
    return np.asarray(values[place])


def _result(base: Operator, named: dict[str, Any], compute: Compute) -> NDArray:
    if base.kernel is None:
        assert base.golden is not None
        values = {p.python_name: named[p.name] for p in base.params if p.name in named}
        return np.asarray(base.golden(**values))
    (result,) = compute(base, call_of(base, named), named)
    first = next(value for value in named.values() if isinstance(value, np.ndarray))
    if first.dtype.kind in "iu":
        return convert(result, dtypes.BY_NUMPY[first.dtype.name])
    return result

# SPDX-License-Identifier: Apache-2.0
"""Expressions computed with NumPy: the golden of point-wise operators.

Reals are float64 and complex numbers complex128; integers wrap in their own type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import DTypeLike

from aclhost.spec import numpy_functions
from aclhost.spec.expression import (
    Call,
    Constant,
    Convert,
    Domain,
    Element,
    Expression,
    Input,
    Kind,
    Number,
    walk,
)
from aclhost.spec.golden import Array

_WIDEST = {Domain.BOOL: np.bool_, Domain.REAL: np.float64, Domain.COMPLEX: np.complex128}


def evaluate(
    results: Iterable[Expression], values: Mapping[str, Element], integers: DTypeLike = np.int64
) -> tuple[Array, ...]:
    """The results for elements and numbers by name; `integers` is the type that those have."""
    results = tuple(results)
    found: dict[Expression, Array] = {}
    with np.errstate(all="ignore"):
        for node in walk(results):
            found[node] = _value(node, found, values, np.dtype(integers))
    return tuple(found[result] for result in results)


def _value(
    node: Expression,
    found: Mapping[Expression, Array],
    values: Mapping[str, Element],
    integers: DTypeLike,
) -> Array:
    if isinstance(node, Input | Number):
        return _converted(values[node.name], node.kind, integers)
    if isinstance(node, Constant):
        return _converted(node.value, node.kind, integers)
    if isinstance(node, Convert):
        return _converted(found[node.value], node.kind, integers)
    assert isinstance(node, Call)
    arguments = (found[argument] for argument in node.arguments)
    result = numpy_functions.call(node.operation.numpy, *arguments)
    return result.astype(_dtype(node.kind, integers), copy=False)


def _dtype(kind: Kind, integers: DTypeLike) -> DTypeLike:
    if kind.domain in _WIDEST:
        return _WIDEST[kind.domain]
    return integers if kind.dtype is None else np.dtype(kind.dtype.numpy)


def _converted(value: Element, kind: Kind, integers: DTypeLike) -> Array:
    if kind.domain is Domain.BOOL:
        return np.asarray(np.not_equal(value, 0))
    dtype = _dtype(kind, integers)
    if kind.domain in (Domain.INTEGER, Domain.UNSIGNED):
        if isinstance(value, int):  # of any size
            value = np.array(value % 2**64, np.uint64)
        return numpy_functions.to_integer(np.asarray(value), dtype)
    array = np.asarray(np.real(value) if kind.domain is Domain.REAL else value)
    return array.astype(dtype, copy=False)

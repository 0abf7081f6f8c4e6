# SPDX-License-Identifier: Apache-2.0
"""What families of operators share: samples that follow from the checks, and in-place twins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product as combinations
from types import MappingProxyType
from typing import overload

from aclhost.spec import dtypes, products
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    TENSORS,
    Choice,
    Dtype,
    Flag,
    Float,
    Int,
    IntArray,
    Parameter,
    Scalar,
    TensorListOut,
    TensorOut,
    Text,
)

SHAPE = (2, 3)
_SCALARS = (dtypes.FLOAT, dtypes.INT64, dtypes.DOUBLE, dtypes.BOOL)


class LateSamples(Sequence[Call]):
    """Samples that are worked out when somebody wants them: importing operators stays quick."""

    def __init__(self, work_out: Callable[[], tuple[Call, ...]]) -> None:
        self._work_out = work_out

    @cached_property
    def _calls(self) -> tuple[Call, ...]:
        return self._work_out()

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | Sequence[Call]:
        return self._calls[index]


def derived_samples(
    op: Operator,
    shapes: Sequence[tuple[int, ...]] = (),
    own_shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> tuple[Call, ...]:
    """Calls that pass the checks: one for each dtype of the first tensor.

    Each is for the first product that allows it. Where shapes are given, another call has them;
    tensors with shapes of their own have those instead of SHAPE.
    """
    found = (_first_accepted(op, dtype, own_shapes) for dtype in dtypes.ALL)
    calls = [call for call in found if call is not None]
    if shapes and calls:
        names = [param.name for param in op.tensors if not isinstance(param, TensorOut)]
        call = calls[0]
        for name, shape in zip(names, shapes, strict=False):
            call = call.reshaped(shape, name)
        calls.append(with_results(op, call))
    return tuple(calls)


def _first_accepted(
    op: Operator, dtype: DataType, shapes: Mapping[str, tuple[int, ...]]
) -> Call | None:
    on = sorted(products.ALL, key=lambda each: each is not products.DEFAULT)
    scalars = _SCALARS if any(isinstance(param, Scalar) for param in op.params) else _SCALARS[:1]
    candidates = {scalar: tuple(_candidates(op, dtype, scalar, shapes)) for scalar in scalars}
    for product, scalar in combinations(on, scalars):
        for candidate in candidates[scalar]:
            call = candidate.on(product)
            outcome = evaluate(op, call)
            if outcome.rule is None and not outcome.idle:
                return call
    return None


def _candidates(
    op: Operator, dtype: DataType, scalar: DataType, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[Call]:
    """All tensors of the dtype, results as they follow; then results of other dtypes."""
    base = Call({param.name: _argument(param, dtype, scalar) for param in op.params})
    for name, shape in shapes.items():
        base = base.reshaped(shape, name)
    call = with_results(op, base)
    yield call
    results = [param.name for param in op.outputs]
    for other in (dtypes.FLOAT, dtypes.BOOL, dtypes.INT64, dtypes.COMPLEX64, dtype):
        if results:
            yield call.retyped(other, *results)


def with_results(op: Operator, call: Call) -> Call:
    """The call with results of the shape and dtype that a new one would have."""
    for output in op.outputs:
        if not output.can_be_made:
            continue
        is_made = output.made_if is None or output.made_if.evaluate(call)
        made: Argument = _made(op, output, call) if is_made else None
        if isinstance(output, TensorListOut) and output.count is not None:
            places = range(output.count.evaluate(call))
            made = tuple(_made(op, output, replace(call, position=place)) for place in places)
        call = call.passing(**{output.name: made})
    return call


def _made(op: Operator, output: TensorOut, call: Call) -> TensorArg:
    dtype = dtypes.BY_VALUE[output.dtype_term.evaluate(call)]
    shape = output.shape_term.evaluate(call)
    return TensorArg(shape, dtype, format=op.python_label(len(shape)))


def _argument(param: Parameter, dtype: DataType, scalar: DataType) -> Argument:
    if isinstance(param, TENSORS):
        return TensorArg(SHAPE, dtype)
    if isinstance(param, Scalar):
        return ScalarArg(1 if param.default is None else param.default, scalar)
    return _plain_argument(param)


def _plain_argument(param: Parameter) -> Argument:
    if isinstance(param, Choice):
        return param.words.index(param.default)
    if isinstance(param, Text):
        return param.default
    if isinstance(param, Flag | Int | Float):
        return param.default if param.default is not None else 1
    if isinstance(param, Dtype):
        return dtypes.FLOAT
    if isinstance(param, IntArray):
        default = param.default if param.default is not None else 1
        return (default,) * param.length if isinstance(default, int) else default
    return None

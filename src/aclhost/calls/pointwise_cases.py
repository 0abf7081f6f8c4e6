# SPDX-License-Identifier: Apache-2.0
"""Calls of point-wise operators in every layout, with what their functions give in float64."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import aclhost
from aclhost import goldens
from aclhost.arrays import NDArray, finfo, numpy_dtype
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut

COMPLEX_ULPS = 64  # of the modulus: parts cancel
LENGTH = 1031  # prime, and more than a block
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, np.inf, -np.inf, np.nan, 1e-40, 65504.0, -3.7)
_INTEGERS = (0, 1, -1, 2, 3, -3, 7, 100, -128, 127, 255, 2**31 - 1, -(2**31), 2**62, -(2**63))


def samples(op: Operator) -> list[Call]:
    """Those with dtypes that NumPy has; COMPLEX32 is for tests of its own."""

    def is_plain(call: Call) -> bool:
        tensors = [each for each in call.arguments.values() if isinstance(each, TensorArg)]
        return all(tensor.dtype.numpy for tensor in tensors)

    return [call for call in op.samples if is_plain(call)]


def resized(op: Operator, call: Call, shape: tuple[int, ...]) -> Call:
    """The call with inputs of the shape, and results as they follow.

    Among tensors with dimensions, one that has none is a number and stays.
    """
    tensors = [name for name, each in call.arguments.items() if isinstance(each, TensorArg)]
    tensors = [name for name in tensors if call.shape(name)] or tensors
    changed = call.reshaped(shape, *tensors)
    for output in op.outputs if op.kernel and op.kernel.reduction else ():
        changed = changed.reshaped(output.shape_term.evaluate(changed), output.name)
    return changed


def layouts(op: Operator, call: Call) -> Iterator[tuple[str, Call]]:
    """The call as it is, long, of rank 0, and with inputs whose elements lie elsewhere."""
    yield "small", call
    inputs = [p.name for p in op.tensors if p not in op.outputs and call.arguments[p.name]]
    outputs = [output.name for output in op.outputs]
    everything = (*inputs, *outputs)
    alike = inputs if op.kernel and op.kernel.reduction else everything
    if len({call.tensor(name).shape for name in alike}) > 1:
        moved = _strided(op, call, everything)
        yield from (each for each in moved if evaluate(op, each[1]).rule is None)
        return
    yield "long", resized(op, call, (LENGTH,))
    yield "rank 0", resized(op, call, ())
    grid = resized(op, call, (5, 7))
    same = (*inputs, *(name for name in outputs if grid.tensor(name).shape == (5, 7)))
    yield "columns", grid.changing(tuple(inputs), strides=(1, 5))
    yield "backwards", grid.changing((inputs[0],), strides=(-7, -1), offset=34)
    yield "spread", grid.changing(same, strides=(20, 2), offset=1)
    writes_first = isinstance(op.parameter(inputs[0]), TensorInOut)
    if not writes_first:
        yield "repeated", grid.changing((inputs[0],), strides=(0, 1))


def _strided(op: Operator, call: Call, names: tuple[str, ...]) -> Iterator[tuple[str, Call]]:
    """Every tensor in its own shape, with gaps; and the first one backwards."""
    spread = call
    for name in names:
        steps = tuple(3 * step for step in call.tensor(name).row_major)
        spread = spread.changing((name,), strides=steps, offset=1)
    yield "spread", spread
    first = call.tensor(names[0])
    steps, last = tuple(-step for step in first.row_major), math.prod(first.shape) - 1
    yield "backwards", call.changing((names[0],), strides=steps, offset=max(last, 0))


def values_for(op: Operator, tensor: TensorArg, rng: np.random.Generator) -> NDArray:
    """As random_values(); of a range and for sums without special ones: a NaN hides the rest."""
    dtype = numpy_dtype(tensor.dtype)
    reduces = op.kernel is not None and op.kernel.reduction is not None
    if dtype.kind in "biuc" or not (reduces or tensor.span):
        return random_values(tensor.shape, dtype, rng)
    if tensor.span:
        return rng.uniform(*tensor.span, tensor.shape).astype(dtype)
    return rng.normal(0, 2, tensor.shape).astype(dtype)


def random_values(
    shape: tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator
) -> NDArray:
    """Ordinary numbers and, in between, special ones."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = rng.integers(-9, 10, shape)
        held = [v for v in _INTEGERS if limits.min <= v <= limits.max]
        chosen = np.array(held, dtype=object)[rng.integers(0, len(held), shape)]
        mixed = np.where(rng.random(shape) < 0.3, chosen, np.clip(values, limits.min, None))
        return np.asarray(mixed).astype(dtype)
    special = np.array(_SPECIAL)[rng.integers(0, len(_SPECIAL), shape)]
    real = np.where(rng.random(shape) < 0.3, special, rng.normal(0, 2, shape))
    if dtype.kind == "c":
        return (rng.normal(0, 2, shape) + 1j * rng.normal(0, 2, shape)).astype(dtype)
    with np.errstate(all="ignore"):
        return real.astype(dtype)


def strided(tensor: TensorArg, values: NDArray | None) -> NDArray:
    """A view as described; overlapping elements hold the value that came last."""
    kind = numpy_dtype(tensor.dtype)
    memory = np.zeros(max(tensor.storage_elements, 1), kind)
    view = np.ndarray(
        tensor.shape, kind, memory, offset=tensor.offset * kind.itemsize,
        strides=[step * kind.itemsize for step in tensor.element_strides],
    )  # fmt: skip
    if values is not None:
        view[...] = values
    return view


Result = tuple[NDArray, NDArray, dtypes.DataType, NDArray]


def run(op: Operator, call: Call, rng: np.random.Generator) -> list[Result]:
    """(got, wanted, the dtype it was rounded to first, what was added up) of each result."""
    named: dict[str, Any] = {}
    for param in op.params:
        argument = call.arguments[param.name]
        if isinstance(argument, TensorArg):
            values = values_for(op, argument, rng)
            named[param.name] = strided(argument, None if param in op.outputs else values)
        else:
            named[param.name] = goldens.plain(argument)
    copies = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in named.items()}
    wanted = goldens.pointwise(op, call, copies)
    sizes = goldens.magnitudes(op, call, copies)
    with aclhost.soc(call.product.default_soc):
        arguments = {p.python_name: named[p.name] for p in op.python_params()}
        outputs = tuple(named[output.name] for output in op.outputs)
        if outputs:
            arguments["out"] = outputs if len(outputs) > 1 else outputs[0]
        results = getattr(aclhost, op.snake_name)(**arguments)
    got = results if isinstance(results, tuple) else (results,)
    return [
        (np.asarray(each), *delivered(op, call, position, exact), sizes[position])
        for position, (each, exact) in enumerate(zip(got, wanted, strict=True))
    ]


def allowed(op: Operator, rounded: dtypes.DataType) -> float:
    """How many ulps a result may be off."""
    if rounded.category is dtypes.Category.COMPLEX:
        return COMPLEX_ULPS
    return 1 if rounded in (dtypes.FLOAT16, dtypes.BF16) else op.ulps


def delivered(
    op: Operator, call: Call, position: int, exact: NDArray
) -> tuple[NDArray, dtypes.DataType]:
    """A result as the output has it, and the coarsest dtype it is rounded to on the way."""
    kernel = op.kernel
    assert kernel is not None
    computed = dtypes.BY_VALUE[kernel.computed.evaluate(call)]
    name = kernel.written[position]
    term = kernel.result_dtype(kernel.first_output(name))
    rounded = computed if term is None else dtypes.BY_VALUE[term.evaluate(call)]
    output = call.tensor(name)
    exact = fitted(exact, output.shape)
    result = goldens.convert(goldens.convert(exact, rounded), output.dtype)
    floating = {rounded.category, output.dtype.category} == {dtypes.Category.FLOATING}
    return result, output.dtype if floating and output.dtype.bits < rounded.bits else rounded


def fitted(values: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Broadcast; inputs of one element may have had more dimensions than the result."""
    surplus = max(values.ndim - len(shape), 0)
    return np.broadcast_to(values.reshape(values.shape[surplus:]), shape)


def distance(
    got: NDArray,
    wanted: NDArray,
    rounded: dtypes.DataType,
    terms: NDArray,
    least: float = 0.0,
) -> float:
    """The largest error in ulps of the dtype that was rounded to; 0 where all are equal.

    Ulps of results below `least` are those of that number, ulps of sums whose terms cancel those of
    the terms; where reals become integers, an ulp is at least 1.
    """
    whole = got.dtype.kind in "biu"
    same = (got == wanted) | ((got != got) & (wanted != wanted))  # noqa: PLR0124 (complex, too)
    if rounded.category in (dtypes.Category.INTEGER, dtypes.Category.BOOL):
        return 0.0 if bool(np.all(same)) else float("inf")
    kind = numpy_dtype(rounded)
    info = finfo(np.dtype(f"f{kind.itemsize // 2}") if kind.kind == "c" else kind)
    most = finfo(np.float32 if info.bits < 64 else np.float64).max
    terms = np.broadcast_to(terms, got.shape)
    left = ~same & (terms <= float(most))  # larger terms are infinite in the loop
    with np.errstate(all="ignore"):
        a, b = got[left].astype(np.complex128), wanted[left].astype(np.complex128)
        size = np.maximum(np.maximum(np.abs(b), terms[left]), max(least, float(info.tiny)))
        spacing = np.maximum(np.exp2(np.floor(np.log2(size)) - info.nmant), float(whole))
        off = np.nan_to_num(np.abs(a - b) / spacing, nan=np.inf)
    return float(np.max(off, initial=0.0))

# SPDX-License-Identifier: Apache-2.0
"""Each operator's declared samples, run here and compared with their goldens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import aclhost
from aclhost import goldens
from aclhost.arrays import NDArray, numpy_dtype
from aclhost.compare import Comparison, coarser, compare, standard_for
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.evaluate import evaluate
from aclhost.spec.family import with_results
from aclhost.spec.formats import ND
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut


@dataclass(frozen=True)
class Outcome:
    """How the samples of one operator went."""

    op: Operator
    ran: int
    max_ulp: float
    problems: tuple[str, ...]


def self_test(op: Operator) -> Outcome:
    """Runs every sample that plain arrays can express."""
    calls = [call for call in op.samples if _expressible(call)]
    largest, problems = 0.0, []
    for number, call in enumerate(calls, 1):
        try:
            for found in _run(op, call):
                largest = max(largest, found.max_ulp)
                problems += [f"sample {number}: {reason}" for reason in found.failures]
        except (ValueError, TypeError) as error:
            problems.append(f"sample {number}: {error}")
    return Outcome(op, len(calls), largest, tuple(problems))


def _run(op: Operator, call: Call) -> list[Any]:
    rng = np.random.default_rng(0)
    values = {
        param.python_name: _value(call.arguments[param.name], rng)
        for param in op.params
        if not isinstance(param, TensorOut)
    }
    if op.kernel is not None:
        return _run_pointwise(op, call, values)
    wanted = goldens.reference(op, values)
    if not all(output.can_be_made for output in op.outputs):
        outputs = tuple(array(call.tensor(output.name), rng) for output in op.outputs)
        values["out"] = outputs if len(outputs) > 1 else outputs[0]
    with aclhost.soc(call.product.default_soc):
        got = goldens.native(op, values)
    if len(wanted) < len(got):  # the golden leaves out what the call has no use for
        got = tuple(result for result in got if result.dtype != object)
    return [
        _compared(result, exact.reshape(result.shape))
        for result, exact in zip(got, wanted, strict=True)
        if result.dtype != object
    ]


def _compared(result: NDArray, exact: NDArray) -> Comparison:
    """Where terms of long sums cancel, errors go by the largest results."""
    chosen = standard_for(coarser(result.dtype, exact.dtype))
    sizes = np.abs(exact[np.isfinite(exact)])
    largest = float(np.max(sizes, initial=1.0))
    return compare(result, exact, standard=replace(chosen, atol=chosen.atol * largest))


def _run_pointwise(op: Operator, sample: Call, values: dict[str, Any]) -> list[Any]:
    """Results in the dtype that they are rounded to: the output's may hold more or less."""
    kernel, call = op.kernel, with_results(op, sample)
    assert kernel is not None
    if evaluate(op, call).rule is not None:  # a new result is not what the operator wants
        return []
    exact = goldens.pointwise(op, call, {p.name: values.get(p.python_name) for p in op.params})
    with aclhost.soc(call.product.default_soc):
        got = goldens.native(op, values)
    found = []
    for position, (result, each) in enumerate(zip(got, exact, strict=True)):
        term = kernel.result_dtype(position) or kernel.computed
        rounded = dtypes.BY_VALUE[term.evaluate(call)]
        delivered = goldens.convert(np.broadcast_to(goldens.convert(each, rounded), result.shape),
                                   dtypes.BY_NUMPY[result.dtype.name])  # fmt: skip
        found.append(compare(goldens.convert(result, rounded), goldens.convert(delivered, rounded)))
    return found


def _value(argument: Argument, rng: np.random.Generator) -> Any:  # noqa: ANN401
    if isinstance(argument, TensorArg):
        return array(argument, rng)
    if isinstance(argument, tuple):
        return tuple(_value(each, rng) for each in argument)
    return goldens.plain(argument)


def _expressible(call: Call) -> bool:
    tensors = [each for each in call.arguments.values() if isinstance(each, TensorArg)]
    return all(
        tensor.format is ND and tensor.dtype.numpy and tensor.inside_storage for tensor in tensors
    )


def array(tensor: TensorArg, rng: np.random.Generator) -> NDArray:
    """An array as described, with the given values or random ones."""
    dtype = numpy_dtype(tensor.dtype)
    memory = np.zeros(tensor.storage_elements, dtype)
    strides = [step * dtype.itemsize for step in tensor.element_strides]
    view: NDArray = np.ndarray(tensor.shape, dtype, memory, tensor.offset * dtype.itemsize, strides)
    if tensor.values is not None:
        view[...] = np.array(tensor.values).reshape(tensor.shape).astype(dtype)
    elif dtype.kind in "biu":
        first, last = tensor.span or (0, 100)
        view[...] = rng.integers(int(first), int(last), tensor.shape).astype(dtype)
    elif tensor.span is not None:
        view[...] = rng.uniform(*tensor.span, tensor.shape).astype(dtype)
    else:
        view[...] = rng.normal(0, 2, tensor.shape).astype(dtype)
    return view

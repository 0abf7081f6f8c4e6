# SPDX-License-Identifier: Apache-2.0
"""One walk over all point-wise operators: every dtype and layout, against function and torch."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest
import torch
from support import abi
from support.pointwise_cases import allowed, distance, layouts, run, samples

import aclhost
from aclhost import golden, ops
from aclhost.arrays import numpy_dtype
from aclhost.spec import dtypes
from aclhost.spec.call import TensorArg
from aclhost.spec.expression import Domain, domain_of
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import loop_dtype, stored_dtype

POINTWISE = [op for op in ops.ALL if op.kernel is not None]
EACH = pytest.mark.parametrize("op", POINTWISE, ids=lambda op: op.name)
_WIDE = {
    Domain.REAL: dtypes.DOUBLE, Domain.COMPLEX: dtypes.COMPLEX128, Domain.INTEGER: dtypes.INT64,
    Domain.UNSIGNED: dtypes.UINT8, Domain.BOOL: dtypes.BOOL,
}  # fmt: skip


@EACH
def test_every_dtype_and_layout(op: Operator) -> None:
    rng = np.random.default_rng(11)
    for sample in samples(op):
        for name, call in layouts(op, sample):
            for got, wanted, rounded, terms in run(op, call, rng):
                off = distance(got, wanted, rounded, terms, op.ulps_from)
                dtype = call.first(op.tensors[0].name)
                assert off <= allowed(op, rounded), (name, dtype, off, got[:9], wanted[:9])


@EACH
def test_loops_store_what_the_results_term_says(op: Operator) -> None:
    """A loop that stored wider elements would write past its block."""
    kernel = op.kernel
    assert kernel is not None
    for call in op.samples:
        computed = dtypes.BY_VALUE[kernel.computed.evaluate(call)]
        for variant in range(len(kernel.functions)):
            results = kernel.expressions(domain_of(computed), variant)
            for position, result in enumerate(results):
                term = kernel.result_dtype(position)
                rounded = computed if term is None else dtypes.BY_VALUE[term.evaluate(call)]
                assert loop_dtype(rounded) is stored_dtype(result.kind, computed)


@EACH
def test_empty_tensors_are_no_work(op: Operator) -> None:
    call = op.samples[0]
    assert op.kernel is not None
    for name, tensor in call.arguments.items():
        if isinstance(tensor, TensorArg) and (len(tensor.shape) > 1 or not op.kernel.views):
            call = call.reshaped((0, *tensor.shape[1:]) if op.kernel.views else (0, 3), name)
    for got, *_ in run(op, call, np.random.default_rng(0)):
        assert got.size == 0


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_c_abi(op: Operator, stream: int) -> None:
    """The C functions give the bits of the Python function."""
    for call in samples(op)[:2]:
        with abi.prepared_call(op, call) as prepared:
            inputs = {name: storage.view.copy() for name, storage in prepared.storages.items()}
            plain = {name: golden.plain(each) for name, each in call.arguments.items()}
            values = {**plain, **inputs}
            arguments = {param.python_name: values[param.name] for param in op.python_params()}
            if op.outputs:
                outputs = tuple(values[output.name] for output in op.outputs)
                arguments["out"] = outputs if len(outputs) > 1 else outputs[0]
            returned = getattr(aclhost, op.snake_name)(**arguments)
            abi.run(op, prepared, stream)
            results = returned if isinstance(returned, tuple) else (returned,)
            for param, wanted in zip(golden.results_of(op), results, strict=True):
                assert prepared.fetch(param.name).tobytes() == wanted.tobytes()


def _torch_function(op: Operator) -> Any:
    if not isinstance(op.reference, str):
        return lambda **arguments: op.reference(torch, **arguments)
    function = reduce(getattr, op.reference.split("."), torch)
    return lambda **arguments: function(*arguments.values())


def _inputs(op: Operator, dtype: dtypes.DataType, rng: Any) -> dict[str, Any]:
    """Values by upstream's names: tensors of the wide dtype, numbers of the first sample.

    Where the function takes views, tensors have the sample's shapes, and attributes come, too.
    """
    kernel, sample = op.kernel, op.samples[0]
    assert kernel is not None
    values: dict[str, Any] = {}
    for position, name in enumerate(map(kernel.parameter_of, kernel.inputs)):
        term = kernel.input_dtype(position)
        own = dtypes.BY_VALUE[term.evaluate(sample)] if term else dtype
        kind, size = numpy_dtype(own), sample.shape(name) if kernel.views else 64
        if kind.kind == "b":
            values[name] = rng.integers(0, 2, size).astype(bool)
        elif kind.kind in "iu":
            values[name] = rng.integers(1, 9, size).astype(kind)
        elif kind.kind == "c":
            values[name] = rng.uniform(0.1, 0.9, size) + 1j * rng.uniform(0.1, 0.9, size)
        else:
            values[name] = np.asarray(rng.normal(0, 2, size)).astype(kind)
    plain = (number.parameter for number in kernel.numbers)
    if kernel.views:
        plain = (name for name, each in sample.arguments.items() if not isinstance(each, TensorArg))
    return values | {name: golden.plain(sample.arguments[name]) for name in plain}


@EACH
def test_function_agrees_with_torch(op: Operator) -> None:
    """In double precision, so that only the mathematics counts."""
    kernel = op.kernel
    assert kernel is not None
    assert op.reference, "name torch's function, or say in notes why there is none"
    function, rng = _torch_function(op), np.random.default_rng(5)
    compared = 0
    for domain in kernel.domains:
        dtype = _WIDE[domain]
        values = _inputs(op, dtype, rng)
        numbers = {number.parameter: values[number.parameter] for number in kernel.numbers}
        seen, sample = kernel.read(op.samples[0], values), op.samples[0]
        with np.errstate(all="ignore"):
            results = kernel.joined(sample, kernel.golden({**seen, **numbers}, dtype))
        named = {
            param.python_name: torch.from_numpy(values[param.name])
            if isinstance(values[param.name], np.ndarray) and values[param.name].ndim
            else np.asarray(values[param.name]).item()
            for param in op.params
            if param.name in values
        }
        try:
            wanted = function(**named)
        except (RuntimeError, TypeError, NotImplementedError):
            assert domain is not Domain.REAL, "torch has every real function"
            continue  # torch lacks the dtype
        compared += 1
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for result, each in zip(results, wanted, strict=True):
            np.testing.assert_allclose(
                np.broadcast_to(result, each.shape), each.numpy(), rtol=1e-9, atol=1e-12,
                err_msg=f"{op.name} {domain}",
            )  # fmt: skip
    assert compared, "torch took none of the dtypes"

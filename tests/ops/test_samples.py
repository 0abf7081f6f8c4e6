# SPDX-License-Identifier: Apache-2.0
"""Every declared sample, through the C ABI and through Python, against its golden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import aclhost
from aclhost import ops
from aclhost.calls import abi
from aclhost.calls.drawn import described_results
from aclhost.calls.python_call import call_function
from aclhost.calls.values import (
    ULPS,
    computed_dtype,
    expected,
    flat,
    magnitudes,
    numpy_dtype,
    ulp_distance,
)
from aclhost.spec.call import Call
from aclhost.spec.family import with_results
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, SizedTensorOut, TensorInOut, TensorList

# test_pointwise.py walks over the others.
EACH = pytest.mark.parametrize(
    "op", [op for op in ops.ALL if op.kernel is None], ids=lambda op: op.name
)


def assert_close(
    op: Operator,
    call: Call,
    inputs: Mapping[str, Any],
    results: Iterable[np.ndarray],
    wanted: list[np.ndarray],
) -> None:
    """Each result is close to the golden's."""
    sizes = magnitudes(op, call, inputs, wanted)
    for got, each, size in zip(results, wanted, sizes, strict=True):
        assert_each_close(op, call, got, each, size)


def assert_each_close(
    op: Operator, call: Call, got: np.ndarray, wanted: np.ndarray, size: np.ndarray
) -> None:
    """Close in the dtype that the operator rounds to; the cast to a wider output is then exact."""
    assert got.shape == wanted.shape or got.size == wanted.size == 1
    if got.dtype.kind in "biu":
        assert np.array_equal(got.ravel(), wanted.ravel())
        return
    wanted = wanted.reshape(got.shape)
    if wanted.dtype.kind == "c":
        assert ulp_distance(got, wanted, got.dtype, size) <= ULPS[got.real.dtype.name]
        return
    dtype = computed_dtype(op, call)
    if got.dtype.itemsize >= dtype.itemsize:
        assert np.array_equal(got.real.astype(dtype).astype(got.dtype), got, equal_nan=True)
    else:
        dtype = got.dtype
    assert ulp_distance(got.real, wanted, dtype, size) <= ULPS.get(dtype.name, 1)


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_c_abi(op: Operator, stream: int) -> None:
    for call in op.samples:
        with abi.prepared_call(op, call) as prepared:
            inputs = prepared.inputs()
            abi.run(op, prepared, stream)
            fetched = [prepared.result(name) for name in described_results(op, call)]
            assert_close(op, call, inputs, fetched, expected(op, call, inputs))


@EACH
def test_python(op: Operator) -> None:
    for call in op.samples:
        assert_python_is_right(op, call)


def assert_python_is_right(op: Operator, call: Call) -> None:
    """Into given results, and into new ones."""
    with aclhost.soc(call.product.default_soc):
        function, arguments, outputs = call_function(op, call)
        inputs = {
            param.name: _copied(arguments[param.python_name])
            for param in op.params
            if isinstance(param, (*TENSORS, TensorList))
            and param not in op.outputs
            and arguments.get(param.python_name) is not None
        }
        wanted = expected(op, call, inputs)

        def results() -> list[np.ndarray]:
            for param in op.params:
                # What an earlier call overwrote.
                if isinstance(param, TensorInOut) and param.name in inputs:
                    arguments[param.python_name][...] = inputs[param.name]
            return flat(function(**arguments))

        assert_close(op, call, inputs, results(), wanted)
        if not outputs:
            return
        last = slice(-len(flat(outputs)), None)  # after what is overwritten
        for given, got in zip(flat(outputs), results()[last], strict=True):
            assert got is given or _is_sized(op)
            assert not got.size or np.shares_memory(got, given)
        arguments.pop("out")
        if not all(output.can_be_made for output in op.outputs):
            with pytest.raises(TypeError, match=f"{op.snake_name}.. needs out"):
                function(**arguments)
            return
        made, wanted = results()[last], wanted[last]
        described = [*described_results(op, with_results(op, call)).values()][last]
        for tensor, got in zip(described, made, strict=True):
            assert got.dtype == numpy_dtype(tensor.dtype)
        assert_close(op, call, inputs, made, wanted)


def _is_sized(op: Operator) -> bool:
    return any(isinstance(output, SizedTensorOut) for output in op.outputs)


def _copied(arrays: Any) -> Any:
    if isinstance(arrays, list):
        return [*map(np.array, arrays)]
    return None if arrays is None else np.array(arrays)

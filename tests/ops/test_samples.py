# SPDX-License-Identifier: Apache-2.0
"""Every declared sample, through the C ABI and through Python, against its golden."""

from __future__ import annotations

import numpy as np
import pytest
from support import abi
from support.python_call import call_function
from support.values import ULPS, expected, numpy_dtype, ulp_distance

import aclhost
from aclhost import ops
from aclhost.spec.call import Call
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut

SAMPLES = [
    pytest.param(op, call, id=f"{op.name}-{number}")
    for op in ops.ALL
    for number, call in enumerate(op.samples)
]


def assert_close(op: Operator, call: Call, got: np.ndarray, wanted: np.ndarray) -> None:
    """Close in the dtype the operator computes in; the cast to the output must then be exact."""
    dtype = numpy_dtype(call.tensor(op.tensors[0].name).dtype)
    assert ulp_distance(got.real, wanted, dtype) <= ULPS[dtype.name]
    assert np.array_equal(got.real.astype(dtype).astype(got.dtype), got, equal_nan=True)


@pytest.mark.parametrize(("op", "call"), SAMPLES)
@pytest.mark.usefixtures("no_leaks")
def test_c_abi(op: Operator, call: Call, stream: int) -> None:
    with abi.prepared_call(op, call) as prepared:
        inputs = {name: storage.view.copy() for name, storage in prepared.storages.items()}
        abi.run(op, prepared, stream)
        wanted = expected(op, call, inputs)
        results = [p for p in op.params if p in op.outputs or isinstance(p, TensorInOut)]
        for result in results:
            assert_close(op, call, prepared.fetch(result.name), wanted)


@pytest.mark.parametrize(("op", "call"), SAMPLES)
def test_python(op: Operator, call: Call) -> None:
    with aclhost.soc(call.product.default_soc):
        function, arguments, outputs = call_function(op, call)
        inputs = {
            param.name: np.array(arguments[param.python_name])
            for param in op.tensors
            if param.python_name in arguments
        }
        result = function(**arguments)
        wanted = expected(op, call, inputs)
        assert_close(op, call, result, wanted)
        if outputs:
            assert result is outputs[0]
            arguments.pop("out")
            fresh = function(**arguments)
            assert fresh.dtype == numpy_dtype(call.tensor(op.outputs[0].like).dtype)
            assert_close(op, call, fresh.astype(result.dtype), wanted)

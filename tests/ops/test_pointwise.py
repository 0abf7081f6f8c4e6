# SPDX-License-Identifier: Apache-2.0
"""One walk over all point-wise operators: every dtype and layout, against function and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import aclhost
from aclhost import goldens, ops
from aclhost.arrays import numpy_dtype
from aclhost.calls import abi
from aclhost.calls.pointwise_cases import (
    LENGTH,
    allowed,
    delivered,
    distance,
    layouts,
    resized,
    run,
    samples,
)
from aclhost.goldens.torch_reference import torch_arguments, torch_reference
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.evaluate import evaluate
from aclhost.spec.expression import Domain, domain_of
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import loop_dtype, stored_dtype
from aclhost.spec.views import AsColumn

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
    """Where values are summed, there may still be a result: that of no values."""
    call, kernel = op.samples[0], op.kernel
    assert kernel is not None
    if kernel.views:
        for name, tensor in call.arguments.items():
            column = isinstance(kernel.view_of(name), AsColumn)
            if isinstance(tensor, TensorArg) and (column or len(tensor.shape) > 1):
                call = call.reshaped((0, *tensor.shape[1:]), name)
    else:
        call = resized(op, call, (0, 3))
    untouched = evaluate(op, call).idle
    for got, wanted, *_ in run(op, call, np.random.default_rng(0)):
        assert got.size == 0 or kernel.reduction
        assert np.array_equal(got, np.zeros_like(got) if untouched else wanted, equal_nan=True)


def _pairs_of_halves() -> list[Any]:
    return [
        pytest.param(op, call, id=op.name)
        for op in POINTWISE
        for call in op.samples
        if any(getattr(each, "dtype", None) is dtypes.COMPLEX32 for each in call.arguments.values())
    ]


@pytest.mark.parametrize(("op", "call"), _pairs_of_halves())
def test_complex32(op: Operator, call: Call, stream: int) -> None:
    """Which NumPy does not know, so that only the C functions take it."""
    long = call.reshaped((LENGTH,), *(param.name for param in op.tensors))
    with abi.prepared_call(op, long) as prepared:
        abi.run(op, prepared, stream)
        values = {name: prepared.fetch(name) for name in prepared.storages}
        wanted, _ = delivered(op, long, 0, goldens.pointwise(op, long, values)[0])
        got = goldens.widened(values[op.outputs[0].name])
        np.testing.assert_allclose(got, goldens.widened(wanted), rtol=2**-10)


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_c_abi(op: Operator, stream: int) -> None:
    """The C functions give the bits of the Python function."""
    for call in samples(op)[:2]:
        with abi.prepared_call(op, call) as prepared:
            inputs = {name: storage.view.copy() for name, storage in prepared.storages.items()}
            plain = {name: goldens.plain(each) for name, each in call.arguments.items()}
            values = {**plain, **inputs}
            arguments = {param.python_name: values[param.name] for param in op.python_params()}
            if op.outputs:
                outputs = tuple(values[output.name] for output in op.outputs)
                arguments["out"] = outputs if len(outputs) > 1 else outputs[0]
            returned = getattr(aclhost, op.snake_name)(**arguments)
            abi.run(op, prepared, stream)
            results = returned if isinstance(returned, tuple) else (returned,)
            for param, wanted in zip(goldens.results_of(op), results, strict=True):
                assert prepared.fetch(param.name).tobytes() == wanted.tobytes()


def _inputs(op: Operator, call: Call, dtype: dtypes.DataType, rng: Any) -> dict[str, Any]:
    """Values by upstream's names: tensors of the wide dtype, everything else as in the call.

    Where the function takes views, tensors have the call's shapes.
    """
    kernel = op.kernel
    assert kernel is not None
    values = {name: goldens.plain(each) for name, each in call.arguments.items()}
    for position, name in enumerate(map(kernel.parameter_of, kernel.inputs)):
        tensor, term = call.arguments[name], kernel.input_dtype(position)
        if tensor is None:
            continue
        own = dtypes.BY_VALUE[term.evaluate(call)] if term else dtype
        kind, size = numpy_dtype(own), tensor.shape if kernel.views else 64
        if kind.kind == "b":
            values[name] = rng.integers(0, 2, size).astype(bool)
        elif kind.kind in "iu":
            values[name] = rng.integers(1, 9, size).astype(kind)
        elif kind.kind == "c":
            values[name] = rng.uniform(0.1, 0.9, size) + 1j * rng.uniform(0.1, 0.9, size)
        elif tensor.span:
            values[name] = rng.uniform(*tensor.span, size).astype(kind)
        else:
            values[name] = np.asarray(rng.normal(0, 2, size)).astype(kind)
    for number in kernel.numbers:
        if number.value is not None:
            values[number.parameter] = number.value.evaluate(call)
    return values


def _torch_value(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim:
        return torch.from_numpy(value)
    return None if value is None else np.asarray(value).item()


def _calls_for_torch(op: Operator) -> list[Call]:
    """The first sample; of losses, one for each reduction, flag and presence of tensors."""
    kernel = op.kernel
    assert kernel is not None
    if kernel.views:
        return [op.samples[0]]
    told = kernel.reduction or any(number.value for number in kernel.numbers)
    found = {}
    for call in op.samples if told else op.samples[:1]:
        key = tuple(
            each if not isinstance(each, TensorArg) else "" for each in call.arguments.values()
        )
        if len({call.shape(name) for name in kernel.inputs if call.shape(name)}) <= 1:
            found.setdefault(key, resized(op, call, (64,)))
    return list(found.values())


def _assert_agrees(op: Operator, call: Call, domain: Domain, rng: Any) -> bool:
    kernel = op.kernel
    assert kernel is not None
    dtype = _WIDE[domain]
    values = _inputs(op, call, dtype, rng)
    variant = kernel.variant.evaluate(call) if kernel.variant else 0
    numbers = {number.parameter: values[number.parameter] for number in kernel.numbers}
    seen = {**kernel.read(call, values), **numbers}
    with np.errstate(all="ignore"):
        results = kernel.joined(call, kernel.golden(seen, dtype, variant))
        results = [goldens.reduced(kernel, call, result) for result in results]
    named = {p.python_name: _torch_value(values[p.name]) for p in torch_arguments(op)}
    try:
        wanted = torch_reference(op)(**named)
    except (RuntimeError, TypeError, NotImplementedError):
        assert domain is not Domain.REAL, "torch has every real function"
        return False  # torch lacks the dtype
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for result, each in zip(results, wanted, strict=True):
        np.testing.assert_allclose(
            np.broadcast_to(result, each.shape), each.numpy(), rtol=1e-9, atol=1e-12,
            err_msg=f"{op.name} {domain} {call}",
        )  # fmt: skip
    return True


@EACH
def test_function_agrees_with_torch(op: Operator) -> None:
    """In double precision, so that only the mathematics counts."""
    kernel = op.kernel
    assert kernel is not None
    assert op.reference, "name torch's function, or say in notes why there is none"
    rng = np.random.default_rng(5)
    compared = [
        _assert_agrees(op, call, domain, rng)
        for call in _calls_for_torch(op)
        for domain in kernel.domains
    ]
    assert any(compared), "torch took none of the dtypes"


@pytest.mark.parametrize("shape", [(130, 67), (64, 200), (3, 70, 65), (1000, 5), (9000, 3)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "complex128"])
def test_results_are_turned_where_inputs_lie_across(shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(len(shape))
    x, y = (rng.integers(-3, 4, shape[::-1]).astype(dtype).T for _ in range(2))
    room = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)
    for out in (np.empty(shape, dtype), room[..., ::2]):
        aclhost.add(x, y, 1, out=out)
        assert np.array_equal(out, x + y)
    assert np.array_equal(aclhost.eq_tensor(x, y), x == y)
    assert not room[..., 1::2].any()

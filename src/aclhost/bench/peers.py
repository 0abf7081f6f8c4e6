# SPDX-License-Identifier: Apache-2.0
"""Who a derived call is compared with: torch's function, or NumPy's definition of the operator."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from time import perf_counter
from typing import Any

import numpy as np

from aclhost import goldens
from aclhost.bench.workload import Call, Workload, tensor, written_out
from aclhost.goldens.torch_reference import (
    torch_arguments,
    torch_attribute,
    torch_function,
    torch_reference,
)
from aclhost.spec.operator import Operator


def torch_call(op: Operator, values: Mapping[str, Any]) -> Call:
    """On the same memory, with `out` or in place where torch has that; else on fresh memory.

    Raises:
        NotImplementedError: torch has no such function.

    """
    arguments = {
        param.python_name: _torch_value(values[param.name]) for param in torch_arguments(op)
    }
    if op.peer:
        peer = written_out(torch_function(op.peer), **arguments)
        return _whole(peer, peer(), op, values)
    if not op.reference:
        raise NotImplementedError("it has no such function")
    if not isinstance(op.reference, str):
        reference = written_out(torch_reference(op), **arguments)
        return _whole(*_distilled(reference, arguments), op, values)
    function = reduce(getattr, op.reference.split("."), _torch())
    given = list(arguments.values())
    if not op.outputs:
        return written_out(getattr(_torch(), f"{op.reference}_", function), *given)
    results = tuple(tensor(values[output.name]) for output in op.outputs)
    into = written_out(function, *given, out=results if len(results) > 1 else results[0])
    fresh = written_out(function, *given)
    if not _works(into):
        return _whole(fresh, fresh(), op, values)
    if all(each.is_contiguous() for each in _tensors(given)):
        return into
    return min(into, _whole(fresh, fresh(), op, values), key=_shortest)


def _shortest(call: Call) -> float:
    """Of a few calls, in seconds."""

    def once() -> float:
        start = perf_counter()
        call()
        return perf_counter() - start

    return min(once() for _ in range(3))


def _distilled(reference: Call, arguments: Mapping[str, Any]) -> tuple[Call, object]:
    """Without what only tests need."""
    from aclhost.bench.distilled import distilled

    return distilled(reference, arguments.values())


def _whole(call: Call, result: object, op: Operator, values: Mapping[str, Any]) -> Call:
    """The call; where it gives views, or its arguments' order of memory, with a copy into ours."""
    results, targets = _tensors(result), _tensors([values[output.name] for output in op.outputs])
    storages = {each.untyped_storage().data_ptr() for each in _tensors(list(values.values()))}
    if [each.shape for each in results] != [each.shape for each in targets]:
        return call
    elsewhere = [
        each.untyped_storage().data_ptr() in storages or each.stride() != target.stride()
        for each, target in zip(results, targets, strict=True)
    ]
    if not any(elsewhere):
        return call

    def copied() -> list[Any]:
        made = zip(targets, _tensors(call()), elsewhere, strict=True)
        return [target.copy_(result) if moves else result for target, result, moves in made]

    return copied


def _tensors(value: Any) -> list[Any]:  # noqa: ANN401
    """All tensors in it, arrays included."""
    if isinstance(value, tuple | list):
        return [each for member in value for each in _tensors(member)]
    if isinstance(value, np.ndarray):
        return [tensor(value)]
    return [value] if isinstance(value, _torch().Tensor) else []


def numpy_call(workload: Workload) -> Call:
    """The definition of the operator, which tests compare with: in float64, on fresh memory."""
    op = workload.operator
    arguments = {param.python_name: workload.values[param.name] for param in op.params}
    return lambda: goldens.reference(op, arguments)


def _torch() -> Any:  # noqa: ANN401
    """Only where it is wanted: importing it takes seconds."""
    import torch

    return torch


def _works(call: Call) -> bool:
    """Whether torch's function takes `out`, and of this dtype."""
    try:
        call()
    except (TypeError, RuntimeError):
        return False
    return True


def _torch_value(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        return tensor(value)
    return [*map(_torch_value, value)] if isinstance(value, list) else torch_attribute(value)

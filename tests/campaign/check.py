# SPDX-License-Identifier: Apache-2.0
"""Runs one case and compares every byte that it could have touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from campaign.case import Case
from campaign.torch_reference import torch_says
from support import abi
from support.python_call import call_function
from support.values import (
    ULPS,
    computed_dtype,
    expected,
    golden_arguments,
    magnitude,
    make_output,
    ulp_distance,
)

import aclhost
from aclhost.spec.call import TensorArg
from aclhost.spec.formats import NDHWC
from aclhost.spec.params import Parameter, TensorInOut

# Operators that copy: no tolerance, and zeros keep their sign.
EXACT = (
    "aclnnMaxUnpool3d",
    "aclnnMaxUnpool3dBackward",
    "aclnnUpsampleNearest3d",
    "aclnnMaxPool3dWithArgmax",
)
Arrays = dict[str, np.ndarray]


class Mismatch(AssertionError):
    """A case that came out differently."""


@dataclass(frozen=True)
class Outcome:
    """How far the worst element was off, and whether torch had a say as well."""

    ulps: float
    with_torch: bool


def check(case: Case, stream: int) -> Outcome:
    """Runs the case.

    Raises:
        Mismatch: something is not as it should be; the message says what.

    """
    run = _run_abi if case.route == "C ABI" else _run_python
    inputs, results = run(case, stream)
    wanted = _moved(case, lambda arrays: expected(case.op, case.call, arrays), inputs)
    ulps = _compare(case, inputs, results, wanted, "golden")
    theirs = _moved(case, lambda arrays: _by_torch(case, arrays), inputs)
    if theirs is not None:
        ulps = max(ulps, _compare(case, inputs, results, theirs, "torch"))
    return Outcome(ulps, theirs is not None)


def _by_torch(case: Case, inputs: Arrays) -> list[np.ndarray] | None:
    by_name = golden_arguments(case.op, case.call, inputs)
    names = {param.python_name: param.name for param in case.op.params}
    return torch_says(case.op.name, {names[name]: value for name, value in by_name.items()})


def _moved(
    case: Case, compute: Callable[[Arrays], list[np.ndarray] | None], inputs: Arrays
) -> list[np.ndarray] | None:
    """References know channels first only; here they see channels-last tensors that way."""
    if case.call.tensor(case.op.tensors[0].name).format is not NDHWC:
        return compute(inputs)
    results = compute({name: np.moveaxis(array, -1, 1) for name, array in inputs.items()})
    return results and [np.moveaxis(result, 1, -1) for result in results]


def _written(case: Case) -> list[Parameter]:
    op = case.op
    return [p for p in op.params if p in op.outputs or isinstance(p, TensorInOut)]


def _read(case: Case) -> list[Parameter]:
    return [param for param in case.op.tensors if case.op.reads(param)]


def _run_abi(case: Case, stream: int) -> tuple[Arrays, Arrays]:
    with abi.prepared_call(case.op, case.call) as prepared:
        inputs = {param.name: prepared.storages[param.name].view.copy() for param in _read(case)}
        before = {name: each.memory.copy() for name, each in prepared.storages.items()}
        abi.run(case.op, prepared, stream)
        results = {param.name: prepared.fetch(param.name).copy() for param in _written(case)}
        for name in prepared.addresses:
            prepared.fetch(name)
            _check_memory(case, name, before[name], prepared.storages[name].memory)
    return inputs, results


def _run_python(case: Case, stream: int) -> tuple[Arrays, Arrays]:
    with aclhost.soc(case.call.product.default_soc):
        function, arguments, _ = call_function(case.op, case.call)
        given = {param.name: arguments[param.python_name] for param in _read(case)}
        if case.route == "new result":
            arguments.pop("out", None)
        outputs = arguments.get("out", ())
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        given |= dict(zip((p.name for p in case.op.outputs), outputs, strict=False))
        inputs = {param.name: given[param.name].copy() for param in _read(case)}
        before = {name: _memory(array).copy() for name, array in given.items()}
        returned = function(**arguments)
    results = returned if isinstance(returned, tuple) else (returned,)
    for name, array in given.items():
        _check_memory(case, name, before[name], _memory(array))
    return inputs, {p.name: r for p, r in zip(_written(case), results, strict=True)}


def _memory(array: np.ndarray) -> np.ndarray:
    return array if array.base is None else array.base


def _check_memory(case: Case, name: str, before: np.ndarray, after: np.ndarray) -> None:
    """Inputs are as they were; of outputs, everything outside the view is."""
    param = case.op.parameter(name)
    if param in _written(case):
        tensor = case.call.tensor(name)
        covered = make_output(TensorArg(tensor.shape, tensor.dtype)).memory
        elements = make_output(tensor).memory.view(np.uint8)
        del covered, elements
    same = before.tobytes() == after.tobytes()
    if not same and param not in _written(case):
        raise Mismatch(f"{name} is an input and was changed")


def _compare(
    case: Case, inputs: Arrays, results: Arrays, wanted: list[np.ndarray], who: str
) -> float:
    raise NotImplementedError

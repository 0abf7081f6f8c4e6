# SPDX-License-Identifier: Apache-2.0
"""Runs described calls through the C ABI: device memory, handles, both phases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import aclhost
from aclhost import acl, aclnn
from aclhost.arrays import NDArray
from aclhost.calls.values import (
    Storage,
    grouped,
    make_output,
    make_storage,
    member_name,
    scalar_value,
)
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, SizedTensorOut, TensorOut

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


class FailedCallError(AssertionError):
    """A call that should have succeeded; the message is the library's."""


def ok(status: int) -> None:
    """Raises FailedCallError for any status but success."""
    if status != 0:
        raise FailedCallError(acl.get_recent_err_msg())


@dataclass
class Prepared:
    """Handles and memory of one call."""

    handles: dict[str, Any] = field(default_factory=dict)
    storages: dict[str, Storage] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    sized: set[str] = field(default_factory=set)  # results whose size only the data know

    def inputs(self) -> dict[str, Any]:
        """Copies of all tensors by parameter; lists as lists."""
        return grouped({name: storage.view.copy() for name, storage in self.storages.items()})

    def fetch(self, name: str) -> NDArray:
        """Copies the device memory of a tensor back and gives its view."""
        storage = self.storages[name]
        size = storage.memory.nbytes
        if size:
            pointer = storage.memory.ctypes.data
            ok(acl.rt.memcpy(pointer, size, self.addresses[name], size, DEVICE_TO_HOST))
        return storage.view

    def result(self, name: str) -> NDArray:
        """The same; of results whose size only the data know, what its shape says."""
        view = self.fetch(name)
        if name not in self.sized:
            return view
        shape, status = aclnn.aclGetViewShape(self.handles[name])
        ok(status)
        strides, status = aclnn.aclGetViewStrides(self.handles[name])
        ok(status)
        steps = [step * view.itemsize for step in strides]
        return np.lib.stride_tricks.as_strided(view, shape, steps)


def _scalar(argument: ScalarArg) -> int:
    return aclnn.aclCreateScalar(scalar_value(argument).tobytes(), argument.dtype.value)


def _tensor(prepared: Prepared, name: str, argument: TensorArg, storage: Storage) -> int:
    size = storage.memory.nbytes
    address = 0
    if size:
        address, status = acl.rt.malloc(size, 0)
        ok(status)
        prepared.addresses[name] = address
        ok(acl.rt.memcpy(address, size, storage.memory.ctypes.data, size, HOST_TO_DEVICE))
    prepared.storages[name] = storage
    return aclnn.aclCreateTensor(
        argument.shape,
        len(argument.shape),
        argument.dtype.value,
        argument.element_strides,
        argument.offset,
        argument.format.value,
        (argument.storage_elements,),
        1,
        address,
    )


def _handle(
    prepared: Prepared, param: Parameter, argument: Argument, rng: np.random.Generator, name: str
) -> Any:
    if isinstance(argument, TensorArg):
        written = isinstance(param, TensorOut)
        storage = make_output(argument) if written else make_storage(argument, rng)
        return _tensor(prepared, name, argument, storage)
    if isinstance(argument, ScalarArg):
        return _scalar(argument)
    if isinstance(argument, str):
        return argument.encode()
    if isinstance(argument, tuple):
        members = [
            _handle(prepared, param, each, rng, member_name(name, position))
            for position, each in enumerate(argument)
        ]
        return _SEVERAL[param.kind][0](members, len(members))
    return argument.value if isinstance(argument, DataType) else argument


# How several values are created and destroyed, by the kind of the parameter. Lists own members.
_SEVERAL: dict[str, tuple[Any, Any]] = {
    "kIntArray": (aclnn.aclCreateIntArray, aclnn.aclDestroyIntArray),
    "kFloatArray": (aclnn.aclCreateFloatArray, aclnn.aclDestroyFloatArray),
    "kBoolArray": (aclnn.aclCreateBoolArray, aclnn.aclDestroyBoolArray),
    "kTensorList": (aclnn.aclCreateTensorList, aclnn.aclDestroyTensorList),
    "kTensorListOut": (aclnn.aclCreateTensorList, aclnn.aclDestroyTensorList),
    "kScalarList": (aclnn.aclCreateScalarList, aclnn.aclDestroyScalarList),
}
_DESTROY = {TensorArg: aclnn.aclDestroyTensor, ScalarArg: aclnn.aclDestroyScalar}


@contextmanager
def prepared_call(op: Operator, call: Call, seed: int = 0) -> Iterator[Prepared]:
    """All handles of a call, on its product; everything is released at the end."""
    prepared = Prepared()
    rng = np.random.default_rng(seed)
    with aclhost.soc(call.product.default_soc):
        for param in op.params:
            argument = call.arguments[param.name]
            if isinstance(param, SizedTensorOut):
                prepared.sized.add(param.name)
            prepared.handles[param.name] = _handle(prepared, param, argument, rng, param.name)
        try:
            yield prepared
        finally:
            release(op, prepared, call)


def release(op: Operator, prepared: Prepared, call: Call) -> None:
    """Destroys the handles and frees the memory."""
    for name, handle in prepared.handles.items():
        argument = call.arguments[name]
        destroy = _DESTROY.get(type(argument))
        if isinstance(argument, tuple):
            destroy = _SEVERAL[op.parameter(name).kind][1]
        if destroy and handle:
            ok(destroy(handle))
    prepared.handles.clear()
    for address in prepared.addresses.values():
        ok(acl.rt.free(address))
    prepared.addresses.clear()


def phase_one(op: Operator, prepared: Prepared) -> tuple[int, int, int]:
    """Workspace size, executor and status."""
    function = getattr(aclnn, f"{op.name}GetWorkspaceSize")
    result: tuple[int, int, int] = function(*(prepared.handles[p.name] for p in op.params))
    return result


def phase_two(op: Operator, executor: int, stream: int, workspace: int = 0, size: int = 0) -> int:
    """The status."""
    status: int = getattr(aclnn, op.name)(workspace, size, executor, stream)
    return status


def run(op: Operator, prepared: Prepared, stream: int) -> None:
    """Both phases and the synchronisation, all of which must succeed."""
    size, executor, status = phase_one(op, prepared)
    ok(status)
    with workspace(size) as address:
        ok(phase_two(op, executor, stream, address, size))
        ok(acl.rt.synchronize_stream(stream))


@contextmanager
def workspace(size: int) -> Iterator[int]:
    """Device memory, or a null pointer for none."""
    if size == 0:
        yield 0
        return
    address, status = acl.rt.malloc(size, 0)
    ok(status)
    yield address
    ok(acl.rt.free(address))

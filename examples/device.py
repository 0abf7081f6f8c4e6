# SPDX-License-Identifier: Apache-2.0
"""What the examples share: a device with a stream, its memory, and tensors in it."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from aclhost.constants import (
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_INT64,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
)

from aclhost import acl, aclnn

DATA_TYPES = {"f": ACL_FLOAT, "q": ACL_INT64}  # by the code that struct has for them


def check(status: int, what: str) -> None:
    """Stops with the runtime's own explanation."""
    if status != 0:
        raise SystemExit(f"{what} failed with {status}\n{acl.get_recent_err_msg()}")


@contextmanager
def device() -> Iterator[int]:
    """Device 0, with a stream."""
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, status = acl.rt.create_stream()
    check(status, "create_stream")
    yield stream
    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)
    acl.finalize()


class DeviceMemory:
    """So many bytes; none of them have the address 0."""

    def __init__(self, size: int) -> None:
        self.address = 0
        if size > 0:
            self.address, status = acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST)
            check(status, "malloc")

    def free(self) -> None:
        if self.address:
            acl.rt.free(self.address)


class DeviceTensor:
    """A dense tensor with a copy of the values."""

    def __init__(self, shape: list[int], values: list[float], code: str = "f") -> None:
        self.layout = f"{len(values)}{code}"
        data = struct.pack(self.layout, *values)
        source, size = acl.util.bytes_to_ptr(data), len(data)
        self.memory = DeviceMemory(size)
        check(
            acl.rt.memcpy(self.memory.address, size, source, size, ACL_MEMCPY_HOST_TO_DEVICE),
            "memcpy",
        )
        rank, dtype = len(shape), DATA_TYPES[code]
        self.handle = aclnn.aclCreateTensor(
            shape, rank, dtype, None, 0, ACL_FORMAT_ND, shape, rank, self.memory.address
        )

    def to_host(self) -> tuple[float, ...]:
        data = bytes(struct.calcsize(self.layout))
        target, size = acl.util.bytes_to_ptr(data), len(data)
        check(
            acl.rt.memcpy(target, size, self.memory.address, size, ACL_MEMCPY_DEVICE_TO_HOST),
            "memcpy",
        )
        return struct.unpack(self.layout, data)

    def free(self) -> None:
        aclnn.aclDestroyTensor(self.handle)
        self.memory.free()

# SPDX-License-Identifier: Apache-2.0
"""The same as elu_backward.cpp, line by line, in Python."""

import struct

from aclhost.constants import (
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
)

from aclhost import acl, aclnn


def check(status: int, what: str) -> None:
    """Stops with the runtime's own explanation."""
    if status != 0:
        raise SystemExit(f"{what} failed with {status}\n{acl.get_recent_err_msg()}")


def device_tensor(values: list[float]) -> tuple[int, int]:
    """Device memory that holds the values, and a tensor over it."""
    data = struct.pack(f"{len(values)}f", *values)
    address, status = acl.rt.malloc(len(data), ACL_MEM_MALLOC_HUGE_FIRST)
    check(status, "malloc")
    source = acl.util.bytes_to_ptr(data)
    check(acl.rt.memcpy(address, len(data), source, len(data), ACL_MEMCPY_HOST_TO_DEVICE), "memcpy")
    shape = [len(values)]
    tensor = aclnn.aclCreateTensor(shape, 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, shape, 1, address)
    return address, tensor


def elu_backward(stream: int) -> list[float]:
    """Both phases, then the result on the host."""
    x = [-3.0, -1.0, -0.25, 0.0, 0.5, 2.0]
    gradient_memory, gradient = device_tensor([1.0] * len(x))
    input_memory, input_ = device_tensor(x)
    result_memory, result = device_tensor([0.0] * len(x))
    alpha, scale, input_scale = (
        aclnn.aclCreateScalar(struct.pack("f", value), ACL_FLOAT) for value in (2.0, 1.5, 0.5)
    )

    workspace_size, executor, status = aclnn.aclnnEluBackwardGetWorkspaceSize(
        gradient, alpha, scale, input_scale, False, input_, result
    )
    check(status, "aclnnEluBackwardGetWorkspaceSize")
    check(aclnn.aclnnEluBackward(0, workspace_size, executor, stream), "aclnnEluBackward")
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")

    host = bytes(4 * len(x))
    target = acl.util.bytes_to_ptr(host)
    check(
        acl.rt.memcpy(target, len(host), result_memory, len(host), ACL_MEMCPY_DEVICE_TO_HOST),
        "memcpy",
    )
    for tensor in (gradient, input_, result):
        aclnn.aclDestroyTensor(tensor)
    for scalar in (alpha, scale, input_scale):
        aclnn.aclDestroyScalar(scalar)
    for memory in (gradient_memory, input_memory, result_memory):
        acl.rt.free(memory)
    return list(struct.unpack(f"{len(x)}f", host))


def main() -> None:
    """A device and a stream around the call."""
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, status = acl.rt.create_stream()
    check(status, "create_stream")
    for value in elu_backward(stream):
        print(f"{value:.9g}")
    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)
    acl.finalize()


if __name__ == "__main__":
    main()

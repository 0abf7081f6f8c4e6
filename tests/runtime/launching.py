# SPDX-License-Identifier: Apache-2.0
"""The beginning of programs that launch operators."""

# An ELU of -1 over `count` floats on `stream`; both tensors as ctypes would have them.
ELU = """
from aclhost.acl import _capi
import os
one = c_float(1)
scalar = lib.aclCreateScalar(ctypes.addressof(one), 0)
def tensor(address, count):
    return lib.aclCreateTensor(dims(count), 1, 0, None, 0, 2, dims(count), 1, address)
def memory(count):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, 4 * count, 0) == 0
    return pointer
def launch(stream, source, target, count):
    elu = _capi.library()
    x, y = tensor(source, count), tensor(target, count)
    size, executor = c_uint64(), c_void_p()
    address = ctypes.byref(size), ctypes.byref(executor)
    assert elu.aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, *address) == 0
    code = elu.aclnnElu(None, 0, executor, stream)
    assert lib.aclDestroyTensor(x) == lib.aclDestroyTensor(y) == 0
    return code
def threads():
    return len(os.listdir("/proc/self/task"))
assert lib.aclrtSetDevice(0) == 0
stream, other = c_void_p(), c_void_p()
assert lib.aclrtCreateStream(stream) == lib.aclrtCreateStream(other) == 0
"""

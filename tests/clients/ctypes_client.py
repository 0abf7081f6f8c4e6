# SPDX-License-Identifier: Apache-2.0
"""As mindnlp does: pyACL for the runtime, ctypes for operators, early ends of handles."""

import ctypes
import sys

import acl
import numpy as np

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
for name in ("aclCreateTensor", "aclCreateScalar"):
    getattr(library, name).restype = ctypes.c_void_p
P, I64 = ctypes.c_void_p, ctypes.c_int64


def ok(ret):
    assert ret == 0, acl.get_recent_err_msg()


def tensor(shape, address):
    dims = (I64 * len(shape))(*shape)
    strides = (I64 * len(shape))(*[int(np.prod(shape[i + 1 :])) for i in range(len(shape))])
    size = ctypes.c_uint64(len(shape))
    return P(library.aclCreateTensor(dims, size, 0, strides, I64(0), 2, dims, size, P(address)))


assert acl.init() in (0, 100002)
ok(acl.rt.set_device(0))
context, ret = acl.rt.create_context(0)
ok(ret)
stream, ret = acl.rt.create_stream()
ok(ret)
library.aclnnInit(None)

values = np.linspace(-2, 2, 20000, dtype=np.float32).reshape(100, 200)
source, ret = acl.rt.malloc(values.nbytes, 0)
target, ret = acl.rt.malloc(values.nbytes, 0)
ok(ret)
pointer = acl.util.numpy_to_ptr(values)
ok(acl.rt.memcpy(source, values.nbytes, pointer, values.nbytes, 1))
one = ctypes.c_float(1)
x, y = tensor(values.shape, source), tensor(values.shape, target)
scalar = P(library.aclCreateScalar(ctypes.byref(one), 0))
size, executor = ctypes.c_uint64(), P()
result = ctypes.byref(size), ctypes.byref(executor)
ok(library.aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, *result))
ok(library.aclnnElu(P(0), size, executor, P(stream)))
for destroy, handle in (("Tensor", x), ("Tensor", y), ("Scalar", scalar)):
    ok(getattr(library, f"aclDestroy{destroy}")(handle))
ok(acl.rt.synchronize_stream(stream))
payload = bytes(values.nbytes)
ok(acl.rt.memcpy(acl.util.bytes_to_ptr(payload), len(payload), target, len(payload), 2))
got = np.frombuffer(payload, np.float32).reshape(values.shape)
expected = np.where(values > 0, values, np.expm1(values))
assert np.allclose(got, expected, atol=1e-6)
for memory in (source, target):
    ok(acl.rt.free(memory))
ok(acl.rt.destroy_stream(stream))
ok(acl.rt.destroy_context(context))
ok(acl.rt.reset_device(0))
ok(acl.finalize())
print("ok")

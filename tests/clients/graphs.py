# SPDX-License-Identifier: Apache-2.0
"""As frameworks capture a step: names and modes by ctypes, streams and memory by pyACL.

graphs.py LIBRARY: libascendcl, by its path
"""

import ctypes
import sys

import acl

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
P = ctypes.c_void_p
THREAD_LOCAL, RELAXED = 1, 2
NONE, ACTIVE = 0, 1


def ok(ret):
    assert ret == 0, acl.get_recent_err_msg()


def first_byte(address):
    payload = bytes(1)
    ok(acl.rt.memcpy(acl.util.bytes_to_ptr(payload), 1, address, 1, 2))
    return payload[0]


def state(stream):
    status, model = ctypes.c_int(), P()
    pair = ctypes.byref(status), ctypes.byref(model)
    ok(library.aclmdlRICaptureGetInfo(P(stream), *pair))
    return status.value


ok(acl.init())
ok(acl.rt.set_device(0))
stream, ret = acl.rt.create_stream()
ok(ret)
source, ret = acl.rt.malloc(64, 0)
target, ret = acl.rt.malloc(64, 0)
ok(ret)
ok(acl.rt.memset(target, 64, 0, 64))
ok(acl.rt.memset(source, 64, 1, 64))

mode = ctypes.c_int(RELAXED)
ok(library.aclmdlRICaptureThreadExchangeMode(ctypes.byref(mode)))
ok(library.aclmdlRICaptureThreadExchangeMode(ctypes.byref(mode)))
assert mode.value == RELAXED
assert state(stream) == NONE
ok(library.aclmdlRICaptureBegin(P(stream), THREAD_LOCAL))
assert state(stream) == ACTIVE
ok(acl.rt.memcpy_async(target, 64, source, 64, 3, stream))
model = P()
ok(library.aclmdlRICaptureEnd(P(stream), ctypes.byref(model)))
assert (state(stream), first_byte(target)) == (NONE, 0)  # told, not done

ok(library.aclmdlRISetName(model, b"step"))
name = ctypes.create_string_buffer(16)
ok(library.aclmdlRIGetName(model, ctypes.c_uint32(16), name))
assert name.value == b"step"
for value in (2, 3):
    ok(acl.rt.memset(source, 64, value, 64))
    ok(library.aclmdlRIExecuteAsync(model, P(stream)))
    ok(acl.rt.synchronize_stream(stream))
    assert first_byte(target) == value
ok(library.aclmdlRIDestroy(model))

for memory in (source, target):
    ok(acl.rt.free(memory))
ok(acl.rt.destroy_stream(stream))
ok(acl.rt.reset_device(0))
ok(acl.finalize())
print("ok")

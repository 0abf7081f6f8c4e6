# SPDX-License-Identifier: Apache-2.0
"""Memory that is mapped but cannot be touched: codes instead of a signal."""

import sys

import pytest
from support.programs import clean_environment, run

PROGRAM = """
import ctypes, mmap, os, struct, sys, tempfile, threading
from aclhost import acl, aclnn
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
NONE, READ, WRITE = 0, 1, 3
BYTES = 64 * 1024

def pages(access, file=-1):
    flags = 0x22 if file < 0 else 0x1  # private and anonymous, or shared
    return libc.mmap(None, BYTES, access, flags, file, 0)

def truncated():
    with tempfile.TemporaryFile() as file:
        file.truncate(4096)
        return pages(WRITE, file.fileno())

def arena_end():
    # Another thread's heap is a large mapping of which only the beginning can be touched.
    libc.malloc.restype = ctypes.c_void_p
    found = []
    thread = threading.Thread(target=lambda: found.append(libc.malloc(64)))
    thread.start()
    thread.join()
    return found[0] // (1 << 26) * (1 << 26) + (1 << 25)

MEMORY = {
    "none": lambda: pages(NONE), "read_only": lambda: pages(READ), "truncated": truncated,
    "arena": arena_end,
}
READABLE = {"read_only"}

def elu(source, target, stream):
    shape = (BYTES // 4,)
    x, y = (aclnn.aclCreateTensor(shape, 1, 0, None, 0, 2, shape, 1, a) for a in (source, target))
    one = aclnn.aclCreateScalar(struct.pack("f", 1.0), 0)
    _, executor, status = aclnn.aclnnEluGetWorkspaceSize(x, one, one, one, y)
    assert status == 0
    assert aclnn.aclnnElu(0, 0, executor, stream) == 0
    return acl.rt.synchronize_stream(stream)

def fresh_elu(source, target):
    stream = acl.rt.create_stream()[0]  # a stream keeps its first failure
    return elu(source, target, stream)

assert acl.init() == acl.rt.set_device(0) == 0
name = sys.argv[1]
bad, good = MEMORY[name](), acl.rt.malloc(BYTES, 0)[0]
stream = acl.rt.create_stream()[0]
read = 0 if name in READABLE else 107000
assert acl.rt.memcpy(good, BYTES, bad, BYTES, 1) == read
assert acl.rt.memcpy_async(good, BYTES, bad, BYTES, 1, stream) == read
assert acl.rt.memcpy(bad, BYTES, good, BYTES, 2) == 107000
assert acl.rt.memcpy_async(bad, BYTES, good, BYTES, 2, stream) == 107000
assert acl.rt.memset(bad, BYTES, 1, BYTES) == 107000
assert acl.rt.memset_async(bad, BYTES, 1, BYTES, stream) == 107000
assert fresh_elu(bad, good) == (0 if name in READABLE else 507015)
assert fresh_elu(good, bad) == 507015
assert fresh_elu(good, good) == 0
print("ok")
"""


@pytest.mark.parametrize("memory", ["none", "read_only", "truncated", "arena"])
def test_memory_that_cannot_be_touched(memory):
    done = run([sys.executable, "-c", PROGRAM, memory], env=clean_environment(), timeout=120)
    assert done.stdout == "ok\n"

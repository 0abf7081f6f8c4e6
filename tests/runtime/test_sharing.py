# SPDX-License-Identifier: Apache-2.0
"""Device memory that several processes use: by key, and as physical memory."""

import ctypes
import os
from ctypes import byref, c_int, c_uint64, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_INVALID_DEVICEID, RT_PARAM_INVALID
from test_virtual_memory import prop

SIZE = 1 << 21

PRELUDE = """
assert lib.aclrtSetDevice(0) == 0
memory, byref = c_void_p(), ctypes.byref
"""

BY_KEY = """
key = sys.argv[2].encode()
assert lib.aclrtIpcMemImportByKey(byref(memory), key, 1) == 0
again = c_void_p()
assert lib.aclrtIpcMemImportByKey(byref(again), key, 1) == 0
assert again.value == memory.value
found = (ctypes.c_uint8 * 8)()
assert lib.aclrtMemcpy(found, 8, memory, 8, 2) == 0
assert bytes(found) == b"\\x07" * 8, bytes(found)
assert lib.aclrtMemset(memory, 8, 9, 8) == 0
assert lib.aclrtFree(memory) == RT_PARAM_INVALID
assert lib.aclrtIpcMemClose(key) == 0
assert lib.aclrtIpcMemClose(key) == RT_PARAM_INVALID
assert lib.aclrtMemset(memory, 8, 9, 8) == RT_PARAM_INVALID
"""

BY_HANDLE = """
handle, address = c_void_p(), c_void_p()
assert lib.aclrtMemImportFromShareableHandle(int(sys.argv[2]), 0, byref(handle)) == 0
assert lib.aclrtReserveMemAddress(byref(address), 1 << 21, 0, None, 1) == 0
assert lib.aclrtMapMem(address, 1 << 21, 0, handle, 0) == 0
found = (ctypes.c_uint8 * 8)()
assert lib.aclrtMemcpy(found, 8, address, 8, 2) == 0
assert bytes(found) == b"\\x07" * 8, bytes(found)
assert lib.aclrtMemset(address, 8, 9, 8) == 0
"""


def open_files():
    return len(os.listdir("/proc/self/fd"))


def first_bytes(lib, memory):
    found = (ctypes.c_uint8 * 8)()
    assert lib.aclrtMemcpy(found, 8, memory, 8, 2) == 0
    return bytes(found)


@pytest.fixture
def memory(lib, device):
    made = c_void_p()
    assert lib.aclrtMalloc(made, SIZE, 0) == 0
    assert lib.aclrtMemset(made, SIZE, 7, SIZE) == 0
    yield made
    lib.aclrtFree(made)


def export(lib, memory):
    key = ctypes.create_string_buffer(65)
    assert lib.aclrtIpcMemGetExportKey(memory, SIZE, key, 65, 0) == 0
    return key.value


def test_another_process_reads_and_writes(lib, memory, in_process):
    before = open_files()
    key = export(lib, memory)
    assert first_bytes(lib, memory) == b"\x07" * 8  # sharing moves nothing
    assert export(lib, memory) == key
    assert lib.aclrtIpcMemSetImportPid(key, (c_int * 1)(1), 1) == 0
    assert lib.aclrtIpcMemSetAttr(key, 0, 1) == 0
    in_process(PRELUDE + BY_KEY, key.decode())
    assert first_bytes(lib, memory) == b"\x09" * 8
    assert lib.aclrtIpcMemClose(key) == 0
    assert lib.aclrtIpcMemClose(key) == RT_PARAM_INVALID
    assert open_files() == before
    assert first_bytes(lib, memory) == b"\x09" * 8


def test_freed_memory_is_not_offered_any_more(lib, memory):
    before, found = open_files(), c_void_p()
    key = export(lib, memory)
    assert lib.aclrtFree(memory) == 0
    assert open_files() == before
    assert lib.aclrtIpcMemImportByKey(byref(found), key, 0) == RT_PARAM_INVALID


def test_wrong_keys(lib, memory, stream):
    key, found = ctypes.create_string_buffer(65), c_void_p()
    get = lib.aclrtIpcMemGetExportKey
    assert get(None, SIZE, key, 65, 0) == INVALID_PARAM
    assert get(memory, SIZE, None, 65, 0) == INVALID_PARAM
    assert get(memory, SIZE, key, 64, 0) == RT_PARAM_INVALID
    assert get(memory, SIZE + 1, key, 65, 0) == RT_PARAM_INVALID
    assert get(memory, 0, key, 65, 0) == RT_PARAM_INVALID
    assert get(memory, SIZE, key, 65, 2) == RT_PARAM_INVALID
    assert get(c_void_p(memory.value + 64), 8, key, 65, 0) == RT_PARAM_INVALID
    assert get(c_void_p(64), 8, key, 65, 0) == RT_PARAM_INVALID
    for text in (b"", b"nonsense", b"aclhost-memory-1-0-8-1", b"aclhost-memory-999999999-0-8-1"):
        assert lib.aclrtIpcMemImportByKey(byref(found), text, 0) == RT_PARAM_INVALID
        assert lib.aclrtIpcMemClose(text) == RT_PARAM_INVALID
        assert lib.aclrtIpcMemSetImportPid(text, (c_int * 1)(1), 1) == RT_PARAM_INVALID
        assert lib.aclrtIpcMemSetAttr(text, 0, 1) == RT_PARAM_INVALID
    assert lib.aclrtIpcMemImportByKey(None, b"", 0) == INVALID_PARAM


@pytest.fixture
def physical(lib, device):
    handle = c_void_p()
    assert lib.aclrtMallocPhysical(byref(handle), SIZE, byref(prop()), 0) == 0
    yield handle
    assert lib.aclrtFreePhysical(handle) == 0


def test_physical_memory_of_another_process(lib, physical, in_process):
    address, shareable, second = c_void_p(), c_uint64(), (c_uint64 * 16)()
    assert lib.aclrtReserveMemAddress(byref(address), SIZE, 0, None, 1) == 0
    assert lib.aclrtMapMem(address, SIZE, 0, physical, 0) == 0
    assert lib.aclrtMemset(address, SIZE, 7, SIZE) == 0
    assert lib.aclrtMemExportToShareableHandle(physical, 0, 0, byref(shareable)) == 0
    assert lib.aclrtMemExportToShareableHandleV2(physical, 0, 2, second) == 0
    assert second[0] == shareable.value
    assert lib.aclrtMemSetPidToShareableHandle(shareable, (c_int * 1)(1), 1) == 0
    assert lib.aclrtMemSetPidToShareableHandleV2(second, 2, (c_int * 1)(1), 1) == 0
    in_process(PRELUDE + BY_HANDLE, str(shareable.value))
    assert first_bytes(lib, address) == b"\x09" * 8
    again = c_void_p()
    assert lib.aclrtMemImportFromShareableHandleV2(second, 2, 0, byref(again)) == 0
    assert lib.aclrtFreePhysical(again) == 0
    assert lib.aclrtUnmapMem(address) == 0
    assert lib.aclrtReleaseMemAddress(address) == 0


def test_wrong_handles(lib, physical):
    found, shareable, pid = c_void_p(), c_uint64(), (c_int * 1)(1)
    assert lib.aclrtMemExportToShareableHandle(None, 0, 0, byref(shareable)) == INVALID_PARAM
    assert (
        lib.aclrtMemExportToShareableHandle(c_void_p(1), 0, 0, byref(shareable)) == RT_PARAM_INVALID
    )
    assert (
        lib.aclrtMemExportToShareableHandleV2(physical, 0, 3, byref(shareable)) == RT_PARAM_INVALID
    )
    for wrong in (0, 1, os.getpid() << 32, (1 << 64) - 1):
        assert lib.aclrtMemImportFromShareableHandle(wrong, 0, byref(found)) == RT_PARAM_INVALID
        assert lib.aclrtMemSetPidToShareableHandle(wrong, pid, 1) == RT_PARAM_INVALID
    assert lib.aclrtMemExportToShareableHandle(physical, 0, 0, byref(shareable)) == 0
    code = lib.aclrtMemImportFromShareableHandle(shareable, 9, byref(found))
    assert code == RT_INVALID_DEVICEID
    assert lib.aclrtMemImportFromShareableHandleV2(None, 1, 0, byref(found)) == INVALID_PARAM

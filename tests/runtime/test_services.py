# SPDX-License-Identifier: Apache-2.0
"""Copies by description, sums in memory, questions about software, and hardware a CPU lacks."""

import ctypes
import os
from ctypes import byref, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np
import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_FEATURE_NOT_SUPPORT,
    RT_INVALID_DEVICEID,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
)

SIZE = 64
INNER = 6  # ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
SUM, MAX, MIN, EQUAL = range(10, 14)
FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT32 = 0, 1, 2, 3, 4, 6, 8
BF16 = 27
TYPES = {FLOAT: "f4", FLOAT16: "f2", INT8: "i1", INT32: "i4", INT16: "i2"}


@pytest.fixture
def memory(lib, device):
    made = []

    def make(values=None):
        made.append(c_void_p())
        assert lib.aclrtMalloc(made[-1], SIZE, 0) == 0
        if values is not None:
            data = values.tobytes()
            assert lib.aclrtMemcpy(made[-1], SIZE, data, len(data), 1) == 0
        return made[-1]

    yield make
    for each in made:
        assert lib.aclrtFree(each) == 0


def read(lib, memory, dtype, count):
    result = np.empty(count, dtype)
    assert lib.aclrtMemcpy(result.ctypes.data, result.nbytes, memory, result.nbytes, 2) == 0
    return result


@pytest.mark.parametrize(
    ("kind", "function"), [(SUM, np.add), (MAX, np.maximum), (MIN, np.minimum)]
)
@pytest.mark.parametrize("dtype", TYPES)
def test_two_buffers_are_reduced(lib, stream, memory, kind, function, dtype):
    a = np.array([100, -3, 7, 0], TYPES[dtype])
    b = np.array([100, 5, -7, 1], TYPES[dtype])
    target, source = memory(a), memory(b)
    assert lib.aclrtReduceAsync(target, source, a.nbytes, kind, dtype, stream, None) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    expected = function(a, b)
    np.testing.assert_array_equal(read(lib, target, TYPES[dtype], 4), expected)
    np.testing.assert_array_equal(read(lib, source, TYPES[dtype], 4), b)


def test_bfloats_are_rounded_once(lib, stream, memory):
    one, small = 0x3F80, 0x3B80  # 1 and 2^-8: the sum lies between two neighbours
    target, source = memory(np.array([one], "u2")), memory(np.array([small], "u2"))
    assert lib.aclrtReduceAsync(target, source, 2, SUM, BF16, stream, None) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert read(lib, target, "u2", 1)[0] == one


def test_wrong_reductions(lib, stream, memory):
    a, b = memory(), memory()
    reduce = lib.aclrtReduceAsync
    assert reduce(None, b, 4, SUM, FLOAT, stream, None) == INVALID_PARAM
    assert reduce(a, None, 4, SUM, FLOAT, stream, None) == INVALID_PARAM
    assert reduce(a, b, 6, SUM, FLOAT, stream, None) == RT_PARAM_INVALID
    assert reduce(a, b, 0, SUM, FLOAT, stream, None) == RT_PARAM_INVALID
    assert reduce(a, b, 1 << 40, SUM, FLOAT, stream, None) == RT_PARAM_INVALID
    assert reduce(a, b, 4, EQUAL, FLOAT, stream, None) == RT_FEATURE_NOT_SUPPORT
    for dtype in (UINT8, UINT32):  # not of an Atlas A2
        assert reduce(a, b, 4, SUM, dtype, stream, None) == RT_FEATURE_NOT_SUPPORT
    assert reduce(a, b, 4, SUM, FLOAT, c_void_p(1), None) == RT_INVALID_HANDLE
    assert reduce(a, b, 4, SUM, FLOAT, stream, a) == RT_PARAM_INVALID


def test_a_described_copy(lib, stream, memory):
    source, target, size = memory(np.arange(4, dtype="f4")), memory(), c_size_t()
    assert lib.aclrtGetMemcpyDescSize(INNER, byref(size)) == 0
    assert lib.aclrtGetMemcpyDescSize(1, byref(size)) == RT_FEATURE_NOT_SUPPORT
    assert 0 < size.value <= SIZE
    description = memory()
    assert lib.aclrtSetMemcpyDesc(description, INNER, source, target, 16, None) == 0
    assert (
        lib.aclrtSetMemcpyDesc(description, INNER, source, target, 16, source) == RT_PARAM_INVALID
    )
    assert lib.aclrtMemcpyAsyncWithDesc(description, INNER, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert read(lib, target, "f4", 4).tolist() == [0, 1, 2, 3]
    assert lib.aclrtMemcpyAsyncWithDesc(None, INNER, stream) == INVALID_PARAM


def test_a_copy_between_offsets(lib, stream, memory):
    source, target = memory(np.arange(4, dtype="f4")), memory()
    copy = lib.aclrtMemcpyAsyncWithOffset
    assert copy(byref(target), SIZE, 8, byref(source), 8, 4, INNER, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert read(lib, target, "f4", 4).tolist() == [0, 0, 1, 2]
    assert copy(byref(target), 8, 9, byref(source), 8, 4, INNER, stream) == RT_PARAM_INVALID
    assert copy(byref(target), SIZE, 0, byref(source), 8, 0, 1, stream) == RT_FEATURE_NOT_SUPPORT
    assert copy(None, SIZE, 0, byref(source), 8, 0, INNER, stream) == INVALID_PARAM


def test_caches_need_no_care(lib, stream, memory, in_thread):
    x = memory()
    assert lib.aclrtCmoAsync(x, SIZE, 0, stream) == 0
    assert lib.aclrtCmoAsync(x, SIZE, 4, stream) == RT_PARAM_INVALID
    assert lib.aclrtCmoAsync(c_void_p(64), SIZE, 0, stream) == RT_PARAM_INVALID
    assert lib.aclrtCmoAsync(x, SIZE, 0, c_void_p(1)) == RT_INVALID_HANDLE
    for function in (lib.aclrtMemFlush, lib.aclrtMemInvalidate):
        assert function(x, SIZE) == 0
        assert function(None, SIZE) == INVALID_PARAM
        assert function(x, 0) == RT_PARAM_INVALID
    assert lib.aclrtDeviceL2CacheFlush(None) == 0
    assert in_thread(lambda: lib.aclrtDeviceL2CacheFlush(None)) == RT_CONTEXT_NULL


def test_nothing_is_broken(lib, device):
    errors, found = ctypes.create_string_buffer(16384), c_size_t(9)
    assert lib.aclrtGetMemUceInfo(0, errors, 1, byref(found)) == 0
    assert found.value == 0
    assert lib.aclrtGetMemUceInfo(9, errors, 1, byref(found)) == RT_INVALID_DEVICEID
    assert lib.aclrtMemUceRepair(0, errors, 1) == 0
    assert lib.aclrtMemUceRepair(0, None, 1) == INVALID_PARAM
    errors[4] = b"x"
    assert lib.aclrtGetErrorVerbose(0, errors) == 0
    assert errors[4] == b"\0"
    assert lib.aclrtGetErrorVerbose(0, None) == INVALID_PARAM
    assert lib.aclrtRepairError(0, errors) == 0
    assert lib.aclrtRepairError(9, errors) == RT_INVALID_DEVICEID


def test_what_is_left(lib, stream):
    streams, events = [c_uint32(), c_uint32()], [c_uint32(), c_uint32()]
    more, event = c_void_p(), c_void_p()
    assert lib.aclrtGetStreamAvailableNum(byref(streams[0])) == 0
    assert lib.aclrtGetEventAvailNum(byref(events[0])) == 0
    assert lib.aclrtCreateStream(more) == 0
    assert lib.aclrtCreateEvent(event) == 0
    assert lib.aclrtGetStreamAvailableNum(byref(streams[1])) == 0
    assert lib.aclrtGetEventAvailNum(byref(events[1])) == 0
    assert streams[0].value - streams[1].value == 1
    assert events[0].value - events[1].value == 1
    assert lib.aclrtDestroyEvent(event) == 0
    assert lib.aclrtPersistentTaskClean(more) == 0
    assert lib.aclrtDestroyStream(more) == 0
    assert lib.aclrtPersistentTaskClean(more) == RT_INVALID_HANDLE


def test_this_process_and_device(lib, device):
    number, value = c_int32(), c_int32(9)
    assert lib.aclrtDeviceGetBareTgid(byref(number)) == 0
    assert number.value == os.getpid()
    for name, expected in ((b"Ascend910B1", 1), (b"Ascend910B", 1), (b"Ascend310P3", 0), (b"", 0)):
        assert lib.aclrtCheckArchCompatibility(name, byref(value)) == 0
        assert value.value == expected
    assert lib.aclrtGetDeviceCapability(0, 1, byref(value)) == 0
    assert value.value == 1
    assert lib.aclrtGetDeviceCapability(0, 21, byref(value)) == 0
    assert value.value == 0
    assert lib.aclrtGetDeviceCapability(9, 1, byref(value)) == RT_INVALID_DEVICEID


def test_pinned_memory_is_freed_after_its_device(lib, stream, gate):
    pinned = c_void_p()
    assert lib.aclrtMallocHost(pinned, SIZE) == 0
    gate.open()
    assert lib.aclrtFreeHostWithDevSync(pinned) == 0
    assert lib.aclrtFreeHost(pinned) == RT_PARAM_INVALID


def test_versions(lib):
    version, text, number = (
        ctypes.create_string_buffer(1024),
        ctypes.create_string_buffer(128),
        c_int32(),
    )
    assert lib.aclsysGetVersionStr(b"runtime", text) == 0
    assert lib.aclsysGetVersionNum(b"runtime", byref(number)) == 0
    major, minor, patch = map(int, text.value.decode().split("."))
    assert number.value == major * 10_000_000 + minor * 100_000 + patch * 1000
    assert lib.aclsysGetCANNVersion(1, version) == 0
    assert version.value == text.value
    assert lib.aclsysGetCANNVersion(8, version) == INVALID_PARAM
    assert lib.aclsysGetVersionStr(None, text) == INVALID_PARAM
    assert lib.aclsysGetVersionNum(b"runtime", None) == INVALID_PARAM


def test_properties_of_the_software(lib):
    attributes, count, value = c_void_p(), c_size_t(), c_int32()
    assert lib.aclGetCannAttributeList(byref(attributes), byref(count)) == 0
    known = ctypes.cast(attributes, ctypes.POINTER(c_int))[: count.value]
    assert known == [0, 1, 2]
    for attribute in known:
        assert lib.aclGetCannAttribute(attribute, byref(value)) == 0
        assert value.value == 1
    assert lib.aclGetCannAttribute(3, byref(value)) == INVALID_PARAM
    assert lib.aclGetCannAttributeList(None, byref(count)) == INVALID_PARAM


def test_old_products_have_less(in_process):
    in_process(
        "value = c_int32()\n"
        "assert lib.aclGetCannAttribute(1, ctypes.byref(value)) == 0\n"
        "assert value.value == 0\n",
        ACLHOST_SOC="Ascend310P3",
    )


def test_properties_of_the_device(lib):
    values = [c_int64() for _ in range(3)]
    for question, value in enumerate(values):
        assert lib.aclGetDeviceCapability(0, question, byref(value)) == 0
        assert value.value > 0
    assert lib.aclGetDeviceCapability(0, 3, byref(values[0])) == INVALID_PARAM
    assert lib.aclGetDeviceCapability(9, 0, byref(values[0])) == INVALID_PARAM


@pytest.mark.parametrize("wanted", ["0", "1"])
def test_the_log_is_printed_on_demand(in_process, tmp_path, wanted):
    path = tmp_path / "out"
    in_process(
        "import os\n"
        f"os.dup2(os.open({str(path)!r}, os.O_CREAT | os.O_WRONLY), 1)\n"
        "lib.aclAppLog(3, b'main', b'a.cpp', 7, b'%s of %d', b'two', c_int32(3))\n",
        ASCEND_SLOG_PRINT_TO_STDOUT=wanted,
    )
    expected = "[ERROR] a.cpp:7 main: two of 3\n" if wanted == "1" else ""
    assert path.read_text() == expected

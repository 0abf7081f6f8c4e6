# SPDX-License-Identifier: Apache-2.0
"""Functions of the program that are told of devices, streams and failed tasks."""

import ctypes
from ctypes import CFUNCTYPE, byref, c_float, c_int, c_int32, c_uint32, c_uint64, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_AICORE_EXCEPTION, RT_PARAM_INVALID, dims

from aclhost.acl import _capi

DEVICE_STATE = CFUNCTYPE(None, c_int32, c_int, c_void_p)
STREAM_STATE = CFUNCTYPE(None, c_void_p, c_int, c_void_p)
ABORT = CFUNCTYPE(c_int32, c_int32, c_int, c_uint32, c_void_p)
EXCEPTION = CFUNCTYPE(None, c_void_p)
UNKNOWN = 0xFFFFFFFF


def test_devices(lib):
    seen = []
    function = DEVICE_STATE(lambda device, state, data: seen.append((device, state, data)))
    assert lib.aclrtRegDeviceStateCallback(b"test", function, c_void_p(5)) == 0
    assert lib.aclrtRegDeviceStateCallback(b"test", function, None) == RT_PARAM_INVALID
    assert lib.aclrtSetDevice(0) == 0
    assert lib.aclrtResetDevice(0) == 0
    assert seen == [(0, state, 5) for state in range(4)]
    nothing = DEVICE_STATE()
    assert lib.aclrtRegDeviceStateCallback(b"test", nothing, None) == 0
    assert lib.aclrtRegDeviceStateCallback(b"test", nothing, None) == RT_PARAM_INVALID
    assert lib.aclrtSetDevice(0) == 0
    assert lib.aclrtResetDevice(0) == 0
    assert len(seen) == 4
    assert lib.aclrtRegDeviceStateCallback(None, function, None) == INVALID_PARAM
    assert lib.aclrtRegDeviceStateCallback(b"", function, None) == INVALID_PARAM


def test_streams(lib, device):
    seen, stream = [], c_void_p()
    function = STREAM_STATE(lambda stream, state, data: seen.append((stream, state, data)))
    assert lib.aclrtRegStreamStateCallback(b"test", function, c_void_p(6)) == 0
    assert lib.aclrtCreateStream(stream) == 0
    assert lib.aclrtDestroyStream(stream) == 0
    assert seen == [(stream.value, 1, 6), (stream.value, 2, 6)]
    assert lib.aclrtRegStreamStateCallback(b"test", STREAM_STATE(), None) == 0


def test_abortions(lib):
    function = ABORT(lambda *_: 0)
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", function, None) == 0
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", function, None) == RT_PARAM_INVALID
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", ABORT(), None) == 0


def fail(stream):
    """Launches an operator whose memory does not exist."""
    c = _capi.library()
    tensor = c.aclCreateTensor(dims(4), 1, 0, None, 0, 2, dims(4), 1, c_void_p(64))
    scalars = [c.aclCreateScalar(byref(c_float(1)), 0) for _ in range(2)]
    size, executor = c_uint64(), c_void_p()
    code = c.aclnnInplaceAddsGetWorkspaceSize(tensor, *scalars, byref(size), byref(executor))
    assert code == 0
    assert c.aclnnInplaceAdds(None, 0, executor, stream) == 0
    for scalar in scalars:
        assert c.aclDestroyScalar(scalar) == 0
    assert c.aclDestroyTensor(tensor) == 0


@pytest.fixture
def number(lib, stream):
    found = c_int32()
    assert lib.aclrtStreamGetId(stream, found) == 0
    return found.value


def test_tasks_that_fail(lib, stream, number):
    seen, kept = [], []

    def note(info):
        kept.append(info)
        seen.append(
            (
                lib.aclrtGetDeviceIdFromExceptionInfo(info),
                lib.aclrtGetStreamIdFromExceptionInfo(info),
                lib.aclrtGetErrorCodeFromExceptionInfo(info),
                lib.aclrtGetTaskIdFromExceptionInfo(info),
                lib.aclrtGetThreadIdFromExceptionInfo(info) not in (0, UNKNOWN),
            )
        )

    function, other = EXCEPTION(note), EXCEPTION(lambda _: seen.append("set"))
    assert lib.aclrtExceptionInfoCallbackRegister(function) == 0
    assert lib.aclrtExceptionInfoCallbackRegister(function) == 0
    assert lib.aclrtSetExceptionInfoCallback(other) == 0
    fail(stream)
    assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
    (device, on, code, task, has_thread), is_set = seen
    assert (device, on, code, has_thread, is_set) == (0, number, RT_AICORE_EXCEPTION, True, "set")
    # What the function got means nothing any more.
    assert lib.aclrtGetErrorCodeFromExceptionInfo(c_void_p(kept[0])) == UNKNOWN
    assert lib.aclrtGetErrorCodeFromExceptionInfo(None) == UNKNOWN
    fail(stream)
    assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
    assert seen[2][3] == task + 1
    assert lib.aclrtExceptionInfoCallbackUnregister(function) == 0
    assert lib.aclrtSetExceptionInfoCallback(EXCEPTION()) == 0
    fail(stream)
    assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
    assert len(seen) == 4
    assert lib.aclrtExceptionInfoCallbackRegister(EXCEPTION()) == INVALID_PARAM
    assert lib.aclrtExceptionInfoCallbackUnregister(EXCEPTION()) == INVALID_PARAM


ALLOCATE = CFUNCTYPE(c_void_p, c_void_p, ctypes.c_size_t)
FREE = CFUNCTYPE(None, c_void_p, c_void_p)
ADVISE = CFUNCTYPE(c_void_p, c_void_p, ctypes.c_size_t, c_void_p)
ADDRESS = CFUNCTYPE(c_void_p, c_void_p)


def allocator_of(lib, stream):
    found = [c_void_p(1) for _ in range(6)]
    assert lib.aclrtAllocatorGetByStream(stream, *map(byref, found)) == 0
    return [each.value for each in found]


def address(function):
    return ctypes.cast(function, c_void_p).value


def test_allocators(lib, stream):
    functions = ALLOCATE(lambda *_: None), FREE(lambda *_: None), ADVISE(lambda *_: None)
    allocate, release, advise = functions
    place = ADDRESS(lambda _: None)
    assert allocator_of(lib, stream) == [None] * 6
    description = lib.aclrtAllocatorCreateDesc()
    assert lib.aclrtAllocatorSetObjToDesc(description, c_void_p(8)) == 0
    assert lib.aclrtAllocatorSetAllocFuncToDesc(description, allocate) == 0
    assert lib.aclrtAllocatorSetFreeFuncToDesc(description, release) == 0
    assert lib.aclrtAllocatorSetAllocAdviseFuncToDesc(description, advise) == 0
    assert lib.aclrtAllocatorRegister(stream, description) == INVALID_PARAM  # not complete
    assert lib.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, place) == 0
    assert lib.aclrtAllocatorRegister(stream, description) == 0
    expected = [description, 8, *map(address, (allocate, release, advise, place))]
    assert allocator_of(lib, stream) == expected
    assert lib.aclrtAllocatorUnregister(stream) == 0
    assert allocator_of(lib, stream) == [None] * 6
    assert lib.aclrtAllocatorSetObjToDesc(description, None) == INVALID_PARAM
    assert lib.aclrtAllocatorDestroyDesc(description) == 0
    assert lib.aclrtAllocatorDestroyDesc(description) == INVALID_PARAM
    assert lib.aclrtAllocatorSetAllocFuncToDesc(description, allocate) == INVALID_PARAM

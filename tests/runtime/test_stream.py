# SPDX-License-Identifier: Apache-2.0
"""Streams: creation, ownership, limits, bad handles."""

from ctypes import c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_INVALID_HANDLE,
    RT_STREAM_CONTEXT,
    dims,
    text,
)


def test_life(lib, device):
    stream = c_void_p()
    assert lib.aclrtCreateStream(stream) == 0
    assert stream.value
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtDestroyStream(stream) == 0
    assert lib.aclrtDestroyStream(stream) == RT_INVALID_HANDLE
    assert "was destroyed" in text(lib)
    assert lib.aclrtSynchronizeStream(stream) == RT_INVALID_HANDLE


def test_null_arguments(lib, device):
    assert lib.aclrtCreateStream(None) == INVALID_PARAM
    assert lib.aclrtDestroyStream(None) == INVALID_PARAM
    assert lib.aclrtSynchronizeStream(None) == 0


@pytest.mark.parametrize("pointer", [1, 0x7FFF12345678, 2**64 - 1])
def test_pointers_that_are_no_streams(lib, device, pointer):
    assert lib.aclrtDestroyStream(pointer) == RT_INVALID_HANDLE
    assert lib.aclrtSynchronizeStream(pointer) == RT_INVALID_HANDLE
    assert "is not a stream" in text(lib)


def test_a_tensor_is_no_stream(lib, device):
    tensor = lib.aclCreateTensor(dims(1), 1, 0, None, 0, 2, dims(1), 1, None)
    assert lib.aclrtDestroyStream(tensor) == RT_INVALID_HANDLE
    assert lib.aclDestroyTensor(tensor) == 0


def test_a_thread_without_context(lib, stream, in_thread):
    assert in_thread(lambda: lib.aclrtSynchronizeStream(stream)) == RT_CONTEXT_NULL
    assert in_thread(lambda: lib.aclrtDestroyStream(stream)) == RT_CONTEXT_NULL
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_streams_of_other_contexts(lib, stream):
    context = c_void_p()
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtDestroyStream(stream) == RT_STREAM_CONTEXT
    assert "aclrtSetCurrentContext" in text(lib)
    assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclrtDestroyStream(stream) == 0


def test_streams_end_with_their_context(lib, device):
    context, stream = c_void_p(), c_void_p()
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtCreateStream(stream) == 0
    assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclrtSynchronizeStream(stream) == RT_INVALID_HANDLE


def test_limit(in_process):
    in_process("""
assert lib.aclrtSetDevice(0) == 0
streams = []
while True:
    stream = c_void_p()
    code = lib.aclrtCreateStream(stream)
    if code: break
    streams.append(stream)
assert code == RT_NO_STREAM_RESOURCE and len(streams) == 1984
assert "1984" in text(lib)
assert len({stream.value for stream in streams}) == 1984
context = c_void_p()
assert lib.aclrtCreateContext(context, 0) == 0
assert lib.aclrtCreateStream(c_void_p()) == RT_NO_STREAM_RESOURCE
assert lib.aclrtDestroyContext(context) == 0
assert lib.aclrtDestroyStream(streams.pop()) == 0
assert lib.aclrtCreateStream(c_void_p()) == 0
assert lib.aclrtResetDevice(0) == 0
assert lib.aclrtSetDevice(0) == 0
assert lib.aclrtCreateStream(c_void_p()) == 0
""")

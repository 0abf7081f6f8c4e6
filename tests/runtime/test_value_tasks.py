# SPDX-License-Identifier: Apache-2.0
"""Streams that write 64 bits, wait for 64 bits, or wait for an event for a while."""

import ctypes
from ctypes import c_uint64, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_INVALID_HANDLE, RT_PARAM_INVALID, RT_WAIT_TIMEOUT

GEQ, EQ, AND, NOR = range(4)
ALL = (1 << 64) - 1


@pytest.fixture
def word(memory):
    return memory()


def read(lib, memory):
    value = c_uint64()
    assert lib.aclrtMemcpy(ctypes.byref(value), 8, memory, 8, 2) == 0
    return value.value


def test_a_value_is_written_when_the_stream_gets_there(lib, stream, gate, word):
    assert lib.aclrtValueWrite(word, ALL - 5, 0, stream) == 0
    assert read(lib, word) == 0
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert read(lib, word) == ALL - 5


@pytest.mark.parametrize(
    ("flag", "awaited", "before", "value"),
    [(GEQ, 5, 4, 6), (GEQ, 0, ALL, 0), (EQ, 5, 6, 5), (AND, 6, 9, 4), (NOR, 1, ALL, ALL - 2)],
)
def test_a_stream_waits_for_a_value(lib, stream, other, word, flag, awaited, before, value):
    for written in (before, value):
        assert lib.aclrtValueWrite(word, written, 0, other) == 0
        assert lib.aclrtSynchronizeStream(other) == 0
        if written == before:
            assert lib.aclrtValueWait(word, awaited, flag, stream) == 0
            assert lib.aclrtSynchronizeStreamWithTimeout(stream, 20) != 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


def test_wrong_values(lib, stream, word):
    odd = c_void_p(word.value + 4)
    for function in (lib.aclrtValueWrite, lib.aclrtValueWait):
        assert function(None, 1, 0, stream) == INVALID_PARAM
        assert function(odd, 1, 0, stream) == RT_PARAM_INVALID
        assert function(word, 1, 4, stream) == RT_PARAM_INVALID
        assert function(c_void_p(64), 1, 0, stream) == RT_PARAM_INVALID
        assert function(word, 1, 0, c_void_p(1)) == RT_INVALID_HANDLE
    assert lib.aclrtValueWrite(word, 1, 1, stream) == RT_PARAM_INVALID


def test_a_wait_for_an_event_may_take_too_long(lib, stream):
    event = c_void_p()
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    assert lib.aclrtStreamWaitEventWithTimeout(stream, event, -1) == RT_PARAM_INVALID
    assert lib.aclrtStreamWaitEventWithTimeout(stream, event, 1) == 0
    assert lib.aclrtSynchronizeStream(stream) == RT_WAIT_TIMEOUT
    assert lib.aclrtDestroyEvent(event) == 0

# SPDX-License-Identifier: Apache-2.0
"""Copies and fills in a stream: pinned and pageable memory, rows, arguments."""

import ctypes
from ctypes import c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_FEATURE_NOT_SUPPORT,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    text,
)

TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3


@pytest.fixture
def memory(lib, device):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, 100000, 0) == 0
    yield pointer.value
    lib.aclrtFree(pointer)


@pytest.fixture
def pinned(lib, device):
    pointer = c_void_p()
    assert lib.aclrtMallocHost(pointer, 100000) == 0
    yield pointer.value
    lib.aclrtFreeHost(pointer)


@pytest.mark.parametrize("size", [8, 100000])
def test_pinned_memory_is_copied_when_its_turn_comes(lib, stream, gate, memory, pinned, size):
    assert lib.aclrtMemcpyAsync(memory, size, pinned, size, TO_DEVICE, stream) == 0
    ctypes.memset(pinned, 7, size)  # on purpose before the copy has happened
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert ctypes.string_at(memory, size) == b"\x07" * size


def test_pageable_memory_is_copied_behind_the_queue_before_the_call_returns(lib, stream, memory):
    source = ctypes.create_string_buffer(b"abcd", 4)
    target = ctypes.create_string_buffer(4)
    assert lib.aclrtMemsetAsync(memory, 4, 1, 4, stream) == 0
    assert lib.aclrtMemcpyAsync(memory, 4, source, 4, TO_DEVICE, stream) == 0
    ctypes.memset(source, 0, 4)
    assert lib.aclrtMemcpyAsync(target, 4, memory, 4, TO_HOST, stream) == 0
    assert target.raw == b"abcd"


def test_a_copy_that_needs_pinned_memory(lib, stream, memory, pinned):
    copy = lib.aclrtMemcpyAsyncWithCondition
    source = ctypes.create_string_buffer(4)
    assert copy(memory, 4, source, 4, TO_DEVICE, stream) == RT_FEATURE_NOT_SUPPORT
    assert "pinned" in text(lib)
    assert copy(memory, 4, pinned, 4, TO_DEVICE, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_copy_arguments(lib, stream, memory, pinned, in_thread):
    copy = lib.aclrtMemcpyAsync
    assert copy(None, 0, None, 0, 99, None) == 0
    assert copy(None, 8, pinned, 8, TO_DEVICE, stream) == INVALID_PARAM
    assert copy(memory, 8, None, 8, TO_DEVICE, stream) == INVALID_PARAM
    assert copy(memory, 8, pinned, 8, 99, stream) == INVALID_PARAM
    assert copy(memory, 7, pinned, 8, TO_DEVICE, stream) == RT_PARAM_INVALID
    assert copy(memory, 8, memory, 8, ON_DEVICE, 12345) == 0
    assert copy(memory, 8, pinned, 8, 0, stream) == RT_FEATURE_NOT_SUPPORT
    assert copy(memory, 8, pinned, 8, TO_DEVICE, 12345) == RT_INVALID_HANDLE
    assert copy(memory, 2**30, pinned, 2**30, TO_DEVICE, stream) == RT_PARAM_INVALID
    assert in_thread(lambda: copy(memory, 8, pinned, 8, TO_DEVICE, stream)) == RT_CONTEXT_NULL


@pytest.mark.parametrize("bad", [1, 4096, 2**47 - 4096, 0x2FFFFFFFF000])
def test_addresses_without_memory(lib, stream, memory, bad):
    assert lib.aclrtMemcpy(memory, 8, bad, 8, TO_DEVICE) == RT_PARAM_INVALID
    assert lib.aclrtMemcpy(bad, 8, memory, 8, TO_HOST) == RT_PARAM_INVALID
    assert lib.aclrtMemcpyAsync(bad, 8, memory, 8, TO_HOST, stream) == RT_PARAM_INVALID
    assert lib.aclrtMemset(bad, 8, 0, 8) == RT_PARAM_INVALID
    assert lib.aclrtMemsetAsync(bad, 8, 0, 8, stream) == RT_PARAM_INVALID
    assert "no memory" in text(lib)


def test_freed_memory(lib, stream, memory):
    old = c_void_p()
    assert lib.aclrtMalloc(old, 64, 0) == 0
    assert lib.aclrtFree(old) == 0
    assert lib.aclrtMemcpy(memory, 8, old, 8, ON_DEVICE) == RT_PARAM_INVALID


def test_memory_freed_too_early_does_not_hurt(lib, stream, gate, memory):
    old = c_void_p()
    assert lib.aclrtMalloc(old, 100000, 0) == 0
    assert lib.aclrtMemcpyAsync(memory, 100000, old, 100000, ON_DEVICE, stream) == 0
    assert lib.aclrtFree(old) == 0
    assert lib.aclrtFree(old) == RT_PARAM_INVALID
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_fill(lib, stream, gate, memory, in_thread):
    fill = lib.aclrtMemsetAsync
    assert fill(memory, 100, 0x105, 4, stream) == 0
    assert ctypes.string_at(memory, 4) == bytes(4)
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert ctypes.string_at(memory, 5) == b"\5\5\5\5\0"
    assert fill(None, 0, 1, 0, None) == 0
    assert fill(None, 8, 1, 8, stream) == INVALID_PARAM
    assert fill(memory, 7, 1, 8, stream) == RT_PARAM_INVALID
    assert fill(memory, 8, 1, 8, 12345) == RT_INVALID_HANDLE
    assert in_thread(lambda: fill(memory, 8, 1, 8, stream)) == RT_CONTEXT_NULL


def copy_rows(lib, stream):
    """Both forms of the copy under one signature."""

    def now(*arguments):
        return lib.aclrtMemcpy2d(*arguments)

    def queued(*arguments):
        code = lib.aclrtMemcpy2dAsync(*arguments, stream)
        assert lib.aclrtSynchronizeStream(stream) == 0
        return code

    return now, queued


@pytest.mark.parametrize("form", [0, 1])
def test_rows(lib, stream, memory, form):
    copy = copy_rows(lib, stream)[form]
    source, target = (
        ctypes.create_string_buffer(b"ab..cd..ef", 10),
        ctypes.create_string_buffer(10),
    )
    assert copy(memory, 3, source, 4, 2, 3, TO_DEVICE) == 0
    assert ctypes.string_at(memory, 8) == b"ab\0cd\0ef"
    assert copy(target, 2, memory, 3, 2, 3, TO_HOST) == 0
    assert target.raw == b"abcdef\0\0\0\0"


@pytest.mark.parametrize("form", [0, 1])
def test_row_arguments(lib, stream, memory, pinned, form, in_thread):
    copy = copy_rows(lib, stream)[form]
    assert copy(None, 0, None, 0, 0, 5, 99) == 0
    assert copy(None, 0, None, 0, 5, 0, 99) == 0
    assert copy(None, 4, pinned, 4, 4, 1, 1) == INVALID_PARAM
    assert copy(memory, 4, None, 4, 4, 1, 1) == INVALID_PARAM
    for kind in (-1, 0, 5, 6):
        assert copy(memory, 4, pinned, 4, 4, 1, kind) == INVALID_PARAM
    assert copy(memory, 3, pinned, 4, 4, 1, 1) == INVALID_PARAM
    assert copy(memory, 4, pinned, 3, 4, 1, 1) == INVALID_PARAM
    assert copy(memory, 2**40, pinned, 4, 4, 2, 1) == RT_PARAM_INVALID
    assert copy(memory, 2**63, pinned, 2**63, 4, 2**62, 1) == RT_PARAM_INVALID
    assert in_thread(lambda: lib.aclrtMemcpy2d(memory, 4, pinned, 4, 4, 1, 1)) == RT_CONTEXT_NULL

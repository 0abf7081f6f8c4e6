# SPDX-License-Identifier: Apache-2.0
"""Device and host memory: alignment, zeros, the tail, copies, and every wrong argument."""

import ctypes
from ctypes import c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_MEMORY_ALLOCATION,
    RT_PARAM_INVALID,
    dims,
    text,
)

TAIL = 64 * 1024


@pytest.fixture
def memory(lib, device):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, 100, 0) == 0
    yield pointer
    lib.aclrtFree(pointer)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 4096, 1_000_003])
def test_allocations_are_aligned_and_zero_beyond_their_end(lib, device, size):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, size, 0) == 0
    assert pointer.value % 64 == 0
    usable = (size + 31) // 32 * 32 + 32 + TAIL
    assert ctypes.string_at(pointer, usable) == bytes(usable)
    ctypes.memset(pointer, 0xAB, usable)
    assert lib.aclrtFree(pointer) == 0


def test_reused_memory_is_zero_again(lib, device):
    for _ in range(50):
        pointer = c_void_p()
        assert lib.aclrtMalloc(pointer, 5000, 0) == 0
        assert ctypes.string_at(pointer, 5000) == bytes(5000)
        ctypes.memset(pointer, 0xFF, 5000)
        assert lib.aclrtFree(pointer) == 0


@pytest.mark.parametrize("policy", [0, 1, 2, 7, 0x1000, -5, 12345])
def test_any_policy_will_do(lib, device, policy):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, 8, policy) == 0
    assert lib.aclrtFree(pointer) == 0


def test_malloc_arguments(lib, device):
    pointer = c_void_p(5)
    assert lib.aclrtMalloc(None, 8, 0) == INVALID_PARAM
    assert lib.aclrtMalloc(pointer, 0, 0) == INVALID_PARAM
    assert lib.aclrtMalloc(pointer, 2**64 - 1, 0) == INVALID_PARAM
    assert lib.aclrtMallocHost(None, 8) == INVALID_PARAM
    assert lib.aclrtMallocHost(pointer, 0) == INVALID_PARAM
    assert pointer.value == 5


def test_out_of_memory(lib, device):
    pointer = c_void_p(5)
    assert lib.aclrtMalloc(pointer, 2**50, 0) == RT_MEMORY_ALLOCATION
    assert str(2**50) in text(lib)
    assert pointer.value == 5


def test_free_arguments(lib, memory):
    host = c_void_p()
    local = ctypes.create_string_buffer(64)
    assert lib.aclrtMallocHost(host, 8) == 0
    assert lib.aclrtFree(None) == INVALID_PARAM
    assert lib.aclrtFreeHost(None) == INVALID_PARAM
    for bad in (1, memory.value + 1, memory.value + 32, ctypes.addressof(local), host.value):
        assert lib.aclrtFree(bad) == RT_PARAM_INVALID
        assert hex(bad) in text(lib)
    assert lib.aclrtFreeHost(memory) == RT_PARAM_INVALID
    assert lib.aclrtFreeHost(host) == 0
    assert lib.aclrtFreeHost(host) == RT_PARAM_INVALID
    assert lib.aclrtFree(memory) == 0
    assert lib.aclrtFree(memory) == RT_PARAM_INVALID


def test_a_second_free_does_not_hit_a_newer_allocation(lib, device):
    old, new = c_void_p(), c_void_p()
    assert lib.aclrtMalloc(old, 100, 0) == 0
    assert lib.aclrtFree(old) == 0
    assert lib.aclrtMalloc(new, 100, 0) == 0
    assert lib.aclrtFree(old) == RT_PARAM_INVALID
    assert lib.aclrtFree(new) == 0


def test_free_needs_no_context(lib, memory, in_thread):
    assert in_thread(lambda: lib.aclrtFree(memory)) == 0


def test_host_memory(lib, device):
    pointer = c_void_p()
    assert lib.aclrtMallocHost(pointer, 100) == 0
    assert pointer.value % 64 == 0
    ctypes.memset(pointer, 1, 100)
    assert lib.aclrtFreeHost(pointer) == 0


@pytest.mark.parametrize("kind", range(6))
def test_copy_there_and_back(lib, memory, kind):
    source, target = ctypes.create_string_buffer(b"abcdefgh", 8), ctypes.create_string_buffer(8)
    assert lib.aclrtMemcpy(memory, 100, source, 8, kind) == 0
    assert lib.aclrtMemcpy(target, 8, memory, 8, kind) == 0
    assert target.raw == b"abcdefgh"


def test_overlapping_copy(lib, memory):
    ctypes.memmove(memory, b"0123456789", 10)
    assert lib.aclrtMemcpy(memory.value + 2, 98, memory, 8, 3) == 0
    assert ctypes.string_at(memory, 10) == b"0101234567"


def test_copy_arguments_in_their_order(lib, memory):
    other = ctypes.create_string_buffer(200)
    copy = lib.aclrtMemcpy
    assert copy(None, 0, None, 0, 99) == 0
    assert copy(None, 8, other, 8, 99) == INVALID_PARAM
    assert "dst" in text(lib)
    assert copy(memory, 8, None, 8, 99) == INVALID_PARAM
    assert "src" in text(lib)
    for kind in (-1, 6, 7, 99):
        assert copy(memory, 0, other, 8, kind) == INVALID_PARAM
        assert "kind" in text(lib)
    assert copy(memory, 0, other, 8, 1) == RT_PARAM_INVALID
    assert copy(memory, 7, other, 8, 1) == RT_PARAM_INVALID
    assert "destMax" in text(lib)


def test_copy_without_context(lib, memory, in_thread):
    other = ctypes.create_string_buffer(8)
    assert in_thread(lambda: lib.aclrtMemcpy(memory, 8, other, 8, 1)) == RT_CONTEXT_NULL
    assert in_thread(lambda: lib.aclrtMemcpy(memory, 8, memory, 8, 1)) == 0
    assert in_thread(lambda: lib.aclrtMemcpy(memory, 8, other, 0, 1)) == 0


def test_copies_that_leave_the_allocation(lib, memory):
    size = 1 << 20
    host = ctypes.create_string_buffer(size)
    assert lib.aclrtMemcpy(memory, size, host, size, 1) == RT_PARAM_INVALID
    assert "dst" in text(lib)
    assert lib.aclrtMemcpy(host, size, memory, size, 2) == RT_PARAM_INVALID
    assert "src" in text(lib)
    assert lib.aclrtMemset(memory, size, 1, size) == RT_PARAM_INVALID
    assert lib.aclrtMemcpy(memory.value + 50, size, host, TAIL, 1) == 0


def test_memset(lib, memory, in_thread):
    assert lib.aclrtMemset(memory, 100, 0x1FF, 3) == 0
    assert ctypes.string_at(memory, 4) == b"\xff\xff\xff\0"
    assert lib.aclrtMemset(None, 0, 1, 0) == 0
    assert lib.aclrtMemset(None, 8, 1, 8) == INVALID_PARAM
    assert lib.aclrtMemset(memory, 7, 1, 8) == RT_PARAM_INVALID
    assert in_thread(lambda: lib.aclrtMemset(memory, 8, 1, 8)) == RT_CONTEXT_NULL


def test_handles_are_not_memory(lib, device):
    tensor = lib.aclCreateTensor(dims(1), 1, 0, None, 0, 2, dims(1), 1, None)
    assert lib.aclrtFree(tensor) == RT_PARAM_INVALID
    assert lib.aclDestroyTensor(tensor) == 0

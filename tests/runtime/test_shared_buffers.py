# SPDX-License-Identifier: Apache-2.0
"""Shared buffers under both of their names: memory, lengths, bytes of the program, chains."""

import ctypes
from ctypes import byref, c_size_t, c_uint32, c_void_p, create_string_buffer

import pytest
from c_library import INVALID_PARAM, RT_CONTEXT_NULL, RT_PARAM_INVALID, text

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


class Buffers:
    def __init__(self, lib, prefix):
        self.lib, self.prefix = lib, prefix

    def __getattr__(self, name):
        return getattr(self.lib, self.prefix + name)

    def new(self, size=64):
        handle = c_void_p()
        given = (byref(handle), size) if self.prefix == "aclrt" else (size, 0, byref(handle))
        assert self.AllocBuf(*given) == 0
        return handle

    def place(self, handle):
        start, size = c_void_p(), c_size_t()
        assert self.GetBufData(handle, byref(start), byref(size)) == 0
        return start.value, size.value

    def length(self, handle):
        length = c_size_t()
        assert self.GetBufDataLen(handle, byref(length)) == 0
        return length.value

    def user(self, handle, size, offset=0):
        bytes_ = create_string_buffer(size)
        assert self.GetBufUserData(handle, bytes_, size, offset) == 0
        return bytes_.raw


@pytest.fixture(params=["aclrt", "acltdt"])
def buffers(request, lib, device):
    return Buffers(lib, request.param)


def test_memory_of_the_device(lib, buffers):
    handle = buffers.new(100)
    start, size = buffers.place(handle)
    assert size == 100
    assert lib.aclrtMemcpy(start, 100, b"x" * 100, 100, HOST_TO_DEVICE) == 0
    assert ctypes.string_at(start, 100) == b"x" * 100
    assert buffers.FreeBuf(handle) == 0
    assert lib.aclrtMemset(start, 100, 0, 100) == RT_PARAM_INVALID  # the memory is gone
    assert buffers.FreeBuf(handle) == RT_PARAM_INVALID
    assert "it may be freed" in text(lib)


def test_length_is_what_the_program_says(lib, buffers):
    handle = buffers.new(10)
    assert buffers.length(handle) == 0
    assert buffers.SetBufDataLen(handle, 7) == 0
    assert buffers.length(handle) == 7
    assert buffers.SetBufDataLen(handle, 11) == RT_PARAM_INVALID
    assert "the buffer has 10 bytes" in text(lib)
    assert buffers.FreeBuf(handle) == 0


def test_bytes_of_the_program(buffers):
    handle = buffers.new()
    assert buffers.user(handle, 96) == bytes(96)
    assert buffers.SetBufUserData(handle, b"abc", 3, 93) == 0
    assert buffers.user(handle, 96) == bytes(93) + b"abc"
    assert buffers.SetBufUserData(handle, b"abc", 3, 94) == INVALID_PARAM
    assert buffers.GetBufUserData(handle, None, 2**64 - 1, 2) == INVALID_PARAM
    assert buffers.FreeBuf(handle) == 0


def test_a_copy_has_the_same_memory(lib, buffers):
    first, copy = buffers.new(), c_void_p()
    assert buffers.SetBufDataLen(first, 5) == buffers.SetBufUserData(first, b"u", 1, 0) == 0
    assert buffers.CopyBufRef(first, byref(copy)) == 0
    assert buffers.place(copy) == buffers.place(first)
    assert (buffers.length(copy), buffers.user(copy, 1)) == (5, b"u")
    start, _ = buffers.place(first)
    assert buffers.FreeBuf(first) == 0
    assert lib.aclrtMemset(start, 64, 1, 64) == 0  # the copy holds it
    assert buffers.FreeBuf(copy) == 0
    assert lib.aclrtMemset(start, 64, 1, 64) == RT_PARAM_INVALID


def test_chains(lib, buffers):
    head, *rest = (buffers.new() for _ in range(3))
    for each in rest:
        assert buffers.AppendBufChain(head, each) == 0
    number, found = c_uint32(), c_void_p()
    assert buffers.GetBufChainNum(head, byref(number)) == 0
    assert number.value == 3
    for index, each in enumerate((head, *rest)):
        assert buffers.GetBufFromChain(head, index, byref(found)) == 0
        assert found.value == each.value
    assert buffers.GetBufFromChain(head, 3, byref(found)) == RT_PARAM_INVALID
    assert buffers.FreeBuf(rest[0]) == RT_PARAM_INVALID
    assert "free the head" in text(lib)
    assert buffers.FreeBuf(head) == 0
    assert buffers.GetBufChainNum(rest[1], byref(number)) == RT_PARAM_INVALID


def test_chains_of_chains_are_refused(lib, buffers):
    head, member, other, another = (buffers.new() for _ in range(4))
    assert buffers.AppendBufChain(head, member) == buffers.AppendBufChain(other, another) == 0
    for first, added, message in (
        (member, other, f"headBuf {member.value:#x} belongs to a chain; pass its head"),
        (head, head, f"buf {head.value:#x} is headBuf itself"),
        (other, member, f"buf {member.value:#x} belongs to a chain already"),
        (head, other, f"buf {other.value:#x} is the head of a chain"),
    ):
        assert buffers.AppendBufChain(first, added) == RT_PARAM_INVALID
        assert message in text(lib)
    assert buffers.FreeBuf(head) == buffers.FreeBuf(other) == 0


def test_a_chain_has_128_buffers(buffers):
    head = buffers.new()
    for _ in range(127):
        assert buffers.AppendBufChain(head, buffers.new(1)) == 0
    spare = buffers.new(1)
    assert buffers.AppendBufChain(head, spare) == RT_PARAM_INVALID
    assert buffers.FreeBuf(head) == buffers.FreeBuf(spare) == 0


def test_what_cannot_be(lib, in_thread, device):
    handle = c_void_p()
    assert lib.aclrtAllocBuf(None, 8) == INVALID_PARAM
    assert lib.aclrtAllocBuf(byref(handle), 0) == INVALID_PARAM
    assert lib.aclrtAllocBuf(byref(handle), (4 << 30) + 1) == RT_PARAM_INVALID
    assert "is 4294967297; a buffer has at most 4294967296 bytes" in text(lib)
    assert lib.acltdtAllocBuf(8, 1, byref(handle)) == RT_PARAM_INVALID
    assert "is 1; it must be ACL_TDT_NORMAL_MEM (0)" in text(lib)
    assert in_thread(lambda: lib.aclrtAllocBuf(byref(handle), 8)) == RT_CONTEXT_NULL
    assert lib.aclrtFreeBuf(None) == INVALID_PARAM
    assert lib.aclrtFreeBuf(c_void_p(77)) == RT_PARAM_INVALID

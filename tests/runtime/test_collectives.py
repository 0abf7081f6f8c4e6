# SPDX-License-Identifier: Apache-2.0
"""HCCL: communicators of one rank work, larger ones say that they are not supported."""

import ctypes
import struct

import pytest

from aclhost import acl
from aclhost.acl import _capi

SUCCESS, PARAMETER, POINTER, NOT_SUPPORTED, RUNTIME = 0, 1, 2, 5, 15
FP32, SUM = 4, 0
VALUES = (1.0, -2.0, 3.5, 0.25)
BYTES = 4 * len(VALUES)
NAME_IN_CONFIG = 32  # behind 24 reserved bytes and two numbers


def hccl(name, *arguments):
    return getattr(_capi.library(), name)(*arguments)


def number(value):
    return ctypes.byref(ctypes.c_uint64(value))


@pytest.fixture
def root():
    info = ctypes.create_string_buffer(4108)
    assert hccl("HcclGetRootInfo", info) == SUCCESS
    return info


@pytest.fixture
def comm(root, device, no_leaks):
    handle = ctypes.c_void_p()
    assert hccl("HcclCommInitRootInfo", 1, root, 0, ctypes.byref(handle)) == SUCCESS
    yield handle
    assert hccl("HcclCommDestroy", handle) == SUCCESS


@pytest.fixture
def buffers(device):
    """Four values, and room for them."""
    data = struct.pack("4f", *VALUES)
    pair = [acl.rt.malloc(BYTES, 0)[0] for _ in range(2)]
    source = acl.util.bytes_to_ptr(data)
    assert acl.rt.memcpy(pair[0], BYTES, source, BYTES, 1) == 0
    assert acl.rt.memset(pair[1], BYTES, 0, BYTES) == 0
    yield pair
    for address in pair:
        assert acl.rt.free(address) == 0


def values(address):
    assert acl.rt.synchronize_device() == 0
    data = bytes(BYTES)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(data), BYTES, address, BYTES, 2) == 0
    return struct.unpack("4f", data)


COPIES = {
    "HcclAllReduce": lambda s, r: (s, r, 4, FP32, SUM),
    "HcclReduce": lambda s, r: (s, r, 4, FP32, SUM, 0),
    "HcclReduceScatter": lambda s, r: (s, r, 4, FP32, SUM),
    "HcclReduceScatterV": lambda s, r: (s, number(4), number(0), r, 4, FP32, SUM),
    "HcclScatter": lambda s, r: (s, r, 4, FP32, 0),
    "HcclAllGather": lambda s, r: (s, r, 4, FP32),
    "HcclAllGatherV": lambda s, r: (s, 4, r, number(4), number(0), FP32),
    "HcclAlltoAll": lambda s, r: (s, 4, FP32, r, 4, FP32),
    "HcclAlltoAllV": lambda s, r: (s, number(4), number(0), FP32, r, number(4), number(0), FP32),
    "HcclAlltoAllVC": lambda s, r: (s, number(4), FP32, r, FP32),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_collective_of_one_rank_is_a_copy(name, comm, buffers, stream):
    source, target = buffers
    assert hccl(name, *COPIES[name](source, target), comm, stream) == SUCCESS
    assert values(target) == VALUES
    assert values(source) == VALUES


@pytest.mark.parametrize("name", COPIES)
def test_in_place_changes_nothing(name, comm, buffers, stream):
    source, _ = buffers
    assert hccl(name, *COPIES[name](source, source), comm, stream) == SUCCESS
    assert values(source) == VALUES


def test_places_count_items(comm, buffers, stream):
    source, target = buffers
    arguments = (source, number(2), number(1), FP32, target, number(2), number(2), FP32)
    assert hccl("HcclAlltoAllV", *arguments, comm, stream) == SUCCESS
    assert values(target) == (0.0, 0.0, -2.0, 3.5)


def test_broadcast_and_barrier(comm, buffers, stream):
    assert hccl("HcclBroadcast", buffers[0], 4, FP32, 0, comm, stream) == SUCCESS
    assert hccl("HcclBarrier", comm, stream) == SUCCESS
    assert values(buffers[0]) == VALUES


def test_who_is_there(comm):
    size, rank, error = ctypes.c_uint32(), ctypes.c_uint32(7), ctypes.c_int(7)
    name = ctypes.create_string_buffer(128)
    assert hccl("HcclGetRankSize", comm, ctypes.byref(size)) == SUCCESS
    assert hccl("HcclGetRankId", comm, ctypes.byref(rank)) == SUCCESS
    assert hccl("HcclGetCommName", comm, name) == SUCCESS
    assert hccl("HcclGetCommAsyncError", comm, ctypes.byref(error)) == SUCCESS
    assert (size.value, rank.value, name.value, error.value) == (1, 0, b"hccl_world_group", 0)


def test_other_ways_to_a_communicator(comm, device):
    handle, ranks = ctypes.c_void_p(), (ctypes.c_uint32 * 1)(0)
    devices = (ctypes.c_int32 * 1)(0)
    assert hccl("HcclCommInitAll", 1, devices, ctypes.byref(handle)) == SUCCESS
    assert hccl("HcclCommDestroy", handle) == SUCCESS
    parent = ctypes.byref(comm)
    made = (parent, 1, ranks, 0, 0, None, ctypes.byref(handle))
    assert hccl("HcclCreateSubCommConfig", *made) == SUCCESS
    assert hccl("HcclCommDestroy", handle) == SUCCESS


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"tensor_parallel", b"tensor_parallel"),
        (b"", b"hccl_world_group"),
        (b"n" * 128, b"n" * 127),
    ],
)
def test_a_configuration_names_a_communicator(root, device, no_leaks, given, expected):
    config, handle = ctypes.create_string_buffer(4096), ctypes.c_void_p()
    config[NAME_IN_CONFIG : NAME_IN_CONFIG + len(given)] = given
    name = ctypes.create_string_buffer(128)
    made = (1, root, 0, config, ctypes.byref(handle))
    assert hccl("HcclCommInitRootInfoConfig", *made) == SUCCESS
    assert hccl("HcclGetCommName", handle, name) == SUCCESS
    assert name.value == expected
    assert hccl("HcclCommDestroy", handle) == SUCCESS
    assert hccl("HcclCommInitRootInfoConfig", 2, *made[1:]) == NOT_SUPPORTED
    assert hccl("HcclCommInitRootInfoConfig", 1, None, *made[2:]) == POINTER


def test_more_ranks_are_not_supported(root, device):
    handle = ctypes.c_void_p()
    assert hccl("HcclCommInitRootInfo", 2, root, 0, ctypes.byref(handle)) == NOT_SUPPORTED
    assert "communicators of one rank only" in acl.get_recent_err_msg()
    assert hccl("HcclCommInitClusterInfo", b"ranks.json", 0, ctypes.byref(handle)) == NOT_SUPPORTED
    assert hccl("HcclSend", None, 0, FP32, 1, None, None) == NOT_SUPPORTED
    assert handle.value is None


def test_wrong_arguments(root, comm, buffers, stream):
    source, target = buffers
    handle = ctypes.c_void_p()
    empty = ctypes.create_string_buffer(4108)
    assert hccl("HcclCommInitRootInfo", 1, empty, 0, ctypes.byref(handle)) == PARAMETER
    assert hccl("HcclCommInitRootInfo", 1, root, 1, ctypes.byref(handle)) == PARAMETER
    assert hccl("HcclCommInitRootInfo", 1, root, 0, None) == POINTER
    assert hccl("HcclAllReduce", source, target, 4, 99, SUM, comm, stream) == PARAMETER
    assert hccl("HcclAllReduce", source, target, 4, FP32, 9, comm, stream) == PARAMETER
    assert hccl("HcclAllReduce", None, target, 4, FP32, SUM, comm, stream) == POINTER
    assert hccl("HcclAllReduce", source, target, 4, FP32, SUM, None, stream) == POINTER
    assert hccl("HcclAllReduce", source, target, 4, FP32, SUM, 0x1234, stream) == PARAMETER
    assert hccl("HcclAllReduce", source, target, 2**62, FP32, SUM, comm, stream) == PARAMETER
    assert hccl("HcclBroadcast", source, 4, FP32, 3, comm, stream) == PARAMETER
    assert hccl("HcclAlltoAll", source, 4, FP32, target, 3, FP32, comm, stream) == PARAMETER
    assert hccl("HcclAllGather", source, target, 4, FP32, comm, 0x1234) == RUNTIME
    assert hccl("HcclAllGather", None, None, 0, FP32, comm, stream) == SUCCESS


# Without a communicator nobody knows how many numbers the arrays have.
@pytest.mark.parametrize("name", [name for name in COPIES if name.endswith(("V", "VC"))])
def test_arrays_are_not_read_without_a_communicator(name, buffers, stream, monkeypatch):
    monkeypatch.setitem(globals(), "number", lambda _: 0x1234)
    assert hccl(name, *COPIES[name](*buffers), 0x1234, stream) == PARAMETER
    assert hccl(name, *COPIES[name](*buffers), None, stream) == POINTER


def test_an_ended_communicator(root, device):
    handle = ctypes.c_void_p()
    assert hccl("HcclCommInitRootInfo", 1, root, 0, ctypes.byref(handle)) == SUCCESS
    assert hccl("HcclCommDestroy", handle) == SUCCESS
    assert hccl("HcclCommDestroy", handle) == PARAMETER
    assert "HcclCommDestroy may have ended it" in acl.get_recent_err_msg()


def test_codes_in_words():
    texts = {hccl("HcclGetErrorString", code) for code in (0, 1, 2, 5, 15)}
    assert len(texts) == 5
    assert hccl("HcclGetErrorString", 9999) == b"unknown error"

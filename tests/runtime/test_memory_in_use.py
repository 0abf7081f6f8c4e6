# SPDX-License-Identifier: Apache-2.0
"""Memory, streams and events that end while work is queued; long arrays that are not there."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator

import pytest

from aclhost import acl, aclnn
from aclhost.acl import _capi

COUNT = 1 << 22  # enough work to be under way when the next call comes
FLOAT, ND, TO_DEVICE = 0, 2, 1


def ok(result: tuple[int, int]) -> int:
    value, status = result
    assert status == 0, acl.get_recent_err_msg()
    return value


@pytest.fixture
def memory(device: None) -> Iterator[list[int]]:
    """Two allocations for an operator; tests may free them."""
    yield [ok(acl.rt.malloc(4 * COUNT, 0)) for _ in range(2)]
    acl.rt.synchronize_device()


def launch_elu(addresses: list[int], stream: int) -> int:
    shape = (COUNT,)
    x, y = (
        aclnn.aclCreateTensor(shape, 1, FLOAT, None, 0, ND, shape, 1, address)
        for address in addresses
    )
    one = aclnn.aclCreateScalar(struct.pack("f", 1.0), FLOAT)
    _, executor, status = aclnn.aclnnEluGetWorkspaceSize(x, one, one, one, y)
    assert status == 0
    status = aclnn.aclnnElu(0, 0, executor, stream)
    for tensor in (x, y):
        aclnn.aclDestroyTensor(tensor)
    aclnn.aclDestroyScalar(one)
    return status


def test_a_forced_end_of_a_stream_does_not_take_memory_from_its_tasks(memory: list[int]) -> None:
    for _ in range(5):
        stream = ok(acl.rt.create_stream())
        assert launch_elu(memory, stream) == 0
        assert _capi.status("aclrtDestroyStreamForce", stream) == 0
        assert [acl.rt.free(address) for address in memory] == [0, 0]
        memory[:] = [ok(acl.rt.malloc(4 * COUNT, 0)) for _ in range(2)]


def test_freed_memory_is_gone_for_later_calls(memory: list[int]) -> None:
    busy = [ok(acl.rt.malloc(4 * COUNT, 0)) for _ in range(2)]
    stream = ok(acl.rt.create_stream())
    assert launch_elu(busy, stream) == 0
    assert acl.rt.free(memory[1]) == 0
    data = bytes(16)
    assert acl.rt.memcpy(memory[1], 16, acl.util.bytes_to_ptr(data), 16, TO_DEVICE) == 107000
    assert launch_elu(memory, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 507015
    acl.rt.destroy_stream(stream)


def test_memory_that_was_used_is_gone_when_it_is_freed(memory: list[int]) -> None:
    stream = ok(acl.rt.create_stream())
    for address in memory:
        assert launch_elu([memory[0], address], stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.free(memory[1]) == 0
    assert launch_elu(memory[:1] * 2, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert launch_elu(memory, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 507015
    acl.rt.destroy_stream(stream)


def test_nobody_waits_for_an_event_that_cannot_come(device: None) -> None:
    stream = ok(acl.rt.create_stream())
    event = ok(acl.rt.create_event_with_flag(1))
    assert acl.rt.stream_wait_event(stream, event) == 0
    assert acl.rt.destroy_event(event) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 10000) == 0
    assert acl.rt.destroy_stream(stream) == 0


@pytest.mark.parametrize("count", [1 << 27, (1 << 64) - 1])
def test_arrays_shorter_than_their_size(count: int) -> None:
    one = ctypes.c_int64(1)
    assert _capi.library().aclCreateIntArray(ctypes.byref(one), count) is None
    assert "IntArray" in (acl.get_recent_err_msg() or "")

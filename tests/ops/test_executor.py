# SPDX-License-Identifier: Apache-2.0
"""The two phases and the life of an executor, with aclnnElu as the operator."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from aclhost import acl, aclnn
from aclhost.acl import _capi
from aclhost.calls.abi import DEVICE_TO_HOST, HOST_TO_DEVICE, ok

FLOAT, ND = 0, 2
RANDOM_POINTER = 0x7F00DEADBEE0


def upload(values: list[float]) -> int:
    data = struct.pack(f"{len(values)}f", *values)
    address, status = acl.rt.malloc(max(len(data), 4), 0)
    ok(status)
    ok(acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), HOST_TO_DEVICE))
    return address


def download(address: int, count: int) -> list[float]:
    data = bytes(4 * count)
    target = acl.util.bytes_to_ptr(data)
    ok(acl.rt.memcpy(target, len(data), address, len(data), DEVICE_TO_HOST))
    return list(struct.unpack(f"{count}f", data))


def tensor(address: int, *shape: int) -> int:
    return aclnn.aclCreateTensor(shape, len(shape), FLOAT, None, 0, ND, shape, len(shape), address)


@dataclass
class Elu:
    """Handles and memory of aclnnElu on three values."""

    x: int
    out: int
    x_memory: int
    out_memory: int
    one: int

    def prepare(self) -> int:
        workspace, executor, status = aclnn.aclnnEluGetWorkspaceSize(
            self.x, self.one, self.one, self.one, self.out
        )
        ok(status)
        assert workspace == 0
        return executor

    def destroy_handles(self) -> None:
        ok(aclnn.aclDestroyTensor(self.x))
        ok(aclnn.aclDestroyTensor(self.out))
        ok(aclnn.aclDestroyScalar(self.one))
        self.x = self.out = self.one = 0


@contextmanager
def elu_call(values: list[float]) -> Iterator[Elu]:
    x_memory, out_memory = upload(values), upload([9.0] * len(values))
    one = aclnn.aclCreateScalar(struct.pack("f", 1.0), FLOAT)
    call = Elu(
        tensor(x_memory, len(values)), tensor(out_memory, len(values)), x_memory, out_memory, one
    )
    yield call
    call.destroy_handles()
    ok(acl.rt.free(x_memory))
    ok(acl.rt.free(out_memory))


@pytest.fixture
def elu(no_leaks: None) -> Iterator[Elu]:
    acl.get_recent_err_msg()
    with elu_call([1.0, 2.0, 3.0]) as call:
        yield call


def message() -> str:
    return acl.get_recent_err_msg() or ""


@pytest.mark.parametrize("missing", ["workspaceSize", "executor"])
def test_phase_one_needs_both_results(elu: Elu, missing: str) -> None:
    results = {
        "workspaceSize": ctypes.byref(ctypes.c_uint64()),
        "executor": ctypes.byref(ctypes.c_void_p()),
    }
    results[missing] = None
    # Even with nothing but null arguments this is looked at first.
    status = _capi.library().aclnnEluGetWorkspaceSize(
        None, None, None, None, None, *results.values()
    )
    assert status == 161001
    assert missing in message()


def test_phase_two_without_executor(elu: Elu, stream: int) -> None:
    assert aclnn.aclnnElu(0, 0, None, stream) == 161001
    assert "executor" in message()


def test_executor_runs_once(elu: Elu, stream: int) -> None:
    executor = elu.prepare()
    ok(aclnn.aclnnElu(0, 0, executor, stream))
    assert aclnn.aclnnElu(0, 0, executor, stream) == 561000
    assert "aclSetAclOpExecutorRepeatable" in message()
    ok(acl.rt.synchronize_stream(stream))
    assert download(elu.out_memory, 3) == [1.0, 2.0, 3.0]


def test_foreign_executor(elu: Elu, stream: int) -> None:
    assert aclnn.aclnnElu(0, 0, RANDOM_POINTER, stream) == 161002
    assert aclnn.aclnnElu(0, 0, elu.x, stream) == 161002
    assert "executor" in message()


def test_missing_workspace_consumes_the_executor(elu: Elu, stream: int) -> None:
    executor = elu.prepare()
    assert aclnn.aclnnElu(None, 64, executor, stream) == 161001
    assert "workspace" in message()
    assert aclnn.aclDestroyAclOpExecutor(executor) == 561000


def test_larger_workspace_is_fine(elu: Elu, stream: int) -> None:
    ok(aclnn.aclnnElu(elu.x_memory, 64, elu.prepare(), stream))
    ok(acl.rt.synchronize_stream(stream))


def test_unused_executor_is_destroyed(elu: Elu) -> None:
    ok(aclnn.aclDestroyAclOpExecutor(elu.prepare()))


def test_destroying_what_is_no_executor() -> None:
    assert aclnn.aclDestroyAclOpExecutor(None) == 561103
    assert aclnn.aclDestroyAclOpExecutor(RANDOM_POINTER) == 561000
    assert aclnn.aclSetAclOpExecutorRepeatable(None) == 561103
    assert aclnn.aclSetAclOpExecutorRepeatable(RANDOM_POINTER) == 561000


def test_handles_may_go_before_the_work_is_done(elu: Elu, stream: int) -> None:
    ok(aclnn.aclnnElu(0, 0, elu.prepare(), stream))
    elu.destroy_handles()
    ok(acl.rt.synchronize_stream(stream))
    assert download(elu.out_memory, 3) == [1.0, 2.0, 3.0]


def test_stale_tensor_is_refused(elu: Elu) -> None:
    stale = tensor(elu.x_memory, 3)
    ok(aclnn.aclDestroyTensor(stale))
    for bad in (stale, RANDOM_POINTER, elu.one):
        result = aclnn.aclnnEluGetWorkspaceSize(bad, elu.one, elu.one, elu.one, elu.out)
        assert result == (0, 0, 161002)
        assert "self must be an aclTensor" in message()


def test_stale_scalar_is_refused(elu: Elu) -> None:
    result = aclnn.aclnnEluGetWorkspaceSize(elu.x, elu.one, RANDOM_POINTER, elu.one, elu.out)
    assert result[2] == 161002
    assert "scale must be an aclScalar" in message()


def test_bad_stream_is_refused_and_consumes_the_executor(elu: Elu) -> None:
    executor = elu.prepare()
    assert aclnn.aclnnElu(0, 0, executor, RANDOM_POINTER) == 361001
    assert "stream" in message()
    assert aclnn.aclDestroyAclOpExecutor(executor) == 561000


def test_null_stream_is_the_default_one(elu: Elu) -> None:
    ok(aclnn.aclnnElu(0, 0, elu.prepare(), None))
    ok(acl.rt.synchronize_stream(0))
    assert download(elu.out_memory, 3) == [1.0, 2.0, 3.0]


def test_null_stream_needs_a_context(elu: Elu) -> None:
    statuses = []

    def other_thread() -> None:
        statuses.append(aclnn.aclnnElu(0, 0, elu.prepare(), None))
        statuses.append("aclrtSetDevice" in message())

    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    assert statuses == [361001, True]


def test_tensor_without_memory_fails_at_synchronisation(elu: Elu) -> None:
    nowhere = tensor(0, 3)
    stream, status = acl.rt.create_stream()
    ok(status)
    _, executor, status = aclnn.aclnnEluGetWorkspaceSize(
        nowhere, elu.one, elu.one, elu.one, elu.out
    )
    ok(status)
    ok(aclnn.aclnnElu(0, 0, executor, stream))
    assert acl.rt.synchronize_stream(stream) == 507015
    assert "aclnnElu: self has no device memory" in message()
    assert download(elu.out_memory, 3) == [9.0, 9.0, 9.0]
    ok(aclnn.aclDestroyTensor(nowhere))
    acl.rt.destroy_stream(stream)


def test_repeatable_executor(elu: Elu, stream: int) -> None:
    executor = elu.prepare()
    ok(aclnn.aclSetAclOpExecutorRepeatable(executor))
    others = [upload([float(n), float(-n), 0.0]) for n in range(1, 6)]
    results = [upload([9.0] * 3) for _ in others]
    for source, target in zip(others, results, strict=True):
        ok(aclnn.aclSetInputTensorAddr(executor, 0, elu.x, source))
        ok(aclnn.aclSetOutputTensorAddr(executor, 0, elu.out, target))
        ok(aclnn.aclnnElu(0, 0, executor, stream))
    ok(acl.rt.synchronize_stream(stream))
    for number, target in enumerate(results, 1):
        assert download(target, 3)[0] == number
        assert -1 < download(target, 3)[1] < 0
    assert download(elu.out_memory, 3) == [9.0, 9.0, 9.0]
    assert aclnn.aclGetRawTensorAddr(elu.x) == (others[-1], 0)
    ok(aclnn.aclDestroyAclOpExecutor(executor))
    assert aclnn.aclnnElu(0, 0, executor, stream) == 561000
    for address in (*others, *results):
        ok(acl.rt.free(address))


def test_address_setters_refuse_bad_handles(elu: Elu) -> None:
    executor = elu.prepare()
    for setter in (
        aclnn.aclSetInputTensorAddr,
        aclnn.aclSetOutputTensorAddr,
        aclnn.aclSetTensorAddr,
    ):
        assert setter(None, 0, elu.x, 0) == 561103
        assert setter(executor, 0, None, 0) == 561103
        assert setter(RANDOM_POINTER, 0, elu.x, 0) == 561000
        assert setter(executor, 0, RANDOM_POINTER, 0) == 161002
    ok(aclnn.aclDestroyAclOpExecutor(executor))


def test_dynamic_address_setters(elu: Elu, stream: int) -> None:
    executor = elu.prepare()
    ok(aclnn.aclSetAclOpExecutorRepeatable(executor))
    other = upload([7.0, 8.0, 9.0])
    alias = tensor(elu.x_memory, 3)
    tensors = aclnn.aclCreateTensorList([alias, elu.x], 2)
    ok(aclnn.aclSetDynamicInputTensorAddr(executor, 0, 1, tensors, other))
    ok(aclnn.aclnnElu(0, 0, executor, stream))
    ok(acl.rt.synchronize_stream(stream))
    assert download(elu.out_memory, 3) == [7.0, 8.0, 9.0]
    assert aclnn.aclSetDynamicTensorAddr(executor, 0, 2, tensors, other) == 161002
    assert aclnn.aclSetDynamicTensorAddr(None, 0, 0, tensors, other) == 561103
    assert aclnn.aclSetDynamicTensorAddr(executor, 0, 0, None, other) == 561103
    assert aclnn.aclSetDynamicTensorAddr(executor, 0, 0, elu.x, other) == 161002
    ok(aclnn.aclDestroyAclOpExecutor(executor))
    ok(aclnn.aclDestroyTensorList(tensors))
    elu.x = 0
    ok(acl.rt.free(other))


def test_empty_tensor_needs_nothing_and_writes_nothing(elu: Elu) -> None:
    empty_in, empty_out = tensor(elu.x_memory, 0, 3), tensor(elu.out_memory, 0, 3)
    workspace, executor, status = aclnn.aclnnEluGetWorkspaceSize(
        empty_in, elu.one, elu.one, elu.one, empty_out
    )
    assert (workspace, status) == (0, 0)
    # Nothing is launched, so not even the stream is looked at.
    ok(aclnn.aclnnElu(0, 0, executor, RANDOM_POINTER))
    assert download(elu.out_memory, 3) == [9.0, 9.0, 9.0]
    ok(aclnn.aclDestroyTensor(empty_in))
    ok(aclnn.aclDestroyTensor(empty_out))


def test_work_of_a_stream_runs_in_order(elu: Elu, stream: int) -> None:
    """Each launch halves what the one before wrote; any other order gives another result."""
    half = aclnn.aclCreateScalar(struct.pack("f", 0.5), FLOAT)
    for _ in range(20):
        _, executor, status = aclnn.aclnnInplaceEluGetWorkspaceSize(elu.x, elu.one, half, elu.one)
        ok(status)
        ok(aclnn.aclnnInplaceElu(0, 0, executor, stream))
    _, executor, status = aclnn.aclnnEluGetWorkspaceSize(elu.x, elu.one, elu.one, elu.one, elu.out)
    ok(status)
    ok(aclnn.aclnnElu(0, 0, executor, stream))
    ok(acl.rt.synchronize_stream(stream))
    assert download(elu.out_memory, 3) == [n * 0.5**20 for n in (1.0, 2.0, 3.0)]
    ok(aclnn.aclDestroyScalar(half))

# SPDX-License-Identifier: Apache-2.0
"""Results whose size only the data know: shapes, executors run again, too little room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest

import aclhost
from aclhost import acl, aclnn
from aclhost.calls.abi import DEVICE_TO_HOST, HOST_TO_DEVICE, ok

INT32, INT64, ND = 3, 9, 2
DEVICE_EXCEPTION = 507015


@dataclass
class Memory:
    """A tensor of integers on the device."""

    dtype: int
    shape: tuple[int, ...]
    address: int
    handle: int

    @property
    def numpy(self) -> np.dtype[np.signedinteger]:
        return np.dtype(np.int32 if self.dtype == INT32 else np.int64)

    def put(self, values: object) -> None:
        data = np.ascontiguousarray(np.asarray(values, self.numpy))
        ok(acl.rt.memcpy(self.address, data.nbytes, data.ctypes.data, data.nbytes, HOST_TO_DEVICE))

    def get(self) -> np.ndarray:
        """What the tensor holds in the shape that it has by now."""
        shape, status = aclnn.aclGetViewShape(self.handle)
        ok(status)
        data = np.zeros(shape, self.numpy)
        if data.size:
            size = data.nbytes
            ok(acl.rt.memcpy(data.ctypes.data, size, self.address, size, DEVICE_TO_HOST))
        return data


@contextmanager
def memory(dtype: int, *shape: int) -> Iterator[Memory]:
    address, status = acl.rt.malloc(8 * int(np.prod(shape)), 0)
    ok(status)
    rank = len(shape)
    handle = aclnn.aclCreateTensor(shape, rank, dtype, None, 0, ND, shape, rank, address)
    yield Memory(dtype, shape, address, handle)
    ok(aclnn.aclDestroyTensor(handle))
    ok(acl.rt.free(address))


def prepare(x: Memory, out: Memory) -> int:
    _, executor, status = aclnn.aclnnNonzeroGetWorkspaceSize(x.handle, out.handle)
    ok(status)
    return executor


@pytest.mark.usefixtures("no_leaks")
def test_shape_is_known_after_phase_two(stream: int) -> None:
    """As upstream: no synchronisation of the program is needed."""
    with memory(INT32, 2, 3) as x, memory(INT64, 6, 2) as out:
        x.put([[0, 5, 0], [7, 0, 1]])
        ok(aclnn.aclnnNonzero(0, 0, prepare(x, out), stream))
        assert out.get().tolist() == [[0, 1], [1, 0], [1, 2]]
        assert aclnn.aclGetStorageShape(out.handle) == ([3, 2], 0)


@pytest.mark.usefixtures("no_leaks")
def test_executor_run_again_begins_with_all_room(stream: int) -> None:
    with memory(INT32, 4) as x, memory(INT64, 4, 1) as out:
        x.put([0, 0, 3, 0])
        executor = prepare(x, out)
        ok(aclnn.aclSetAclOpExecutorRepeatable(executor))
        ok(aclnn.aclnnNonzero(0, 0, executor, stream))
        assert out.get().tolist() == [[2]]
        x.put([1, 1, 0, 1])
        ok(aclnn.aclnnNonzero(0, 0, executor, stream))
        assert out.get().tolist() == [[0], [1], [3]]
        ok(aclnn.aclDestroyAclOpExecutor(executor))


@pytest.mark.usefixtures("no_leaks")
def test_too_little_room(stream: int) -> None:
    """Nothing is written, and the shape stays."""
    with memory(INT32, 4) as x, memory(INT64, 2, 1) as out:
        x.put([1, 1, 0, 1])
        out.put([[8], [9]])
        assert aclnn.aclnnNonzero(0, 0, prepare(x, out), stream) == DEVICE_EXCEPTION
        assert "too small" in acl.get_recent_err_msg()
        assert out.get().tolist() == [[8], [9]]


def test_new_results_do_not_keep_what_they_do_not_need() -> None:
    x = np.zeros(1000, np.float32)
    x[7] = 1
    found = aclhost.nonzero(x)
    assert found.tolist() == [[7]]
    assert found.base is None or found.base.nbytes < 100


@pytest.mark.parametrize(
    "shape", [(40_001,), (40_001, 1), (1, 40_001), (9001, 3), (33, 1, 1027), (7, 5, 11, 13, 17)]
)
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_coordinates_of_many(shape: tuple[int, ...], share: float) -> None:
    """Lines of one element, and such that end between the chunks that threads take."""
    x = np.random.default_rng(1).random(shape) < share
    wanted = np.argwhere(x)
    np.testing.assert_array_equal(aclhost.nonzero(x), wanted)
    np.testing.assert_array_equal(aclhost.nonzero_v2(x), wanted.T)
    across = np.asfortranarray(x.astype(np.float32))
    np.testing.assert_array_equal(aclhost.nonzero_v2(across), wanted.T)


def test_strided_out() -> None:
    """The result is the first elements; the others stay."""
    out = np.full((4, 2), -1, np.int64)[:, :1]
    assert aclhost.nonzero(np.array([0, 2, 0, 3]), out=out).tolist() == [[1], [3]]
    assert out.base.tolist() == [[1, -1], [3, -1], [-1, -1], [-1, -1]]


def test_strided_out_that_gets_shorter_rows() -> None:
    out = np.full((2, 8), -1, np.int64)[:, ::2]
    found = aclhost.nonzero_v2(np.array([[0, 5], [7, 0]]), out=out)
    assert found.tolist() == out[:, :2].tolist() == [[0, 1], [1, 0]]
    assert (out[:, 2:] == -1).all()


@pytest.mark.usefixtures("no_leaks")
def test_strides_and_storage_tell_where_elements_are(stream: int) -> None:
    with memory(INT32, 2, 3) as x, memory(INT64, 2, 12) as room:
        x.put([[0, 5, 0], [7, 0, 1]])
        gaps = aclnn.aclCreateTensor((2, 6), 2, INT64, (12, 2), 0, ND, (2, 12), 2, room.address)
        _, executor, status = aclnn.aclnnNonzeroV2GetWorkspaceSize(x.handle, gaps)
        ok(status)
        ok(aclnn.aclnnNonzeroV2(0, 0, executor, stream))
        assert aclnn.aclGetViewShape(gaps) == ([2, 3], 0)
        assert aclnn.aclGetViewStrides(gaps) == ([12, 2], 0)
        assert aclnn.aclGetStorageShape(gaps) == ([2, 12], 0)
        assert room.get()[:, :6:2].tolist() == [[0, 1, 1], [1, 0, 2]]
        ok(aclnn.aclDestroyTensor(gaps))


def test_too_few_elements_to_scatter() -> None:
    """Nothing is changed."""
    target = np.zeros(3, np.float32)
    with pytest.raises(aclhost.AclnnError, match="source is too small") as caught:
        aclhost.inplace_masked_scatter(target, np.ones(3, bool), np.ones(2, np.float32))
    assert caught.value.status == DEVICE_EXCEPTION
    assert not target.any()

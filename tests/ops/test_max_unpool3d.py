# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxUnpool3d: what its declaration cannot say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.views import VIEWS, random_bits

import aclhost
from aclhost import acl
from aclhost.calls import abi
from aclhost.ops.pooling.max_unpool3d import OP
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32, INT64

DTYPES = ["float32", "float16", "int8", "uint8", "int16", "int32", "int64", "float64"]
INDEX_DTYPES = ["int32", "int64"]
SIZE = (3, 4, 5)  # of the large volume
RNG = np.random.default_rng(8)


def random_indices(shape: tuple[int, ...], dtype: str = "int64") -> np.ndarray:
    """With repetitions."""
    return RNG.integers(0, np.prod(SIZE), shape).astype(dtype)


def scattered(self: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """One element after the other, so that the last wins."""
    result = np.zeros((*self.shape[:-3], *SIZE), self.dtype)
    volumes = result.reshape(-1, int(np.prod(SIZE)))
    inner = int(np.prod(self.shape[-3:]))
    for position, (value, index) in enumerate(zip(self.flat, indices.flat, strict=True)):
        volumes[position // inner, index] = value
    return result


@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lead", [(3,), (2, 3)])
def test_bits_are_copied(dtype: str, index_dtype: str, lead: tuple[int, ...]) -> None:
    self = random_bits((*lead, 2, 3, 4), dtype)
    indices = random_indices(self.shape, index_dtype)
    out = random_bits((*lead, *SIZE), dtype).copy()  # whatever it holds is lost
    result = aclhost.max_unpool3d(self, indices, SIZE, out=out)
    assert result is out
    assert result.tobytes() == scattered(self, indices).tobytes()
    assert aclhost.max_unpool3d(self, indices, SIZE).tobytes() == result.tobytes()


def test_agrees_with_torch() -> None:
    torch.manual_seed(1)
    pooled, indices = torch.nn.functional.max_pool3d(
        torch.randn(2, 3, 6, 8, 10), 2, return_indices=True
    )
    ours = aclhost.max_unpool3d(pooled, indices, (6, 8, 10), 2)
    assert torch.equal(ours, torch.nn.functional.max_unpool3d(pooled, indices, 2))


@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
def test_the_last_of_equal_indices_wins(index_dtype: str) -> None:
    """In the order of the view, not in that of the memory."""
    self = np.arange(1, 9, dtype=np.float32).reshape(2, 2, 2).T.reshape(1, 2, 2, 2)
    assert not self.flags.c_contiguous
    indices = np.full(self.shape, 5, index_dtype)
    result = aclhost.max_unpool3d(self, indices, (2, 2, 3))
    assert result.ravel().tolist() == [0, 0, 0, 0, 0, self[0, 1, 1, 1], *[0] * 6]
    backwards = self[..., ::-1, ::-1, ::-1]
    assert aclhost.max_unpool3d(backwards, indices, (2, 2, 3)).ravel()[5] == self[0, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_give_the_same_bits_as_copies(dtype: str, index_dtype: str, view) -> None:
    self = view(random_bits((2, 3, 2, 3, 4), dtype))
    indices = random_indices(self.shape, index_dtype)
    for each in (indices, view(indices)):
        result = aclhost.max_unpool3d(self, each, SIZE)
        assert result.tobytes() == scattered(self, each).tobytes()


def test_empty_batch() -> None:
    self, out = np.zeros((0, 2, 1, 1, 1)), np.zeros((0, 2, *SIZE))
    indices = np.zeros(self.shape, np.int64)
    assert aclhost.max_unpool3d(self, indices, SIZE, out=out) is out
    assert aclhost.max_unpool3d(self, indices, SIZE).shape == out.shape


@pytest.mark.parametrize("bad", [60, -1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_index_out_of_range(dtype: str, index_dtype: str, bad: int) -> None:
    self = random_bits((2, 3, 1, 2, 2), dtype).copy()
    indices = np.arange(24).reshape(self.shape).astype(index_dtype)
    wanted = scattered(self, indices)
    for lead, index in (((0, 2), 10), ((1, 0), 12)):  # what the two bad ones would have written
        wanted[lead].reshape(-1)[index] = 0
    indices[0, 2, 0, 1, 0] = indices[1, 0, 0, 0, 0] = bad
    out = np.full_like(wanted, 7)
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.max_unpool3d(self, indices, SIZE, out=out)
    error = caught.value
    assert (error.status, error.parameter, error.rule) == (507015, "indices", "index_in_range")
    assert f"from 0 to 59; got {bad} at position 10, indices[0, 2, 0, 1, 0]" in str(error)
    assert str(error).startswith("aclnnMaxUnpool3d: ")
    assert out.tobytes() == wanted.tobytes()


def last_wins(self: np.ndarray, indices: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """NumPy assigns in order, too. Bad indices are passed over."""
    result = np.zeros((*self.shape[:-3], *size), self.dtype)
    rows = result.reshape(-1, int(np.prod(size)))
    for row, values, places in zip(
        rows, self.reshape(len(rows), -1), indices.reshape(len(rows), -1), strict=True
    ):
        good = (places >= 0) & (places < row.size)
        row[places[good]] = values[good]
    return result


LARGE = {
    "ends": ((2, 3), (5, 7, 9), (11, 15, 19)),
    "one volume": ((1, 1), (33, 65, 65), (66, 130, 131)),
    "large volumes": ((1, 3), (9, 130, 131), (20, 260, 262)),
    "past the cache": ((2, 40), (16, 40, 41), (16, 40, 41)),
    "thick layers": ((1, 2), (3, 600, 610), (3, 601, 611)),
}


@pytest.mark.parametrize("order", ["local", "layers", "random", "backwards", "crowded"])
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
@pytest.mark.parametrize(("lead", "small", "size"), LARGE.values(), ids=LARGE)
def test_large_volumes(
    lead: tuple[int, ...], small: tuple[int, ...], size: tuple[int, int, int], dtype: str,
    index_dtype: str, order: str,
) -> None:  # fmt: skip
    """However the work is shared, the last of several elements wins."""
    self, volume = random_bits((*lead, *small), dtype), int(np.prod(size))
    indices = RNG.integers(0, 40 if order == "crowded" else volume, self.shape)
    if order in ("local", "layers", "backwards"):
        indices = np.sort(indices.reshape(*lead, -1), -1).reshape(self.shape)
        apart = 2 * size[1] * size[2] if order == "layers" else 300
        indices = (indices + RNG.integers(-apart, apart, self.shape)).clip(0, volume - 1)
    indices = (indices[..., ::-1, ::-1, ::-1] if order == "backwards" else indices).astype(
        index_dtype
    )
    wanted = last_wins(self, indices, size)
    out = np.full_like(wanted, 7)
    assert aclhost.max_unpool3d(self, indices, size, out=out).tobytes() == wanted.tobytes()
    places = indices.reshape(-1)
    for position, bad in ((places.size // 2, volume), (places.size // 3, -1)):
        places[position] = bad
    message = f"got -1 at position {places.size // 3},"
    with pytest.raises(aclhost.AclnnError, match=message):
        aclhost.max_unpool3d(self, indices, size, out=out)
    assert out.tobytes() == last_wins(self, indices, size).tobytes()


@pytest.mark.parametrize("index_dtype", [INT32, INT64], ids=str)
@pytest.mark.usefixtures("no_leaks")
def test_index_out_of_range_through_c(index_dtype) -> None:
    """Nothing next to the tensor changes either."""
    call = Call(
        {
            "self": TensorArg((1, 1, 1, 4), FLOAT, (10.0, 11.0, 12.0, 13.0)),
            "indices": TensorArg((1, 1, 1, 4), index_dtype, (3, -1, 0, 4)),
            "outputSize": (1, 2, 2),
            "stride": (1, 1, 1),
            "padding": (0, 0, 0),
            "outRef": TensorArg((1, 1, 2, 2), offset=2, storage=8),
        }
    )
    stream, status = acl.rt.create_stream()
    abi.ok(status)
    with abi.prepared_call(OP, call) as prepared:
        around = prepared.storages["outRef"].memory[[0, 1, 6, 7]].tobytes()
        _, executor, status = abi.phase_one(OP, prepared)
        abi.ok(status)
        abi.ok(abi.phase_two(OP, executor, stream))
        assert acl.rt.synchronize_stream(stream) == 507015
        message = acl.get_recent_err_msg()
        assert message is not None
        assert "aclnnMaxUnpool3d: indices" in message
        assert "from 0 to 3; got -1 at position 1, indices[0, 0, 0, 1]" in message
        assert prepared.fetch("outRef").ravel().tolist() == [12, 0, 0, 10]
        assert prepared.storages["outRef"].memory[[0, 1, 6, 7]].tobytes() == around
    acl.rt.destroy_stream(stream)


@pytest.mark.slow
def test_more_than_2_31_elements() -> None:
    size = (3, 1 << 10, (1 << 20) + 1)
    places = np.array([0, 2**31 - 1, 2**31, 2**31 + 1, 3 * 2**30 + 3 * 2**10 - 1])
    self = np.array([1, 2, 3, 4, 5], np.int8).reshape(1, 1, 1, 1, 5)
    result = aclhost.max_unpool3d(self, places.reshape(self.shape), size).reshape(-1)
    assert result[places].tolist() == [1, 2, 3, 4, 5]
    assert np.count_nonzero(result) == 5

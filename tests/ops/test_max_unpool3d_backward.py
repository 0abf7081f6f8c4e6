# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxUnpool3dBackward: what its declaration cannot say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.views import VIEWS, before_a_wall, random_bits

import aclhost
from aclhost import acl, aclnn
from aclhost.calls import abi
from aclhost.ops.pooling.max_unpool3d_backward import OP
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT64
from aclhost.spec.formats import FRACTAL_NZ, NDHWC

DTYPES = ["float32", "float16", "int8", "uint8", "int16", "int32", "int64", "float64"]
SIZE = (3, 4, 5)  # of the large volume
RNG = np.random.default_rng(7)


def random_indices(shape: tuple[int, ...]) -> np.ndarray:
    return RNG.integers(0, np.prod(SIZE), shape)


def gathered(grad: np.ndarray, indices: np.ndarray) -> np.ndarray:
    volumes = grad.reshape(*grad.shape[:-3], -1)
    flat = np.take_along_axis(volumes, indices.reshape(*indices.shape[:-3], -1), -1)
    return flat.reshape(indices.shape)


def test_the_document_s_example() -> None:
    ones = np.ones((1, 1, 4, 4), np.float32)
    indices = np.arange(16).reshape(ones.shape) % 7
    result = aclhost.max_unpool3d_backward(ones, ones, indices, (1, 4, 4), (1, 2, 3), (1, 2, 3))
    assert np.array_equal(result, ones)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lead", [(3,), (2, 3)])
def test_bits_are_copied(dtype: str, lead: tuple[int, ...]) -> None:
    grad = random_bits((*lead, *SIZE), dtype)
    self, indices = random_bits((*lead, 2, 3, 2), dtype), random_indices((*lead, 2, 3, 2))
    result = aclhost.max_unpool3d_backward(grad, self, indices, SIZE)
    assert result.tobytes() == gathered(grad, indices).tobytes()


def test_agrees_with_torch() -> None:
    torch.manual_seed(1)
    pooled, indices = torch.nn.functional.max_pool3d(
        torch.randn(2, 3, 6, 8, 10), 2, return_indices=True
    )
    pooled.requires_grad_()
    unpooled = torch.nn.functional.max_unpool3d(pooled, indices, 2)
    grad = torch.randn_like(unpooled)
    unpooled.backward(grad)
    ours = aclhost.max_unpool3d_backward(grad, pooled.detach(), indices, (6, 8, 10), 2)
    assert isinstance(ours, torch.Tensor)
    assert torch.equal(ours, pooled.grad)
    flat = torch.gather(grad.view(2, 3, -1), 2, indices.view(2, 3, -1))
    assert torch.equal(ours.view(2, 3, -1), flat)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_give_the_same_bits_as_copies(dtype: str, view) -> None:
    grad, indices = view(random_bits((2, 3, *SIZE), dtype)), view(random_indices((2, 3, 2, 3, 2)))
    result = aclhost.max_unpool3d_backward(grad, indices.astype(dtype), indices, SIZE)
    assert result.tobytes() == gathered(grad, indices).tobytes()


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 1, 4), (1, 4, 1), (4, 1, 1), (1, 2, 2), (2, 1, 2)])
def test_lengths_of_one(size: tuple[int, int, int]) -> None:
    grad = np.asfortranarray(random_bits((2, 3, *size), "float32"))
    indices = RNG.integers(0, np.prod(size), (2, 3, 1, 1, 1))
    result = aclhost.max_unpool3d_backward(grad, indices.astype(np.float32), indices, size)
    assert result.tobytes() == gathered(grad, indices).tobytes()


def test_empty_batch() -> None:
    grad, self = np.zeros((0, 2, *SIZE)), np.zeros((0, 2, 1, 1, 1))
    out = np.zeros_like(self)
    indices = np.zeros(self.shape, np.int64)
    assert aclhost.max_unpool3d_backward(grad, self, indices, SIZE, out=out) is out
    assert aclhost.max_unpool3d_backward(grad, self, indices, SIZE).shape == self.shape


@pytest.mark.parametrize("bad", [60, -1, 2**31, 2**63 - 1, -(2**63), 2**32 + 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_index_out_of_range(dtype: str, bad: int) -> None:
    grad = random_bits((2, 3, *SIZE), dtype)
    indices = random_indices((2, 3, 1, 2, 2))
    wanted = gathered(grad, indices)
    out = np.full_like(wanted, 7)
    for place in ((0, 2, 0, 1, 0), (1, 0, 0, 0, 0)):
        indices[place], wanted[place] = bad, 0
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.max_unpool3d_backward(grad, wanted, indices, SIZE, out=out)
    error = caught.value
    assert (error.status, error.parameter, error.rule) == (507015, "indices", "index_in_range")
    assert f"from 0 to 59; got {bad} at position 10, indices[0, 2, 0, 1, 0]" in str(error)
    assert str(error).startswith("aclnnMaxUnpool3dBackward: ")
    assert out.tobytes() == wanted.tobytes()


def pooled_indices(lead: tuple[int, ...], size: tuple[int, ...]) -> np.ndarray:
    """Those of a pool with windows of 2: each window's index is close to its neighbours'."""
    grid = np.indices(tuple(length // 2 for length in size)) * 2
    corner = (grid[0] * size[1] + grid[1]) * size[2] + grid[2]
    inside = RNG.integers(0, 2, (3, *lead, *corner.shape))
    return corner + (inside[0] * size[1] + inside[1]) * size[2] + inside[2]


LARGE = {
    "ends": ((2, 3), (10, 14, 18)),  # 315 elements: chunks and what is left over
    "in the cache": ((3, 5), (32, 64, 66)),
    "past the cache": ((8, 10), (32, 64, 62)),
    "one volume": ((1, 1), (130, 258, 260)),
}


@pytest.mark.parametrize("local", [True, False], ids=["local", "random"])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
@pytest.mark.parametrize(("lead", "size"), LARGE.values(), ids=LARGE)
def test_large_volumes(
    lead: tuple[int, ...], size: tuple[int, int, int], dtype: str, local: bool
) -> None:
    grad, indices = random_bits((*lead, *size), dtype), pooled_indices(lead, size)
    if not local:
        indices = RNG.integers(0, np.prod(size), indices.shape)
    grad, indices = before_a_wall(grad), before_a_wall(indices)  # whatever is fetched ahead
    wanted = gathered(grad, indices)
    result = aclhost.max_unpool3d_backward(grad, wanted, indices, size)
    assert result.tobytes() == wanted.tobytes()
    memory = np.zeros(wanted.nbytes + 64, np.uint8)
    for shift in (1, grad.itemsize):  # from the start of a cache line
        out = memory[shift : shift + wanted.nbytes].view(dtype).reshape(wanted.shape)
        aclhost.max_unpool3d_backward(grad, wanted, indices, size, out=out)
        assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("place", [0, 63, 64, 100, 314])
@pytest.mark.parametrize(
    ("lead", "size"), [((3, 4), (10, 14, 18)), ((3, 4), (32, 64, 66)), ((6, 8), (32, 64, 66))]
)
def test_index_out_of_range_in_a_chunk(
    lead: tuple[int, int], size: tuple[int, int, int], place: int
) -> None:
    """Its neighbours are gathered all the same; the first of several is reported."""
    grad, indices = random_bits((*lead, *size), "float32"), pooled_indices(lead, size)
    wanted = gathered(grad, indices)
    volume = indices[0, 0].size
    for position in (2 * volume + place, 2 * volume + place + 70, 11 * volume + place // 2):
        indices.reshape(-1)[position] = -7 - position
        wanted.reshape(-1)[position] = 0
    out = np.ones_like(wanted)
    message = f"got {-7 - 2 * volume - place} at position {2 * volume + place},"
    with pytest.raises(aclhost.AclnnError, match=message):
        aclhost.max_unpool3d_backward(grad, wanted, indices, size, out=out)
    assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_large_views(view) -> None:
    size = (10, 14, 18)
    grad, indices = view(random_bits((2, 3, *size), "float32")), view(pooled_indices((2, 3), size))
    result = aclhost.max_unpool3d_backward(grad, indices.astype("float32"), indices, size)
    assert result.tobytes() == gathered(grad, indices).tobytes()


def c_call(**changes: object) -> Call:
    small = (1, 1, 1, 1, 3)
    arguments = {
        "gradOutput": TensorArg((1, 1, 1, 2, 2), FLOAT, (10.0, 11.0, 12.0, 13.0)),
        "self": TensorArg(small),
        "indices": TensorArg(small, INT64, (3, 4, 1)),
        "outputSize": (1, 2, 2),
        "stride": (1, 1, 1),
        "padding": (0, 0, 0),
        "out": TensorArg(small),
    }
    return Call({**arguments, **changes})


@pytest.mark.usefixtures("no_leaks")
def test_index_out_of_range_through_c() -> None:
    stream, status = acl.rt.create_stream()
    abi.ok(status)
    with abi.prepared_call(OP, c_call()) as prepared:
        _, executor, status = abi.phase_one(OP, prepared)
        abi.ok(status)
        abi.ok(abi.phase_two(OP, executor, stream))
        assert acl.rt.synchronize_stream(stream) == 507015
        message = acl.get_recent_err_msg()
        assert message is not None
        assert "aclnnMaxUnpool3dBackward: indices" in message
        assert "from 0 to 3; got 4 at position 1" in message
        assert prepared.fetch("out").ravel().tolist() == [13, 0, 11]
    acl.rt.destroy_stream(stream)


@pytest.mark.parametrize("label", [NDHWC, FRACTAL_NZ], ids=str)
def test_labels_change_nothing(label, stream: int) -> None:
    """An output with a private label counts as contiguous; its strides are followed even so."""
    strided = TensorArg((1, 1, 1, 1, 3), FLOAT, strides=(1, 1, 1, 1, 2), format=FRACTAL_NZ)
    call = c_call(indices=TensorArg((1, 1, 1, 1, 3), INT64, (3, 0, 1)), out=strided)
    with abi.prepared_call(OP, call.relabelled(label, "gradOutput", "self", "indices")) as prepared:
        abi.run(OP, prepared, stream)
        assert prepared.fetch("out").ravel().tolist() == [13, 10, 11]


def test_almost_as_many_elements_as_a_launch_takes(stream: int) -> None:
    """With strides of 0 such a volume is legal, and so is every index into it."""
    size = (2**23 + 1, 2**22, 2)
    call = c_call(
        outputSize=size,
        indices=TensorArg((1, 1, 1, 1, 3), INT64, (1, 2**46, 2**46 + 1)),
    )
    with abi.prepared_call(OP, call) as prepared:
        abi.ok(aclnn.aclDestroyTensor(prepared.handles["gradOutput"]))
        prepared.handles["gradOutput"] = aclnn.aclCreateTensor(
            (1, 1, *size), 5, 0, (0, 0, 0, 0, 1), 0, 2, (4,), 1, prepared.addresses["gradOutput"]
        )
        abi.run(OP, prepared, stream)
        assert prepared.fetch("out").ravel().tolist() == [11, 10, 11]


@pytest.mark.slow
def test_more_than_2_31_elements() -> None:
    size = (3, 1 << 10, (1 << 20) + 1)
    grad = np.zeros((1, 1, *size), np.int8)
    marked = np.array([0, 2**31 - 1, 2**31, 2**31 + 1, grad.size - 1])
    grad.reshape(-1)[marked] = [1, 2, 3, 4, 5]
    indices = marked.reshape(1, 1, 1, 1, 5)
    result = aclhost.max_unpool3d_backward(grad, indices.astype(np.int8), indices, size)
    assert result.ravel().tolist() == [1, 2, 3, 4, 5]

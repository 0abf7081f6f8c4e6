# SPDX-License-Identifier: Apache-2.0
"""Norms and softmax: torch's functions, answers worked out by hand, shared memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclhost

torch = pytest.importorskip("torch")
functional = pytest.importorskip("aclhost.torch").functional
SHAPE = (4, 6, 5)


def tensors(*shapes: tuple[int, ...]) -> list[Any]:
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(shape, generator=generator).requires_grad_() for shape in shapes]


def arrays_of(*values: Any) -> list[Any]:
    """Tensors as arrays, of BFLOAT16, too; others as they are."""
    arrays = []
    for value in values:
        if not isinstance(value, torch.Tensor):
            arrays.append(value)
        elif value.dtype == torch.bfloat16:
            arrays.append(value.view(torch.int16).numpy().view(ml_dtypes.bfloat16))
        else:
            arrays.append(value.numpy())
    return arrays


CASES: dict[str, tuple[tuple[tuple[int, ...], ...], Callable[..., Any]]] = {
    "softmax": ((SHAPE,), lambda f, x: f.softmax(x, 1)),
    "log_softmax": ((SHAPE,), lambda f, x: f.log_softmax(x, -1)),
    "layer_norm": ((SHAPE, (6, 5), (6, 5)), lambda f, x, w, b: f.layer_norm(x, (6, 5), w, b)),
    "plain layer_norm": ((SHAPE,), lambda f, x: f.layer_norm(x, (5,))),
    "rms_norm": ((SHAPE, (5,)), lambda f, x, w: f.rms_norm(x, (5,), w, 1e-6)),
    "group_norm": ((SHAPE, (6,), (6,)), lambda f, x, w, b: f.group_norm(x, 3, w, b)),
    "plain group_norm": ((SHAPE,), lambda f, x: f.group_norm(x, 2)),
    "batch_norm": (
        (SHAPE, (6,), (6,)),
        lambda f, x, w, b: f.batch_norm(x, None, None, w, b, training=True),
    ),
    "batch_norm of a model that is not trained": (
        (SHAPE,),
        lambda f, x: f.batch_norm(x, torch.full((6,), 0.5), torch.full((6,), 2.0)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_torch(name: str) -> None:
    shapes, function = CASES[name]
    results = []
    for library in (functional, torch.nn.functional):
        inputs = tensors(*shapes)
        value = function(library, *inputs)
        (value * torch.linspace(-1, 1, value.numel()).reshape(value.shape)).sum().backward()
        results.append([value.detach(), *(x.grad for x in inputs)])
    for ours, theirs in zip(*results, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=2e-6)


def test_running_statistics() -> None:
    (x,) = tensors((8, 3))
    mean, var = torch.zeros(3), torch.ones(3)
    functional.batch_norm(x, mean, var, training=True, momentum=0.25)
    assert torch.allclose(mean, 0.25 * x.detach().mean(0), atol=1e-6)
    assert torch.allclose(var, 0.75 + 0.25 * x.detach().var(0), atol=1e-6)


def test_known_answers() -> None:
    x = np.array([[1, 3], [0, 4]], np.float32)
    assert np.allclose(aclhost.softmax(np.log(x + 1)), [[1 / 3, 2 / 3], [1 / 6, 5 / 6]])
    y, mean, rstd = aclhost.layer_norm(x, (2,), eps=0.0)
    assert np.array_equal(y, [[-1, 1], [-1, 1]])
    assert np.array_equal(mean.ravel(), [2, 2])
    assert np.array_equal(rstd.ravel(), [1, 0.5])
    y, rstd = aclhost.rms_norm(np.array([[3, 4]], np.float32), np.array([2, 10], np.float32), 0.0)
    assert np.allclose(y, [[6 / np.sqrt(12.5), 40 / np.sqrt(12.5)]])


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_of_infinities(dim: int) -> None:
    x = np.array([[-np.inf, -np.inf], [0, -np.inf]], np.float32)
    with np.errstate(all="ignore"):
        wanted = torch.softmax(torch.from_numpy(x), dim).numpy()
    assert np.array_equal(aclhost.softmax(x, dim), wanted, equal_nan=True)


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_in_place(dim: int) -> None:
    x = np.random.default_rng(1).normal(size=(70, 1100)).astype(np.float32)
    for function in (aclhost.softmax, aclhost.log_softmax):
        memory = np.zeros((71, 1100), np.float32)
        for to in (memory[:70], memory[1:]):
            memory[:70] = x
            function(memory[:70], dim, out=to)
            assert np.array_equal(to, function(x, dim))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("length", [2, 9, 1000])
def test_log_softmax_beside_zero(length: int, dim: int) -> None:
    """What the others add to the largest power, which is 1, is nearly all of its logarithm."""
    rng = np.random.default_rng(length)
    x = rng.normal(size=(length, 50)).astype(np.float32)
    x[rng.integers(length, size=50), np.arange(50)] = 8 + np.log(length)
    less = x.astype(np.float64) - x.max(0)
    wanted = less - np.log1p(np.where(less == 0, 0, np.exp(less)).sum(0))
    found = aclhost.log_softmax(x if dim == 0 else np.ascontiguousarray(x.T), dim)
    assert np.allclose(found if dim == 0 else found.T, wanted, 2**-19, 0)


@pytest.mark.parametrize("length", [1, 15, 31, 32, 33, 47, 63, 64, 65, 1023, 1025, 1055, 1057])
def test_softmax_of_rows_that_end_within_a_step(length: int) -> None:
    """In place of an input and beside other numbers, which stay, with infinities in the last."""
    rng = np.random.default_rng(length)
    x, y = rng.normal(0, 3, (2, 5, length + 2)).astype(np.float32)
    x[:, -2], x[0, 1] = -np.inf, np.nan
    finite = x.copy()
    finite[:, -2] = 1
    calls = [
        (aclhost.softmax, (x,), 0),
        (aclhost.log_softmax, (x,), 0),
        (aclhost.softmax_backward, (finite, y), 0),
        (aclhost.softmax_backward, (finite, y), 1),
        (aclhost.log_softmax_backward, (finite, y), 0),
        (aclhost.log_softmax_backward, (finite, y), 1),
    ]
    for function, inputs, replaced in calls:
        given = [each.copy() for each in inputs]
        rows = [each[:, 1:-1] for each in given]
        exact = [each[:, 1:-1].astype(np.float64) for each in inputs]
        with np.errstate(all="ignore"):
            if len(exact) == 1:
                powers = np.exp(exact[0] - exact[0].max(1, keepdims=True))
                wanted = powers / powers.sum(1, keepdims=True)
                wanted = wanted if function is aclhost.softmax else np.log(wanted)
            elif function is aclhost.softmax_backward:
                wanted = (exact[0] - (exact[0] * exact[1]).sum(1, keepdims=True)) * exact[1]
            else:
                wanted = exact[0] - np.exp(exact[1]) * exact[0].sum(1, keepdims=True)
            alone = function(*[np.ascontiguousarray(each) for each in rows], 1)
            function(*rows, 1, out=rows[replaced])
        scale = np.nanmax(np.abs(np.where(np.isinf(wanted), 0, wanted)), initial=1)
        assert np.allclose(rows[replaced], wanted, 2e-6, 2e-6 * scale, equal_nan=True)
        assert np.array_equal(rows[replaced], alone, equal_nan=True)
        assert np.array_equal(given[replaced][:, [0, -1]], inputs[replaced][:, [0, -1]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 15, 16, 17, 31, 63, 64, 65, 79, 127, 129, 1025])
def test_rows_of_halves_in_place(length: int, dtype: str) -> None:
    """The last elements are computed with some before them, which may be results already."""
    rng = np.random.default_rng(length)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    gradient, y = rng.normal(0, 2, (2, 4, length)).astype(kind)
    for function in (aclhost.softmax_backward, aclhost.log_softmax_backward):
        wanted = function(gradient, y, 1)
        for replaced in range(2):
            given = [gradient.copy(), y.copy()]
            assert function(*given, 1, out=given[replaced]).tobytes() == wanted.tobytes()
    images, channels = gradient.reshape(2, 2, length), np.ones(2, kind)
    values, statistics = y.reshape(2, 2, length), np.ones((2, 1), kind)
    numbers = (2, 2, length, 1, (True, True, True), channels)
    wanted = aclhost.group_norm_backward(images, values, statistics, statistics, *numbers)
    for replaced in range(2):
        given = [images.copy(), values.copy()]
        out = (given[replaced], channels.copy(), channels.copy())
        aclhost.group_norm_backward(*given, statistics, statistics, *numbers, out=out)
        for found, expected in zip(out, wanted, strict=True):
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 3, 15, 16, 17, 31, 33, 127, 128, 129, 143, 145, 300])
def test_gradients_of_rows(length: int, dtype: str) -> None:
    """Some rows at once and others one by one, in place of an input, too."""
    kind = getattr(torch, dtype)
    loose = {"float32": 2e-6, "float16": 1e-3, "bfloat16": 8e-3}[dtype]
    for rows in (1, 3, 4, 9, 12):
        shapes = ((rows, length), (rows, length), (length,), (length,))
        dy, x, weight, bias = (t.detach().to(kind) for t in tensors(*shapes))
        mean = x.float().mean(1, keepdim=True)
        rstd = 1 / (x.float().var(1, correction=0, keepdim=True) + 0.25).sqrt()
        numbers = (mean.double(), rstd.double(), weight.double(), bias.double())
        wanted = torch.ops.aten.native_layer_norm_backward(
            dy.double(), x.double(), (length,), *numbers, (True, True, True)
        )
        others = (mean, rstd, (True, True, True), weight, bias)
        as_arrays = arrays_of(dy, x, *others)
        found = aclhost.layer_norm_backward(*as_arrays[:2], (length,), *as_arrays[2:])
        for ours, theirs in zip(found, wanted, strict=True):
            exact = theirs.numpy()
            assert np.allclose(ours.astype(np.float64), exact, loose, loose * np.abs(exact).max())
        for replaced in range(2):
            given = [each.copy() for each in as_arrays[:2]]
            out = (given[replaced], *(each.copy() for each in found[1:]))
            aclhost.layer_norm_backward(*given, (length,), *as_arrays[2:], out=out)
            assert [each.tobytes() for each in out] == [each.tobytes() for each in found]


def misaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    copy = memory.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("pixels", [1, 15, 16, 17, 63, 65, 95, 96, 97, 111, 113, 129, 300])
def test_channels_of_halves(pixels: int, dtype: str) -> None:
    """Where they are stored: dense, in place, and at odd addresses."""
    loose = {"float16": 2e-3, "bfloat16": 2e-2}[dtype]
    shape, kind = (5, 4, pixels), getattr(torch, dtype)
    x, dy, weight, bias = (
        t.detach().to(kind) for t in tensors(shape, shape, shape[1:2], shape[1:2])
    )
    values, gradients, *factors = arrays_of(x, dy, weight, bias)
    sizes = (*shape, 2)
    found = aclhost.group_norm(values, *sizes, *factors, 0.5)
    exact = [t.double().requires_grad_() for t in (x, weight, bias)]
    wanted = torch.nn.functional.group_norm(exact[0], 2, *exact[1:], eps=0.5).detach().numpy()
    assert np.allclose(found[0].astype(np.float64), wanted, loose, loose)
    for given in (values.copy(), misaligned(values)):
        out = (given, *map(np.copy, found[1:]))
        aclhost.group_norm(given, *sizes, *factors, 0.5, out=out)
        assert [each.tobytes() for each in out] == [each.tobytes() for each in found]
    *_, y, mean, rstd = aclhost.batch_norm(values, *factors, eps=0.5)
    exact_y = torch.nn.functional.batch_norm(
        exact[0], None, None, *exact[1:], training=True, eps=0.5
    )
    wanted = exact_y.detach().numpy()
    assert np.allclose(y.astype(np.float64), wanted, loose, loose)
    *_, again, _, _ = aclhost.batch_norm(misaligned(values), *factors, eps=0.5)
    assert again.tobytes() == y.tobytes()
    of_all = torch.autograd.grad(exact_y, exact, dy.double())
    arguments = ((True, True, True), factors[0], None, None, mean, rstd)
    slopes = aclhost.batch_norm_backward(gradients, values, *arguments)
    for ours, theirs in zip(slopes, of_all, strict=True):
        exactly = theirs.numpy()
        scale = loose * np.abs(exactly).max()
        assert np.allclose(ours.astype(np.float64), exactly, loose, scale)
    given = [misaligned(gradients), misaligned(values)]
    out = (given[0], *map(np.copy, slopes[1:]))
    aclhost.batch_norm_backward(*given, *arguments, out=out)
    assert [each.tobytes() for each in out] == [each.tobytes() for each in slopes]


def test_gradients_of_large_rows() -> None:
    """Two of their elements are too large for a float together."""
    dy, x = np.full((5, 200), 3e38, np.float32), np.zeros((5, 200), np.float32)
    x[:, ::2] = 1
    statistics = np.full((5, 1), 0.5, np.float32), np.full((5, 1), 1, np.float32)
    mask = (True, False, False)
    found = aclhost.layer_norm_backward(dy, x, (200,), *statistics, mask)
    of_x = found[0] if isinstance(found, tuple | list) else found
    assert np.array_equal(of_x, np.zeros_like(x))


def test_a_large_mean_does_not_matter() -> None:
    x = np.random.default_rng(2).normal(size=(5, 77)).astype(np.float32)
    far = (x + np.float32(1000)).astype(np.float32)
    exact = far.astype(np.float64)
    exact = (exact - exact.mean(1, keepdims=True)) / exact.std(1, keepdims=True)
    assert np.allclose(aclhost.layer_norm(far, (77,), eps=0.0)[0], exact, atol=2e-6)


@pytest.mark.parametrize("shape", [(33, 5), (3, 5, 300)])
def test_constant_channels_become_zero(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.3, np.float32) * np.arange(1, 6).reshape(5, *(1,) * (len(shape) - 2))
    _, _, y, *_ = aclhost.batch_norm(x.astype(np.float32))
    assert np.max(np.abs(y)) < 1e-6


def test_statistics_of_root_norms_need_not_keep_the_rank() -> None:
    x = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    gamma, y, rstd = np.ones(4, np.float32), np.empty_like(x), np.empty((2, 3), np.float32)
    kept = aclhost.rms_norm(x, gamma)[1]
    aclhost.rms_norm(x, gamma, out=(y, rstd))
    assert np.array_equal(rstd, kept.reshape(2, 3))
    rstd[:] = 0
    aclhost.add_rms_norm(x, np.zeros_like(x), gamma, out=(y, rstd, np.empty_like(x)))
    assert np.array_equal(rstd, kept.reshape(2, 3))


@pytest.mark.parametrize("weight", [np.inf, -np.inf])
def test_gradients_of_groups_with_infinite_weights(weight: float) -> None:
    """Terms of both signs cancel to NaN, even though their gradients add up to 1."""
    gradient = np.array([[[-1, 2], [0.5, 1]], [[1, 2], [3, 4]]], np.float32)
    x = np.full((2, 2, 2), 2, np.float32)
    statistics, gamma = np.ones((2, 1), np.float32), np.array([weight, 1], np.float32)
    found = aclhost.group_norm_backward(
        gradient, x, statistics, statistics, 2, 2, 2, 1, (True, False, False), gamma
    )  # fmt: skip
    of_x = found[0] if isinstance(found, tuple | list) else found
    assert np.isnan(of_x[0]).all()
    assert np.array_equal(of_x[1, 1], [-weight, -weight])


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 15, 17, 31, 33, 63, 64, 65, 316, 1023, 1030, 2100])
def test_long_rows(length: int, dtype: str) -> None:
    """Rows are gone through in pieces, which end anywhere; how they lie changes no bits."""
    kind = getattr(torch, dtype)
    x, gradient = (t.detach().to(kind) for t in tensors((3, length), (3, length)))
    exact_x, exact_gradient = x.double(), gradient.double()
    exact_x.requires_grad_()
    loose = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}[dtype]
    for name in ("softmax", "log_softmax"):
        exact = getattr(torch, name)(exact_x, 1)
        (wanted,) = torch.autograd.grad(exact, exact_x, exact_gradient)
        y = getattr(functional, name)(x, 1)
        assert torch.allclose(y.double(), exact, rtol=loose, atol=loose)
        leaf = x.clone().requires_grad_()
        (found,) = torch.autograd.grad(getattr(functional, name)(leaf, 1), leaf, gradient)
        assert torch.allclose(found.double(), wanted, rtol=4 * loose, atol=4 * loose)
        turned = x.T.contiguous().T.requires_grad_()
        lying = torch.autograd.grad(getattr(functional, name)(turned, 1), turned, gradient)[0]
        assert torch.equal(lying, found)
    exact = torch.nn.functional.layer_norm(exact_x, (length,))
    found = functional.layer_norm(x, (length,))
    assert torch.allclose(found.double(), exact, rtol=loose, atol=loose)
    assert torch.equal(functional.layer_norm(x.T.contiguous().T, (length,)), found)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(2, 6, 700), (3, 4, 2500), (5, 6, 40)])
def test_images_in_pieces(shape: tuple[int, ...], dtype: str) -> None:
    """Pieces end within channels."""
    kind = getattr(torch, dtype)
    loose = {"float32": 2e-5, "float16": 1e-2}[dtype]
    functions = {
        "group_norm": lambda f, x, w, b: f.group_norm(x, 2, w, b),
        "batch_norm": lambda f, x, w, b: f.batch_norm(x, None, None, w, b, training=True),
    }
    for function in functions.values():
        results = []
        for library, type_ in ((functional, kind), (torch.nn.functional, torch.float64)):
            inputs = [t.detach().to(kind).to(type_) for t in tensors(shape, shape[1:2], shape[1:2])]
            for t in inputs:
                t.requires_grad_()
            value = function(library, *inputs)
            factors = torch.linspace(-1, 1, value.numel()).reshape(shape).to(kind).to(type_)
            gradients = torch.autograd.grad(value, inputs, factors)
            results.append([value.detach(), *gradients])
        for ours, theirs in zip(*results, strict=True):
            scale = theirs.abs().max()
            assert torch.allclose(ours.double() / scale, theirs / scale, rtol=loose, atol=loose)


def test_large_bfloats_have_a_mean() -> None:
    """Four of them are too large for a float."""
    x = torch.full((1, 64), 3e38, dtype=torch.bfloat16)
    result = functional.layer_norm(x, (64,))
    assert torch.equal(result, torch.zeros_like(x))

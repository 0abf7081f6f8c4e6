# SPDX-License-Identifier: Apache-2.0
"""aclhost.torch: gradients that check themselves, and agree with torch's own."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.autograd import gradcheck

import aclhost
import aclhost.torch as af

SEEDS = range(20)


def randn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape).to(dtype).requires_grad_()


def spread(*shape: int) -> torch.Tensor:
    """Distinct values, far enough apart that a finite difference does not change their order."""
    count = int(np.prod(shape))
    return (torch.randperm(count).reshape(shape) / 4.0).requires_grad_()


def sizes(rng: np.random.Generator, count: int = 3, low: int = 1, high: int = 6) -> list[int]:
    return [int(size) for size in rng.integers(low, high + 1, count)]


def check_float32(function: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> None:
    """Gradcheck for operators without float64, with steps and tolerances that float32 bears."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*double precision.*", UserWarning)
        assert gradcheck(function, inputs, eps=2e-3, atol=5e-3, rtol=5e-3)


def assert_same(
    ours: Callable[..., torch.Tensor],
    theirs: Callable[..., torch.Tensor],
    *inputs: torch.Tensor,
    exact: bool = False,
) -> None:
    """Same value, and same gradients of the inputs for a random gradient of the value."""
    tolerance = {"rtol": 0.0, "atol": 0.0} if exact else {}
    got, wanted = ours(*inputs), theirs(*inputs)
    torch.testing.assert_close(got, wanted, **tolerance)
    gradient = torch.randn(wanted.shape).to(wanted.dtype)
    got_gradients = torch.autograd.grad(got, inputs, gradient)
    wanted_gradients = torch.autograd.grad(wanted, inputs, gradient)
    for mine, other in zip(got_gradients, wanted_gradients, strict=True):
        torch.testing.assert_close(mine, other, **tolerance)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


class TestElu:
    def test_gradcheck(self) -> None:
        x = randn(3, 4)
        check_float32(lambda x: af.elu(x, 2.0, 1.5, 0.5), x)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
    @pytest.mark.parametrize("seed", SEEDS)
    def test_agrees(self, seed: int, dtype: torch.dtype) -> None:
        rng = np.random.default_rng(seed)
        x = randn(*sizes(rng, seed % 5), dtype=dtype)
        scalars = [float(value) for value in rng.uniform(0.5, 2, 3)]
        assert_same(lambda x: af.elu(x, *scalars), lambda x: torch.ops.aten.elu(x, *scalars), x)

    def test_float64_has_a_value_but_no_gradient(self) -> None:
        x = randn(4, dtype=torch.float64)
        torch.testing.assert_close(af.elu(x), F.elu(x))
        with pytest.raises(aclhost.AclnnError, match="gradOutput must have dtype"):
            af.elu(x).sum().backward()


class TestSmoothL1Loss:
    @pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
    def test_gradcheck(self, reduction: str) -> None:
        # Away from |d| = beta, where the second derivative jumps, a finite difference is exact.
        x, target = spread(3, 1, 4), (spread(2, 1) + 0.0625).detach().requires_grad_()
        check_float32(lambda x, y: af.smooth_l1_loss(x, y, reduction, 0.5), x, target)

    @pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
    @pytest.mark.parametrize("seed", SEEDS)
    @pytest.mark.filterwarnings("ignore:Using a target size")
    def test_agrees(self, seed: int, reduction: str) -> None:
        rng = np.random.default_rng(seed)
        shape = sizes(rng, seed % 6)
        shapes = [
            [1 if rng.random() < 0.3 else size for size in shape][int(rng.integers(2)) :]
            for _ in range(2)
        ]
        beta = float(rng.choice([0.25, 1.0, 3.0]))
        assert_same(
            lambda x, y: af.smooth_l1_loss(x, y, reduction, beta),
            lambda x, y: F.smooth_l1_loss(x, y, reduction=reduction, beta=beta),
            *(randn(*each) for each in shapes),
        )

    def test_mixed_dtypes_keep_their_own(self) -> None:
        x, target = randn(5, dtype=torch.bfloat16), randn(3, 5)
        loss = af.smooth_l1_loss(x, target, "sum")
        assert loss.dtype is torch.float32
        loss.backward()
        assert x.grad is not None
        assert target.grad is not None
        assert (x.grad.dtype, x.grad.shape) == (x.dtype, x.shape)
        assert (target.grad.dtype, target.grad.shape) == (target.dtype, target.shape)

    def test_a_target_without_gradient(self) -> None:
        x, target = randn(5), torch.zeros(5)
        af.smooth_l1_loss(x, target).backward()
        assert x.grad is not None
        assert target.grad is None


class TestMaxPool3d:
    @pytest.mark.parametrize("overlapping", [False, True])
    def test_gradcheck(self, overlapping: bool) -> None:
        stride, padding = (1, 1) if overlapping else (None, 0)
        check_float32(lambda x: af.max_pool3d(x, 2, stride, padding), spread(1, 2, 3, 4, 2))

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
    @pytest.mark.parametrize("seed", SEEDS)
    def test_agrees(self, seed: int, dtype: torch.dtype) -> None:
        rng = np.random.default_rng(seed)
        kernel = sizes(rng, high=3)
        options = {
            "kernel_size": kernel,
            "stride": sizes(rng, high=3) if seed % 2 else None,
            "padding": [int(rng.integers(size // 2 + 1)) for size in kernel],
            "ceil_mode": bool(seed % 3),
            "return_indices": True,
        }
        lead, volume = sizes(rng, 1 + seed % 2, high=3), sizes(rng, low=3, high=7)
        x = randn(*lead, *volume, dtype=dtype)
        ours, theirs = af.max_pool3d(x, **options), F.max_pool3d(x, **options)
        assert torch.equal(ours[0], theirs[0])
        assert torch.equal(ours[1], theirs[1])
        gradient = torch.randint(-8, 9, ours[0].shape).to(dtype)  # sums are exact in any order
        (mine,) = torch.autograd.grad(ours[0], x, gradient)
        (other,) = torch.autograd.grad(theirs[0], x, gradient)
        assert torch.equal(mine, other)

    def test_dilation_needs_ascend_950(self) -> None:
        x = randn(1, 1, 5, 5, 5)
        with pytest.raises(aclhost.AclnnError, match="dilation"):
            af.max_pool3d(x, 2, dilation=2)
        with aclhost.soc("Ascend950PR_9599"):
            assert_same(
                lambda x: af.max_pool3d(x, 2, 1, dilation=2),
                lambda x: F.max_pool3d(x, 2, 1, dilation=2),
                x,
            )

    def test_indices_have_no_gradient(self) -> None:
        _, indices = af.max_pool3d(randn(1, 2, 2, 2), 2, return_indices=True)
        assert indices.dtype is torch.int64
        assert not indices.requires_grad


def distinct_indices(lead: list[int], small: list[int], large: list[int]) -> torch.Tensor:
    volume, count = int(np.prod(large)), int(np.prod(small))
    rows = [torch.randperm(volume)[:count] for _ in range(int(np.prod(lead)))]
    return torch.stack(rows).reshape(*lead, *small)


class TestMaxUnpool3d:
    @pytest.mark.parametrize("index_dtype", [torch.int32, torch.int64])
    def test_gradcheck(self, index_dtype: torch.dtype) -> None:
        indices = distinct_indices([2], [1, 2, 2], [2, 3, 4]).to(index_dtype)
        x = randn(2, 1, 2, 2, dtype=torch.float64)
        assert gradcheck(lambda x: af.max_unpool3d(x, indices, (2, 3, 4)), (x,))

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("seed", SEEDS)
    def test_agrees(self, seed: int, dtype: torch.dtype) -> None:
        rng = np.random.default_rng(seed)
        lead, small = sizes(rng, 1 + seed % 2, high=3), sizes(rng, high=4)
        large = [2 * size for size in small]
        indices = distinct_indices(lead, small, large)
        assert_same(
            lambda x: af.max_unpool3d(x, indices, large),
            lambda x: F.max_unpool3d(x, indices, 2, output_size=large),
            randn(*lead, *small, dtype=dtype),
            exact=True,
        )

    def test_undoes_pooling_with_our_indices_and_with_torch_s(self) -> None:
        x = randn(2, 3, 4, 4, 4)
        for pool in (af.max_pool3d, F.max_pool3d):
            pooled, indices = pool(x, 2, return_indices=True)
            ours = af.max_unpool3d(pooled, indices, 4)
            assert torch.equal(ours, F.max_unpool3d(pooled, indices, 2))

    def test_an_index_outside(self) -> None:
        with pytest.raises(aclhost.AclnnError) as caught:
            af.max_unpool3d(randn(1, 1, 1, 1), torch.tensor([[[[8]]]]), 2)
        assert caught.value.status == 507015


class TestUpsampleNearest3d:
    @pytest.mark.parametrize(
        "target", [{"output_size": (4, 6, 3)}, {"output_size": 5}, {"scale_factor": (2, 1.5, 0.5)}]
    )
    def test_gradcheck(self, target: dict[str, object]) -> None:
        x = randn(2, 1, 2, 4, 3, dtype=torch.float64)
        assert gradcheck(lambda x: af.upsample_nearest3d(x, **target), (x,))

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    @pytest.mark.parametrize("seed", SEEDS)
    def test_agrees_at_whole_factors(self, seed: int, dtype: torch.dtype) -> None:
        rng = np.random.default_rng(seed)
        shape, factors = sizes(rng, 5, high=5), sizes(rng, high=4)
        large = [size * factor for size, factor in zip(shape[2:], factors, strict=True)]
        x = randn(*shape, dtype=dtype)
        target = {"scale_factor": factors} if seed % 2 else {"output_size": large}
        assert_same(
            lambda x: af.upsample_nearest3d(x, **target),
            lambda x: F.interpolate(x, size=large, mode="nearest"),
            x,
        )

    @pytest.mark.parametrize("seed", SEEDS)
    def test_values_agree_at_any_size(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        x = randn(*sizes(rng, 5, high=9)).detach()
        size = sizes(rng, high=20)
        assert torch.equal(af.upsample_nearest3d(x, size), F.interpolate(x, size=size))
        factor = [float(each) for each in rng.uniform(1, 3, 3)]
        assert torch.equal(
            af.upsample_nearest3d(x, scale_factor=factor),
            F.interpolate(x, scale_factor=factor),
        )

    def test_exactly_one_target(self) -> None:
        x = randn(1, 1, 2, 2, 2)
        for wrong in ({}, {"output_size": 2, "scale_factor": 2.0}):
            with pytest.raises(ValueError, match="either output_size or scale_factor"):
                af.upsample_nearest3d(x, **wrong)
        with pytest.raises(ValueError, match="one number or three, got 2"):
            af.upsample_nearest3d(x, scale_factor=(2.0, 2.0))


def test_gradients_of_gradients_are_refused() -> None:
    x = randn(3)
    (gradient,) = torch.autograd.grad(af.elu(x), x, randn(3), create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_strided_gradients() -> None:
    """Autograd hands over whatever views the graph makes: expanded, transposed, sliced."""
    assert_same(
        lambda x: af.elu(x).t()[::2].sum(0).expand(3, -1),
        lambda x: F.elu(x).t()[::2].sum(0).expand(3, -1),
        randn(4, 6),
    )


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)


def test_aclhost_does_not_import_torch() -> None:
    assert run_python("import sys, aclhost; assert 'torch' not in sys.modules").returncode == 0


def test_without_torch() -> None:
    done = run_python("import sys; sys.modules['torch'] = None; import aclhost.torch")
    assert "ImportError: aclhost.torch needs PyTorch; pip install torch" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""aclhost.torch.functional beside torch.nn.functional: values, gradients, signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as theirs

from aclhost.torch import functional as ours

Make = Callable[[], tuple[list[torch.Tensor], dict[str, Any]]]  # differentiable inputs, the rest


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(shape).requires_grad_()


def probabilities(*shape: int) -> torch.Tensor:
    return (0.05 + 0.9 * torch.rand(shape)).requires_grad_()


def of(*shapes: tuple[int, ...], **attributes: object) -> Make:
    return lambda: ([numbers(*shape) for shape in shapes], attributes)


def of_probabilities(**attributes: object) -> Make:
    return lambda: ([probabilities(4, 5)], {"target": torch.rand(4, 5), **attributes})


def of_classes(*shape: int, **attributes: object) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        classes = torch.randint(0, shape[1], (shape[0], *shape[2:]))
        rows = torch.randn(shape).log_softmax(1).requires_grad_()
        return [rows], {"target": classes, **attributes}

    return make


def of_sequences(**attributes: object) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        rows = torch.randn(9, 3, 5).log_softmax(2).requires_grad_()
        targets = torch.randint(1, 5, (3, 4))
        lengths = {
            "input_lengths": torch.tensor([9, 8, 7]),
            "target_lengths": torch.tensor([4, 3, 2]),
        }
        return [rows], {"targets": targets, **lengths, **attributes}

    return make


def of_maxima(dimensions: int) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        pool = getattr(theirs, f"max_pool{dimensions}d")
        pooled, indices = pool(torch.randn(2, 3, *[6] * dimensions), 2, return_indices=True)
        return [pooled.requires_grad_()], {"indices": indices, "kernel_size": 2}

    return make


def of_grid(dimensions: int, **attributes: object) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        image = numbers(2, 3, *[5] * dimensions)
        grid = (1.6 * torch.rand(2, *[4] * dimensions, dimensions) - 0.8).requires_grad_()
        return [image, grid], {"align_corners": False, **attributes}

    return make


def of_rows(**attributes: object) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        return [numbers(6, 4)], {"input": torch.tensor([[0, 5, 2], [2, 2, 1]]), **attributes}

    return make


def of_attention(*mask: torch.Tensor, heads: int = 4, **attributes: object) -> Make:
    def make() -> tuple[list[torch.Tensor], dict[str, Any]]:
        q, k, v = numbers(2, 4, 5, 8), numbers(2, heads, 7, 8), numbers(2, heads, 7, 8)
        return [q, k, v], {**({"attn_mask": mask[0]} if mask else {}), **attributes}

    return make


PLAIN = (
    "relu", "relu6", "silu", "sigmoid", "tanh", "hardsigmoid", "hardswish", "mish", "selu",
    "logsigmoid",
)  # fmt: skip
IMAGE, VOLUME = (2, 3, 9, 8), (2, 3, 5, 6, 7)
CASES: dict[str, list[Make]] = {
    **{name: [of((3, 7))] for name in PLAIN},
    "elu": [of((3, 7), alpha=1.5)],
    "celu": [of((3, 7), alpha=1.5)],
    "gelu": [of((3, 7)), of((3, 7), approximate="tanh")],
    "threshold": [of((3, 7), threshold=0.2, value=-1.0)],
    "leaky_relu": [of((3, 7), negative_slope=0.2)],
    "hardtanh": [of((3, 7), min_val=-0.4, max_val=0.7)],
    "hardshrink": [of((3, 7), lambd=0.4)],
    "softshrink": [of((3, 7), lambd=0.4)],
    "softplus": [of((3, 7), beta=2.0, threshold=1.5)],
    "glu": [of((3, 8)), of((4, 3, 2), dim=0)],
    "prelu": [of((2, 3, 4), (3,)), of((2, 3, 4), (1,))],
    "max_pool2d": [of(IMAGE, kernel_size=3, stride=2, padding=1), of(IMAGE, kernel_size=2)],
    "max_pool3d": [of(VOLUME, kernel_size=3, stride=2, padding=1)],
    "adaptive_max_pool2d": [of(IMAGE, output_size=(4, 3))],
    "adaptive_max_pool3d": [of(VOLUME, output_size=(2, 4, 3))],
    "avg_pool2d": [
        of(IMAGE, kernel_size=3, stride=2, padding=1),
        of(IMAGE, kernel_size=2, count_include_pad=False, ceil_mode=True),
        of(IMAGE, kernel_size=(3, 2), divisor_override=5),
    ],
    "avg_pool3d": [of(VOLUME, kernel_size=3, stride=2, padding=1, count_include_pad=False)],
    "adaptive_avg_pool2d": [of(IMAGE, output_size=(4, 3))],
    "adaptive_avg_pool3d": [of(VOLUME, output_size=(2, 4, 3))],
    "layer_norm": [of((3, 4, 5), normalized_shape=(4, 5))],
    "rms_norm": [of((3, 4, 5), normalized_shape=(5,), eps=1e-5)],
    "group_norm": [of((2, 6, 5), num_groups=3)],
    "batch_norm": [of((4, 3, 5), running_mean=None, running_var=None, training=True)],
    "linear": [of((3, 4), (5, 4), (5,)), of((2, 3, 4), (5, 4)), of((3, 4), (4,))],
    "embedding": [of_rows(), of_rows(padding_idx=2), of_rows(scale_grad_by_freq=True)],
    "scaled_dot_product_attention": [
        of_attention(),
        of_attention(is_causal=True),
        of_attention(torch.ones(5, 7).tril(1).bool()),
        of_attention(torch.linspace(-2, 2, 4 * 35).reshape(4, 5, 7), scale=0.7),
        of_attention(heads=2, enable_gqa=True),
        of((5, 8), (7, 8), (7, 6)),
        of((3, 5, 8), (3, 7, 8), (3, 7, 8), is_causal=True),
    ],
    "softmax": [of((3, 4, 5), dim=1)],
    "log_softmax": [of((3, 4, 5), dim=-1)],
    "conv1d": [
        of((2, 3, 9), (4, 3, 3), (4,), stride=2, padding=1),
        of((3, 9), (4, 3, 2), padding="same"),
    ],
    "conv2d": [
        of((2, 4, 6, 7), (6, 2, 3, 2), (6,), stride=(2, 1), padding=(1, 0), groups=2),
        of((1, 4, 6, 7), (4, 1, 3, 3), (4,), padding="same", dilation=2, groups=4),
    ],
    "conv3d": [of((1, 2, 4, 5, 3), (3, 2, 2, 2, 3), (3,), padding=1)],
    "conv_transpose1d": [of((2, 3, 5), (3, 4, 3), (4,), stride=2, output_padding=1)],
    "conv_transpose2d": [of((2, 4, 3, 5), (4, 2, 3, 2), (4,), stride=(2, 3), groups=2)],
    "conv_transpose3d": [of((1, 2, 3, 2, 3), (2, 3, 2, 3, 2), (3,), stride=2, padding=1)],
    "max_unpool2d": [of_maxima(2)],
    "max_unpool3d": [of_maxima(3)],
    "interpolate": [
        *(of((2, 3, 5), size=10, mode=mode) for mode in ("nearest", "nearest-exact", "linear")),
        *(
            of(IMAGE, scale_factor=2.0, mode=mode)
            for mode in ("nearest", "nearest-exact", "bilinear", "bicubic")
        ),
        of(IMAGE, size=(13, 5), mode="bilinear", align_corners=True),
        of(IMAGE, size=(4, 5), mode="bilinear", antialias=True),
        of(IMAGE, size=(4, 5), mode="bicubic", antialias=True),
        *(of(VOLUME, scale_factor=2.0, mode=mode) for mode in ("nearest", "trilinear")),
    ],
    "grid_sample": [
        of_grid(2),
        of_grid(2, mode="nearest", padding_mode="border"),
        of_grid(2, padding_mode="reflection", align_corners=True),
        of_grid(3),
    ],
    "unfold": [of(IMAGE, kernel_size=(3, 2), dilation=2, padding=1, stride=2)],
    "l1_loss": [of((3, 7), (3, 7), reduction=each) for each in ("none", "mean", "sum")],
    "mse_loss": [of((3, 7), (3, 7), reduction=each) for each in ("none", "mean", "sum")],
    "smooth_l1_loss": [of((3, 7), (3, 7), beta=0.5)],
    "soft_margin_loss": [
        lambda: ([numbers(3, 7)], {"target": torch.randn(3, 7).sign(), "reduction": "sum"})
    ],
    "binary_cross_entropy": [
        of_probabilities(),
        of_probabilities(reduction="none"),
        of_probabilities(reduction="sum"),
        lambda: ([probabilities(3, 4)], {"target": torch.rand(3, 4), "weight": torch.rand(3, 4)}),
    ],
    "binary_cross_entropy_with_logits": [
        of((3, 4), (3, 4)),
        lambda: (
            [numbers(3, 4), probabilities(3, 4)],
            {"weight": torch.rand(3, 4), "pos_weight": torch.rand(4), "reduction": "sum"},
        ),
    ],
    "kl_div": [of_probabilities(reduction=each) for each in ("none", "mean", "sum", "batchmean")],
    "nll_loss": [
        of_classes(5, 4),
        of_classes(5, 4, reduction="none"),
        of_classes(5, 4, weight=torch.tensor([0.1, 0.4, 2.0, 1.0]), ignore_index=2),
        of_classes(2, 4, 3, 5),
    ],
    "cross_entropy": [of_classes(5, 4), of_classes(5, 4, label_smoothing=0.2)],
    "ctc_loss": [of_sequences(), of_sequences(reduction="sum")],
    "pad": [
        of(IMAGE, pad=(1, 2, 3, 0), value=2.5),
        *(of(IMAGE, pad=(1, 2, 3, 2), mode=m) for m in ("reflect", "replicate", "circular")),
        *(of(VOLUME, pad=(1, 2, 3, 2, 1, 0), mode=m) for m in ("reflect", "replicate")),
        of((2, 3, 7), pad=(3, 2), mode="reflect"),
    ],
}


def _called(
    function: Callable[..., torch.Tensor], inputs: list[torch.Tensor], attributes: dict[str, Any]
) -> torch.Tensor:
    """Embedding takes what has no gradient first."""
    if "input" in attributes:
        return function(weight=inputs[0], **attributes)
    return function(*inputs, **attributes)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        pytest.param(name, make, id=f"{name}-{number}")
        for name, makes in CASES.items()
        for number, make in enumerate(makes)
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_values_and_gradients(name: str, make: Make) -> None:
    torch.manual_seed(3)
    inputs, attributes = make()
    got, wanted = (_called(getattr(each, name), inputs, attributes) for each in (ours, theirs))
    torch.testing.assert_close(got, wanted, rtol=2e-5, atol=2e-5)
    slope = torch.randn(wanted.shape)
    found = torch.autograd.grad(got, inputs, slope)
    for mine, other in zip(found, torch.autograd.grad(wanted, inputs, slope), strict=True):
        torch.testing.assert_close(mine, other, rtol=2e-5, atol=2e-5)


def test_every_function_has_cases() -> None:
    assert set(CASES) == set(ours.__all__)


@pytest.mark.parametrize("name", ours.__all__)
def test_signature(name: str) -> None:
    """Names, order and defaults are torch's, wherever torch says what they are."""
    function = getattr(theirs, name)
    function = getattr(function, "__wrapped__", function)
    try:
        wanted = inspect.signature(function).parameters
    except ValueError:
        pytest.skip("torch's is no Python function")
    if "args" in wanted:
        wanted = inspect.signature(getattr(theirs, f"_{name}")).parameters
    own = inspect.signature(getattr(ours, name)).parameters
    given = {key: each.default for key, each in own.items() if key != "return_indices"}
    defaults = {
        key: wanted[key].default
        for key in wanted
        if key not in ("return_indices", "weight") or key in given
    }
    assert list(given.items()) == list(defaults.items())


def test_in_place_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="inplace=True is not offered"):
        ours.relu(numbers(2), inplace=True)


def test_dropout_of_attention() -> None:
    """With the identity as values, shares are seen: each is dropped or scaled."""
    q, k, v = torch.randn(2, 3, 9, 8), torch.randn(2, 3, 8, 8), torch.eye(8).expand(2, 3, 8, 8)
    q.requires_grad_()
    kept = ours.scaled_dot_product_attention(q, k, v, dropout_p=0.25)
    shares = theirs.scaled_dot_product_attention(q, k, v)
    dropped = kept == 0
    assert 0.1 < dropped.float().mean() < 0.4
    torch.testing.assert_close(kept, torch.where(dropped, 0, shares / 0.75), rtol=1e-5, atol=1e-6)
    slope = torch.randn(kept.shape)
    (found,) = torch.autograd.grad(kept, q, slope)
    (wanted,) = torch.autograd.grad(torch.where(dropped, 0, shares / 0.75), q, slope)
    torch.testing.assert_close(found, wanted, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ({"attn_mask": torch.ones(2, 2), "is_causal": True}, ValueError, "either attn_mask"),
        ({"attn_mask": torch.ones(2, 2).requires_grad_()}, NotImplementedError, "detach it"),
        ({"key": torch.ones(1, 2, 2, 4)}, ValueError, "need enable_gqa"),
    ],
)
def test_attention_refuses(call: dict[str, Any], error: type[Exception], words: str) -> None:
    given = {name: torch.ones(1, 4, 2, 4) for name in ("query", "key", "value")}
    with pytest.raises(error, match=words):
        ours.scaled_dot_product_attention(**given | call)


@pytest.mark.parametrize("option", ["max_norm", "sparse"])
def test_embedding_refuses(option: str) -> None:
    with pytest.raises(NotImplementedError, match=option):
        ours.embedding(torch.tensor([0]), torch.ones(2, 2), **{option: 1})  # type: ignore[arg-type]

# SPDX-License-Identifier: Apache-2.0
"""Trains a small 3-D network twice: on aclhost's operators, and on torch's own.

The network removes noise from volumes: an encoder with max pooling, a decoder with unpooling and
upsampling, ELU in between, smooth L1 as the loss. Convolutions are torch's in both runs. Same seed,
same data; the loss curves should lie on each other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import torch
from rich.progress import Progress
from torch import Tensor, nn
from torch.nn import functional
from training import SEED, report, train

import aclhost.torch as af

SIZE, BATCH = 16, 4


@dataclass(frozen=True)
class Operators:
    """What differs between the two runs."""

    name: str
    elu: Callable[[Tensor], Tensor]
    pool: Callable[[Tensor], tuple[Tensor, Tensor]]
    unpool: Callable[[Tensor, Tensor], Tensor]
    upsample: Callable[[Tensor], Tensor]
    loss: Callable[[Tensor, Tensor], Tensor]


ACLHOST = Operators(
    "aclhost",
    elu=af.elu,
    pool=lambda x: af.max_pool3d(x, 2, return_indices=True),
    unpool=lambda x, indices: af.max_unpool3d(x, indices, SIZE),
    upsample=lambda x: af.upsample_nearest3d(x, scale_factor=2),
    loss=lambda x, target: af.smooth_l1_loss(x, target, beta=0.5),
)
TORCH = Operators(
    "torch",
    elu=functional.elu,
    pool=lambda x: functional.max_pool3d(x, 2, return_indices=True),
    unpool=lambda x, indices: functional.max_unpool3d(x, indices, 2),
    upsample=lambda x: functional.interpolate(x, scale_factor=2, mode="nearest"),
    loss=lambda x, target: functional.smooth_l1_loss(x, target, beta=0.5),
)


class EncoderDecoder(nn.Module):
    """Two levels down by pooling; one back up by upsampling, one by unpooling."""

    def __init__(self, operators: Operators) -> None:
        super().__init__()
        self.operators = operators
        channels = [(1, 8), (8, 16), (16, 16), (16, 8), (8, 1)]
        self.layers = nn.ModuleList(nn.Conv3d(i, o, 3, padding=1) for i, o in channels)

    def forward(self, x: Tensor) -> Tensor:
        op, (first, second, middle, fourth, last) = self.operators, self.layers
        x, indices = op.pool(op.elu(first(x)))
        x, _ = op.pool(op.elu(second(x)))
        x = op.upsample(op.elu(middle(x)))
        x = op.unpool(op.elu(fourth(x)), indices)
        return last(x)


def volumes(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Noisy volumes with a soft ball each, and the same without noise."""
    axes = torch.meshgrid(*[torch.linspace(-1, 1, SIZE)] * 3, indexing="ij")
    grid = torch.stack(axes).unsqueeze(0)
    centre = torch.rand(BATCH, 3, 1, 1, 1, generator=generator) - 0.5
    radius = 0.3 + 0.4 * torch.rand(BATCH, 1, 1, 1, generator=generator)
    clean = torch.sigmoid(8 * (radius - (grid - centre).norm(dim=1))).unsqueeze(1)
    return clean + 0.3 * torch.randn(clean.shape, generator=generator), clean


def loss_of_a_batch(model: nn.Module, generator: torch.Generator) -> Tensor:
    """How far the denoised volumes are from the clean ones."""
    noisy, clean = volumes(generator)
    return model.operators.loss(model(noisy), clean)


def run(operators: Operators, steps: int, progress: Progress) -> list[float]:
    """The loss at each step."""
    torch.manual_seed(SEED)
    return train(operators.name, EncoderDecoder(operators), loss_of_a_batch, steps, progress)


@click.command()
@click.option("--steps", type=click.IntRange(min=2), default=200, show_default=True)
@click.option("--plot", type=click.Path(path_type=Path), default="loss.png", show_default=True)
def main(steps: int, plot: Path) -> None:
    """Trains on both sets of operators and compares the losses."""
    if not plot.parent.is_dir():
        raise SystemExit(f"{plot.parent}: no such directory")
    with Progress() as progress:
        ours, theirs = (run(operators, steps, progress) for operators in (ACLHOST, TORCH))
    report(ours, theirs, "smooth L1 loss", plot)


if __name__ == "__main__":
    main()

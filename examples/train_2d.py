# SPDX-License-Identifier: Apache-2.0
"""Trains a small image classifier twice: on aclhost's operators, and on torch's own.

It tells discs, squares and crosses apart in noisy images. Convolutions and the last layer are
torch's in both runs; activations, pooling, resizing, padding and the loss are what differs. Same
seed, same data; the loss curves should lie on each other.
"""

from pathlib import Path
from types import ModuleType

import click
import torch
from rich.progress import Progress
from torch import Tensor, nn
from torch.nn import functional as torch_functional
from training import SEED, report, train

from aclhost.torch import functional as aclhost_functional

SIZE, BATCH, CLASSES = 24, 32, 3


class Classifier(nn.Module):
    """Two convolutions, each with another activation and pool, on a larger image."""

    def __init__(self, functional: ModuleType) -> None:
        super().__init__()
        self.functional = functional
        self.first = nn.Conv2d(1, 8, 3)
        self.second = nn.Conv2d(8, 16, 3)
        self.last = nn.Linear(16 * 9, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        f = self.functional
        x = f.interpolate(x, scale_factor=1.5, mode="bilinear")
        x = f.max_pool2d(f.silu(self.first(f.pad(x, (1, 1, 1, 1), mode="reflect"))), 2)
        x = f.avg_pool2d(f.gelu(self.second(f.pad(x, (1, 1, 1, 1)))), 2)
        return self.last(f.adaptive_avg_pool2d(x, 3).flatten(1))


def images(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Noisy images, each of one shape somewhere, and which shape it is."""
    classes = torch.randint(CLASSES, (BATCH,), generator=generator)
    centre = 0.4 * torch.rand(BATCH, 2, 1, 1, generator=generator) - 0.2
    radius = 0.5 + 0.2 * torch.rand(BATCH, 1, 1, generator=generator)
    axes = torch.meshgrid(*[torch.linspace(-1, 1, SIZE)] * 2, indexing="ij")
    distance = (torch.stack(axes) - centre).abs()
    larger, smaller = distance.amax(1), distance.amin(1)
    shapes = torch.stack(
        [distance.norm(dim=1) < radius, larger < radius, (larger < radius) & (smaller < radius / 3)]
    )
    clean = shapes[classes, torch.arange(BATCH)].float().unsqueeze(1)
    return clean + 0.1 * torch.randn(clean.shape, generator=generator), classes


def loss_of_a_batch(model: nn.Module, generator: torch.Generator) -> Tensor:
    """The cross entropy of what the model says about new images."""
    noisy, classes = images(generator)
    return model.functional.cross_entropy(model(noisy), classes)


def run(functional: ModuleType, steps: int, progress: Progress) -> list[float]:
    """The loss at each step."""
    torch.manual_seed(SEED)
    name = functional.__name__.partition(".")[0]
    return train(name, Classifier(functional), loss_of_a_batch, steps, progress, rate=0.02)


@click.command()
@click.option("--steps", type=click.IntRange(min=2), default=200, show_default=True)
@click.option("--plot", type=click.Path(path_type=Path), default="loss_2d.png", show_default=True)
def main(steps: int, plot: Path) -> None:
    """Trains on both sets of operators and compares the losses."""
    if not plot.parent.is_dir():
        raise SystemExit(f"{plot.parent}: no such directory")
    with Progress() as progress:
        ours, theirs = (
            run(functional, steps, progress)
            for functional in (aclhost_functional, torch_functional)
        )
    report(ours, theirs, "cross entropy", plot)


if __name__ == "__main__":
    main()

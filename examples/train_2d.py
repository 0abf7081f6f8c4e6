# SPDX-License-Identifier: Apache-2.0
"""Trains a small image classifier twice: on aclhost's operators, and on torch's own.

It tells discs, squares and crosses apart in noisy images. Convolutions and the last layer are
torch's in both runs; activations, pooling, resizing, padding and the loss are what differs. Same
seed, same data; the loss curves should lie on each other.
"""

from types import ModuleType

import torch
from torch import Tensor, nn
from training import Experiment

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


if __name__ == "__main__":
    Experiment(Classifier, loss_of_a_batch, "loss_2d.png", rate=0.02).command()()

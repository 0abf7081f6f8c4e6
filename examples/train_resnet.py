# SPDX-License-Identifier: Apache-2.0
"""Trains a small residual network twice: on aclhost's operators, and on torch's own.

It tells discs, squares and crosses apart in the noisy images of train_2d.py. Convolutions, batch
norms, activations, pooling, the last layer and the loss are what differs. Same seed, same data;
the loss curves should lie on each other. Activations are smooth: at the kink of a ReLU, the last
bit of a convolution would decide about a slope, and the curves would part.
"""

from types import ModuleType

from torch import Tensor, nn
from train_2d import CLASSES, loss_of_a_batch
from training import Experiment

WIDTHS = (8, 16, 32)


class Convolution(nn.Module):
    """A convolution and the norm of its channels over the batch."""

    def __init__(self, functional: ModuleType, channels: tuple[int, int], size: int, stride: int):
        super().__init__()
        self.functional, self.stride, self.padding = functional, stride, size // 2
        self.weight = nn.Conv2d(*channels, size, bias=False).weight
        self.norm = nn.BatchNorm2d(channels[1])

    def forward(self, x: Tensor) -> Tensor:
        x = self.functional.conv2d(x, self.weight, None, self.stride, self.padding)
        norm = self.norm
        return self.functional.batch_norm(
            x, norm.running_mean, norm.running_var, norm.weight, norm.bias, training=self.training
        )


class Residual(nn.Module):
    """Two convolutions, added to what came in."""

    def __init__(self, functional: ModuleType, channels: tuple[int, int], stride: int) -> None:
        super().__init__()
        self.functional = functional
        self.first = Convolution(functional, channels, 3, stride)
        self.second = Convolution(functional, (channels[1], channels[1]), 3, 1)
        self.shortcut = Convolution(functional, channels, 1, stride) if stride > 1 else None

    def forward(self, x: Tensor) -> Tensor:
        f = self.functional
        direct = x if self.shortcut is None else self.shortcut(x)
        return f.silu(direct + self.second(f.silu(self.first(x))))


class ResNet(nn.Module):
    """A residual block of each width; all but the first halve the image."""

    def __init__(self, functional: ModuleType) -> None:
        super().__init__()
        self.functional = functional
        self.stem = Convolution(functional, (1, WIDTHS[0]), 3, 1)
        steps = zip((WIDTHS[0], *WIDTHS), WIDTHS, strict=False)
        self.blocks = nn.ModuleList(
            Residual(functional, step, 1 if i == 0 else 2) for i, step in enumerate(steps)
        )
        self.last = nn.Linear(WIDTHS[-1], CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        f = self.functional
        x = f.max_pool2d(f.silu(self.stem(x)), 2)
        for block in self.blocks:
            x = block(x)
        pooled = f.adaptive_avg_pool2d(x, 1).flatten(1)
        return f.linear(pooled, self.last.weight, self.last.bias)


if __name__ == "__main__":
    Experiment(ResNet, loss_of_a_batch, "loss_resnet.png", steps=60).command()()

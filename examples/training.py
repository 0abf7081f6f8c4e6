# SPDX-License-Identifier: Apache-2.0
"""What the training examples share: the command, the loop, and two loss curves side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import click
import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as torch_functional

from aclhost.torch import functional as aclhost_functional

SEED = 7
Step = Callable[[nn.Module, torch.Generator], Tensor]  # the loss of one batch


def train(
    name: str, model: nn.Module, step: Step, steps: int, progress: Progress, rate: float = 0.003
) -> list[float]:
    """The loss at each step."""
    generator = torch.Generator().manual_seed(SEED)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    curve = []
    for _ in progress.track(range(steps), description=f"{name:8}"):
        loss = step(model, generator)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve


def side_by_side(ours: list[float], theirs: list[float], title: str, rows: int = 10) -> Table:
    """Both curves at evenly spaced steps."""
    table = Table("step", "aclhost", "torch", "difference", title=title)
    last = len(ours) - 1
    for step in sorted({round(row * last / (rows - 1)) for row in range(rows)}):
        difference = abs(ours[step] - theirs[step])
        table.add_row(str(step), f"{ours[step]:.8f}", f"{theirs[step]:.8f}", f"{difference:.1e}")
    return table


def save_plot(ours: list[float], theirs: list[float], title: str, path: Path) -> str:
    """Writes the PNG; returns what to tell the user."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "no plot without matplotlib; pip install matplotlib"
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(theirs, label="torch", linewidth=5, color="lightgray")
    axes.plot(ours, label="aclhost", linewidth=1, color="crimson")
    axes.set(xlabel="step", ylabel=title, yscale="log", title=title)
    axes.legend()
    figure.savefig(path, dpi=150)
    return f"plot: {path}"


def report(ours: list[float], theirs: list[float], title: str, plot: Path) -> None:
    """Prints both curves, saves the plot, and ends the program if nothing was learnt."""
    console = Console()
    console.print(side_by_side(ours, theirs, title))
    largest = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    console.print(f"loss {ours[0]:.6f} -> {ours[-1]:.6f}, largest difference {largest:.1e}")
    console.print(save_plot(ours, theirs, title, plot))
    if not ours[-1] < ours[0]:
        raise SystemExit("the loss did not fall")


@dataclass(frozen=True)
class Experiment:
    """A model made of either set of functions, trained on the cross entropy."""

    model: Callable[[ModuleType], nn.Module]
    step: Step
    plot: str
    steps: int = 200
    rate: float = 0.003

    def run(self, functional: ModuleType, steps: int, progress: Progress) -> list[float]:
        """The loss at each step."""
        torch.manual_seed(SEED)
        name = functional.__name__.partition(".")[0]
        return train(name, self.model(functional), self.step, steps, progress, self.rate)

    def command(self) -> click.Command:
        """What a user calls."""

        @click.command()
        @click.option("--steps", type=click.IntRange(min=2), default=self.steps, show_default=True)
        @click.option(
            "--plot", type=click.Path(path_type=Path), default=self.plot, show_default=True
        )
        def main(steps: int, plot: Path) -> None:
            """Trains on both sets of operators and compares the losses."""
            if not plot.parent.is_dir():
                raise SystemExit(f"{plot.parent}: no such directory")
            with Progress() as progress:
                ours, theirs = (
                    self.run(functional, steps, progress)
                    for functional in (aclhost_functional, torch_functional)
                )
            report(ours, theirs, "cross entropy", plot)

        return main

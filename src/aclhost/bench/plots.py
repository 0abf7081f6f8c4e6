# SPDX-License-Identifier: Apache-2.0
"""Results as pictures. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from aclhost.bench.cases import SIZES
from aclhost.bench.results import Result, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_DPI = 120


def missing() -> str | None:
    """Why there can be no plots, or None if there can."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        return f"plots need {error.name}; pip install matplotlib"
    return None


def write_plots(run: Run, directory: Path) -> list[Path]:
    """Writes ratio.png, where torch was measured, roofline.png and growth.png."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    if any(result.ratio is not None for result in run.results):
        written.append(_save(_ratios(run), directory / "ratio.png"))
    if run.results:
        written.append(_save(_roofline(run), directory / "roofline.png"))
    if run.growth:
        written.append(_save(_growth(run), directory / "growth.png"))
    return written


def _new_figure(run: Run, height: float) -> tuple[Figure, Axes]:
    """A figure without pyplot, which would look for a display and keep figures alive."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure.supxlabel(f"{run.machine.line}\n{run.disturbance}".rstrip(), fontsize=6)
    return figure, figure.add_subplot()


def _plain_numbers(axis: Axis) -> None:
    """On a logarithmic scale: 1, 2, 5, 10 instead of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=30))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=_DPI, format="png")
    return path


def _ratios(run: Run) -> Figure:
    """Bars by operator and size; each the median of variants and dtypes, with their range."""
    operators = list(dict.fromkeys(result.case.operator for result in run.results))
    figure, axes = _new_figure(run, 1.5 + 0.7 * len(operators))
    sizes = [size for size in SIZES if any(_found(run.results, op, size) for op in operators)]
    height = 0.85 / len(sizes)
    for rank, size in enumerate(sizes):
        bars = [
            (place + rank * height, ratios)
            for place, operator in enumerate(operators)
            if (ratios := _found(run.results, operator, size))
        ]
        middles = [median(ratios) for _, ratios in bars]
        below = [middle - min(ratios) for middle, (_, ratios) in zip(middles, bars, strict=True)]
        above = [max(ratios) - middle for middle, (_, ratios) in zip(middles, bars, strict=True)]
        places = [place for place, _ in bars]
        lengths = [middle - 1 for middle in middles]
        spread = (below, above)
        axes.barh(places, lengths, height, left=1, label=size, xerr=spread, ecolor="0.4")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    _plain_numbers(axes.xaxis)
    axes.set_yticks([place + 0.4 for place in range(len(operators))], operators)
    axes.invert_yaxis()
    axes.set_xlabel("torch's time / aclhost's: right of 1 is faster than torch")
    axes.legend()
    return figure


def _found(results: Sequence[Result], operator: str, size: str) -> list[float]:
    return [
        result.ratio
        for result in results
        if (result.case.operator, result.case.size) == (operator, size) and result.ratio is not None
    ]


def _roofline(run: Run) -> Figure:
    """Bytes per second by bytes moved, under what the streaming loop reached at the same time."""
    from matplotlib import colormaps

    figure, axes = _new_figure(run, 6)
    limits = dict(_limits(run.results))
    axes.plot(list(limits), list(limits.values()), color="black", label="streaming limit")
    operators = list(dict.fromkeys(result.case.operator for result in run.results))
    for rank, operator in enumerate(operators):
        results = [result for result in run.results if result.case.operator == operator]
        axes.scatter(
            [result.bytes_moved for result in results],
            [result.bytes_per_second / 1e9 for result in results],
            s=18,
            color=colormaps["tab20"](rank),
            label=operator,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_numbers(axes.yaxis)
    axes.set_xlabel("bytes moved by a call")
    axes.set_ylabel("GB/s")
    axes.legend(fontsize=7)
    return figure


def _limits(results: Sequence[Result]) -> Iterator[tuple[int, float]]:
    """For each amount of bytes, the median of what the loop reached, in GB/s."""
    for moved in sorted({result.bytes_moved for result in results}):
        same = (result for result in results if result.bytes_moved == moved)
        yield moved, median(result.streaming_bytes_per_second for result in same) / 1e9


def _growth(run: Run) -> Figure:
    """Time per element by elements: flat lines, with steps where a cache is left."""
    from matplotlib import colormaps

    figure, axes = _new_figure(run, 5)
    for rank, one in enumerate(run.growth):
        axes.plot(
            list(one.seconds_per_element),
            [seconds * 1e9 for seconds in one.seconds_per_element.values()],
            marker="o",
            markersize=3,
            color=colormaps["tab20"](rank),
            label=f"{one.operator} {one.variant}".strip(),
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_numbers(axes.yaxis)
    axes.set_xlabel("elements, float32")
    axes.set_ylabel("ns per element")
    axes.legend(fontsize=7)
    return figure

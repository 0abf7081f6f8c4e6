# SPDX-License-Identifier: Apache-2.0
"""Results as pictures. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log2
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from aclhost.bench.cases import BY_HAND, SIZES
from aclhost.bench.results import Result, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_DPI = 120
_MOST_OPERATORS = 20  # as many as there are colours


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
    run = _readable(run)
    written = []
    if any(result.ratio is not None for result in run.results):
        written.append(_save(_ratios(run), directory / "ratio.png"))
    if run.results:
        written.append(_save(_roofline(run), directory / "roofline.png"))
    if run.growth:
        written.append(_save(_growth(run), directory / "growth.png"))
    return written


def _readable(run: Run) -> Run:
    """The run; of one with too many operators, those whose cases are written out."""
    if len({result.case.operator for result in run.results}) <= _MOST_OPERATORS:
        return run
    results = [result for result in run.results if result.case.operator in BY_HAND]
    return replace(run, results=results)


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


def _colors(name: str) -> list[tuple[float, ...]]:
    from matplotlib import colormaps

    colormap = colormaps[name]
    return [tuple(colormap(rank)) for rank in range(colormap.N)]


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=_DPI, format="png")
    return path


def _ratios(run: Run) -> Figure:
    """Bars by operator and size; each the median of variants and dtypes, with their range."""
    results = [result for result in run.results if not result.disturbed] or run.results
    operators = list(dict.fromkeys(result.case.operator for result in results))
    figure, axes = _new_figure(run, 1.5 + 0.7 * len(operators))
    by_size: dict[str, list[tuple[float, float, list[float]]]] = {}
    for place, operator in enumerate(operators):
        bars = {size: found for size in SIZES if (found := _found(results, operator, size))}
        height = 0.85 / max(len(bars), 1)
        for rank, (size, ratios) in enumerate(bars.items()):
            by_size.setdefault(size, []).append((place + rank * height, height, ratios))
    colors = dict(zip(SIZES, _colors("tab10"), strict=False))
    for size in (size for size in SIZES if size in by_size):
        places, heights, columns = zip(*by_size[size], strict=True)
        middles = [median(ratios) for ratios in columns]
        below = [middle - min(ratios) for middle, ratios in zip(middles, columns, strict=True)]
        above = [max(ratios) - middle for middle, ratios in zip(middles, columns, strict=True)]
        axes.barh(
            places, [middle - 1 for middle in middles], heights, left=1, align="edge", label=size,
            xerr=(below, above), ecolor="0.4", color=colors[size],
        )  # fmt: skip
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    _plain_numbers(axes.xaxis)
    axes.set_yticks([place + 0.42 for place in range(len(operators))], operators)
    axes.invert_yaxis()
    axes.set_xlabel("torch's time / aclhost's: right of 1 is faster than torch")
    figure.legend(loc="outside right upper", fontsize=7)
    return figure


def _found(results: Sequence[Result], operator: str, size: str) -> list[float]:
    return [
        result.ratio
        for result in results
        if (result.case.operator, result.case.size) == (operator, size) and result.ratio is not None
    ]


def _roofline(run: Run) -> Figure:
    """Bytes per second by bytes moved, under what the streaming loop reached at the same time."""
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
            color=_colors("tab20")[rank],
            label=operator,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_numbers(axes.yaxis)
    axes.set_xlabel("bytes moved by a call")
    axes.set_ylabel("GB/s")
    figure.legend(loc="outside right upper", fontsize=7)
    return figure


def _limits(results: Sequence[Result]) -> Iterator[tuple[float, float]]:
    """About each amount of bytes, the median of what the loop reached, in GB/s."""
    steps = sorted({_step(result) for result in results})
    for step in steps:
        same = [result for result in results if _step(result) == step]
        moved = median(result.bytes_moved for result in same)
        yield moved, median(result.streaming_bytes_per_second for result in same) / 1e9


def _step(result: Result) -> int:
    """Two of them double the bytes."""
    return round(2 * log2(result.bytes_moved))


def _growth(run: Run) -> Figure:
    """Time per element by elements: flat lines, with steps where a cache is left."""
    figure, axes = _new_figure(run, 5)
    for rank, one in enumerate(run.growth):
        axes.plot(
            list(one.seconds_per_element),
            [seconds * 1e9 for seconds in one.seconds_per_element.values()],
            marker="o",
            markersize=3,
            color=_colors("tab20")[rank],
            label=f"{one.operator} {one.variant}".strip(),
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_numbers(axes.yaxis)
    axes.set_xlabel("elements, float32")
    axes.set_ylabel("ns per element")
    figure.legend(loc="outside right upper", fontsize=7)
    return figure

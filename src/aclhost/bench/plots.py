# SPDX-License-Identifier: Apache-2.0
"""Results as pictures that can be read on light and on dark pages. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import TYPE_CHECKING

from aclhost.bench.headline import DOORS, WANTED_LEAST, Ratio, headline
from aclhost.bench.results import Result, Run
from aclhost.bench.workload import BY_PYTHON_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_DPI = 110
_INK = "#808080"  # stands out from white as from black
_COLOURS = ("#3d8bd4", "#e07b28", "#3fa35b")
_PRODUCTS = ("attention", "convolution", "matmul")  # families with much arithmetic
_SPREAD = 0.42  # of the dots in a row
_ROOMY = 100  # dots in a row that can be told apart


def missing() -> str | None:
    """Why there can be no plots, or None if there can."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        return f"plots need {error.name}; pip install matplotlib"
    return None


def write_plots(run: Run, directory: Path) -> list[Path]:
    """Writes ratio.png, where torch was measured, roofline.png, unless all is tiny, growth.png."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    if any(result.ratio is not None for result in run.results):
        written.append(_save(_ratios(run), directory / "ratio.png"))
    if _spots(run):
        written.append(_save(_roofline(run), directory / "roofline.png"))
    if run.growth:
        written.append(_save(_growth(run), directory / "growth.png"))
    return written


def _new_figure(run: Run, title: str, height: float) -> tuple[Figure, Axes]:
    """A figure without pyplot, which would look for a display and keep figures alive."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, color=_INK)
    axes.patch.set_alpha(0)
    axes.tick_params(which="both", colors=_INK)
    axes.grid(color=_INK, alpha=0.25, linewidth=0.5)
    for side in axes.spines.values():
        side.set_color(_INK)
    return figure, axes


def _label(axes: Axes, run: Run, x: str, y: str = "") -> None:
    """The axes, and below where it was measured."""
    below = f"{run.machine.line}\n{run.disturbance}".rstrip()
    axes.set_xlabel(f"{x}\n\n{below}", fontsize=7.5, color=_INK)
    axes.set_ylabel(y, fontsize=7.5, color=_INK)


def _logarithmic(axes: Axes, *names: str) -> None:
    """Axes x and y, with plain numbers: 1, 2, 5, 10, or of a long axis 1, 10, 100."""
    for name in names:
        getattr(axes, f"set_{name}scale")("log")
        _plain_numbers(getattr(axes, f"{name}axis"))


def _plain_numbers(axis: Axis) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    many = low > 0 and high / low > 1e3
    axis.set_major_locator(LogLocator(subs=(1.0,) if many else (1.0, 2.0, 5.0), numticks=30))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _legend(figure: Figure) -> None:
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, labelcolor=_INK, framealpha=0)


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=_DPI, format="png", transparent=True)
    return path


def _ratios(run: Run) -> Figure:
    """A row of dots for each family, one for each cell and door."""
    results = [result for result in run.results if not result.disturbed] or run.results
    families = _by_mean(results)
    figure, axes = _new_figure(
        run, "torch's time over aclhost's, each dot a cell", 1.8 + 0.36 * len(families)
    )
    for (door, ratio), colour, side in zip(DOORS.items(), _COLOURS, (1, -1), strict=False):
        values, places, rooms = _dots(results, families, ratio, side)
        found = headline(results, ratio)
        label = f"{door}: mean {found.mean:.2f}, {len(values)} cells" if found else door
        axes.scatter(
            values, places, s=[3 + 6 * room for room in rooms], linewidths=0,
            color=[f"{colour}{round(40 + 110 * room):02x}" for room in rooms], label=label,
        )  # fmt: skip
    axes.axvline(1, color=_INK, linewidth=1.5, label="as fast as torch")
    axes.axvline(WANTED_LEAST, color=_INK, linewidth=0.8, linestyle=":")
    _logarithmic(axes, "x")
    axes.set_yticks(range(len(families)), families)
    _label(axes, run, "torch is faster  <  1  <  aclhost is faster (median of paired rounds)")
    _legend(figure)
    for handle, colour in zip(
        figure.legends[0].legend_handles, _COLOURS[: len(DOORS)], strict=False
    ):
        if handle is not None:
            handle.set(sizes=[20], color=colour)
    return figure


def _dots(
    results: Sequence[Result], families: Sequence[str], ratio: Ratio, side: int
) -> tuple[list[float], list[float], list[float]]:
    """Where they are, and what room each has: 1, or less in a row that has many."""
    found: tuple[list[float], list[float], list[float]] = [], [], []
    for place, family in enumerate(families):
        values = _values(results, family, ratio)
        room = min(1.0, _ROOMY / max(len(values), 1))
        for number, value in enumerate(values):
            height = place + side * _SPREAD * (0.2 + 0.8 * (number * 0.618 % 1))
            for column, entry in zip(found, (value, height, room), strict=True):
                column.append(entry)
    return found


def _values(results: Sequence[Result], family: str, ratio: Ratio) -> list[float]:
    members = (result for result in results if result.case.family == family)
    return [value for result in members if (value := ratio(result)) is not None]


def _by_mean(results: Sequence[Result]) -> list[str]:
    """Families with a ratio, the one with the least mean at the bottom."""
    means = {
        family: geometric_mean(values)
        for family in {result.case.family for result in results}
        if (values := _values(results, family, DOORS["Python"]))
    }
    return sorted(means, key=means.__getitem__)


def _roofline(run: Run) -> Figure:
    """Operations per second by operations per byte, under bandwidth and the peak."""
    figure, axes = _new_figure(run, "Roofline of contiguous calls, through Python", 6)
    spots = _spots(run)
    sizes = [size for size in ("medium", "large") if any(spot.size == size for spot in spots)]
    spots = [spot for spot in spots if spot.size in sizes] or spots
    for size, marker in zip(sizes, ("o", "^"), strict=False):
        for kind, colour in zip(_KINDS, _COLOURS, strict=True):
            dots = [spot for spot in spots if (spot.size, spot.kind) == (size, kind)]
            axes.scatter(
                [dot.intensity for dot in dots], [dot.reached / 1e9 for dot in dots],
                s=10, alpha=0.6, linewidths=0, color=colour, marker=marker,
                label=f"{kind}, {size}" if dots else None,
            )  # fmt: skip
    steps = [spot.intensity for spot in spots]
    reach = [min(steps) / 2, *(10.0**power for power in range(-3, 5)), max(steps) * 2]
    reach = sorted(step for step in reach if reach[0] <= step <= reach[-1])
    for size, style in zip(sizes or [spots[0].size], ("-", "--"), strict=False):
        bandwidth = median(spot.bandwidth for spot in spots if spot.size == size)
        _roof(axes, run.peak, bandwidth, reach, (size, style))
    _logarithmic(axes, "x", "y")
    x = "operational intensity: operations for each byte that has to move"
    _label(axes, run, x, "1e9 operations per second")
    _legend(figure)
    return figure


@dataclass(frozen=True)
class _Spot:
    """A call under the roof: operations for each byte and in each second."""

    size: str
    kind: str
    intensity: float
    reached: float
    bandwidth: float  # of the streaming loop beside it


def _spots(run: Run) -> list[_Spot]:
    return [
        _Spot(
            result.case.size,
            next(kind for kind, belongs in _KINDS.items() if belongs(result)),
            result.operations / result.bytes_moved,
            result.operations / result.seconds,
            result.streaming_bytes_per_second,
        )
        for result in run.results
        if result.operations and result.streaming_bytes_per_second
    ]


def _roof(
    axes: Axes, peak: float, bandwidth: float, reach: Sequence[float], look: tuple[str, str]
) -> None:
    """As much as memory feeds, and no more than a matrix product does."""
    size, style = look
    highest = peak or float("inf")
    ridge = highest / bandwidth
    places = sorted({*reach, *([ridge] if reach[0] < ridge < reach[-1] else [])})
    axes.plot(
        places, [min(place * bandwidth, highest) / 1e9 for place in places], color=_INK,
        linestyle=style, label=f"{bandwidth / 1e9:.0f} GB/s ({size}), matrix product",
    )  # fmt: skip


def _is_pointwise(result: Result) -> bool:
    return BY_PYTHON_NAME[result.case.operator].kernel is not None


def _is_product(result: Result) -> bool:
    return result.case.family in _PRODUCTS


_KINDS: dict[str, Callable[[Result], bool]] = {
    "point-wise": lambda result: _is_pointwise(result) and not _is_product(result),
    "products": _is_product,
    "others": lambda result: not _is_pointwise(result) and not _is_product(result),
}


def _growth(run: Run) -> Figure:
    """Time per element by elements: flat lines, with steps where a cache is left."""
    from matplotlib import colormaps

    figure, axes = _new_figure(run, "Time per element as arrays grow", 5.5)
    colours = colormaps["tab20"]
    for rank, one in enumerate(run.growth):
        axes.plot(
            list(one.seconds_per_element),
            [seconds * 1e9 for seconds in one.seconds_per_element.values()],
            marker="o",
            markersize=3,
            color=colours(rank % colours.N),
            label=f"{one.operator} {one.variant}".strip(),
        )
    _logarithmic(axes, "x", "y")
    _label(axes, run, "elements, first dtype of each", "ns per element, through Python")
    _legend(figure)
    return figure

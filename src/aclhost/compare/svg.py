# SPDX-License-Identifier: Apache-2.0
"""Three small plots as SVG text. Colours are CSS variables of the page, so both schemes work."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

_LARGEST = sys.float_info.max
_WIDTH, _HEIGHT = 520, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 40, 44


def _frame(title: str, body: str, description: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(description)}">'
        f'<text class="title" x="{_LEFT}" y="20">{escape(title)}</text>{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def bars(title: str, counts: Mapping[str, int], axis: str) -> str:
    """A histogram; heights are logarithmic, so that a single element stays visible."""
    inner = _WIDTH - _LEFT - _RIGHT
    height = _HEIGHT - _TOP - _BOTTOM
    top = math.log10(max([*counts.values(), 1]) + 1)
    slot = inner / max(len(counts), 1)
    body = [_text(_LEFT + inner / 2, _HEIGHT - 6, axis)]
    skip = -(-len(counts) // 12)
    crowded = any(6.5 * len(label) > slot for label in counts)
    for number, (label, count) in enumerate(counts.items()):
        size = height * math.log10(count + 1) / top if count else 0.0
        x = _LEFT + number * slot
        y = _TOP + height - size
        body.append(
            f'<rect class="bar" x="{x + 1:.1f}" y="{y:.1f}" width="{max(slot - 2, 1):.1f}" '
            f'height="{size:.1f}"><title>{escape(label)}: {count}</title></rect>'
        )
        if count and len(counts) <= 14:
            body.append(_text(x + slot / 2, y - 3, _short(count)))
        if number % skip == 0:
            lower = 12 if crowded and number % 2 else 0
            body.append(_text(x + slot / 2, _TOP + height + 14 + lower, label))
    body.append(_line(_LEFT, _TOP + height, _LEFT + inner, _TOP + height))
    body.append(_text(_LEFT - 8, _TOP + 8, "count", "end"))
    return _frame(title, "".join(body), f"{title}: {dict(counts)}")


def _short(count: int) -> str:
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def heat_map(title: str, cells: Sequence[Sequence[float]], rows: int, columns: int) -> str:
    """Cells by the power of ten of their error; equality is empty, NaN and Inf stand out."""
    inner, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    finite = [value for row in cells for value in row if 0 < value < math.inf]
    low = math.log10(min(finite)) if finite else 0.0
    high = math.log10(max(finite)) if finite else 0.0
    wide, tall = inner / len(cells[0]), height / len(cells)
    body = [
        f'<rect class="ground" x="{_LEFT}" y="{_TOP}" width="{inner}" height="{height}"/>',
        *_cells(cells, low, high, wide, tall),
        _text(_LEFT - 6, _TOP + 10, "0", "end"),
        _text(_LEFT - 6, _TOP + height, str(rows - 1), "end"),
        _text(_LEFT, _TOP + height + 16, "0"),
        _text(_LEFT + inner, _TOP + height + 16, str(columns - 1), "end"),
        _text(_LEFT + inner / 2, _HEIGHT - 6, "last axis; rows are all other axes, flattened"),
    ]
    span = f"1e{low:.0f} to 1e{high:.0f}" if finite else "no finite error"
    return _frame(f"{title} ({span})", "".join(body), title)


def _cells(
    cells: Sequence[Sequence[float]], low: float, high: float, wide: float, tall: float
) -> Iterator[str]:
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            if value == 0:
                continue
            depth = 1.0 if high == low else (math.log10(min(value, 1e300)) - low) / (high - low)
            style = (
                'class="broken"'
                if not value < math.inf
                else f'class="cell" opacity="{0.12 + 0.88 * min(depth, 1.0):.2f}"'
            )
            x, y = _LEFT + column * wide, _TOP + row * tall
            yield (
                f'<rect {style} x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{tall:.2f}">'
                f"<title>{value:.3g}</title></rect>"
            )


def scatter(
    title: str, points: Sequence[tuple[float, float]], is_bad: Callable[[float, float], bool]
) -> str:
    """Expected to the right, actual upwards; on the diagonal they agree. Bad points stand out."""
    inner, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    finite = [pair for pair in points if all(map(math.isfinite, pair))]
    if not finite:
        return _frame(title, _text(_WIDTH / 2, _HEIGHT / 2, "no finite elements"), title)
    low = min(min(pair) for pair in finite)
    high = max(max(pair) for pair in finite)
    if low == high:
        margin = max(1.0, abs(low) / 1024)  # 1 alone would be nothing to a large number
        low, high = max(low - margin, -_LARGEST), min(high + margin, _LARGEST)
    scale = high / 2 - low / 2  # halves, since the whole range can overflow

    def x_of(value: float) -> float:
        return _LEFT + inner * (value / 2 - low / 2) / scale

    def y_of(value: float) -> float:
        return _TOP + height - height * (value / 2 - low / 2) / scale

    body = [
        _line(x_of(low), y_of(low), x_of(high), y_of(high), "diagonal"),
        _line(_LEFT, _TOP + height, _LEFT + inner, _TOP + height),
        _line(_LEFT, _TOP, _LEFT, _TOP + height),
        *(
            f'<circle class="{"bad" if is_bad(e, a) else "point"}" cx="{x_of(e):.1f}" '
            f'cy="{y_of(a):.1f}" r="2"/>'
            for e, a in sorted(finite, key=lambda pair: is_bad(*pair))  # bad ones on top
        ),
        _text(_LEFT, _TOP + height + 16, f"{low:.3g}"),
        _text(_LEFT + inner, _TOP + height + 16, f"{high:.3g}", "end"),
        _text(_LEFT - 6, _TOP + 10, f"{high:.3g}", "end"),
        _text(_LEFT - 6, _TOP + height, f"{low:.3g}", "end"),
        _text(_LEFT + inner / 2, _HEIGHT - 6, "expected; actual upwards"),
    ]
    return _frame(title, "".join(body), title)

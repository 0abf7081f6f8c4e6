# SPDX-License-Identifier: Apache-2.0
"""Small plots as SVG text. Colours are CSS variables of the page, so both schemes work.

A report can hold hundreds of them: what there is many of is one path, or an image of a few bytes.
"""

from __future__ import annotations

import base64
import math
import struct
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from html import escape

_LARGEST = sys.float_info.max
_WIDTH, _HEIGHT = 520, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 40, 44
_INNER, _TALL = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

_BLUE, _RED = (64, 128, 240), (214, 64, 64)  # on white and on black
_DEPTHS = 12  # shades of the heat map


def _frame(title: str, body: str, description: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(description)}">'
        f'<text class="title" x="{_LEFT}" y="20">{escape(title)}</text>{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "") -> str:
    where = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{where}>{escape(text)}</text>'


def bars(title: str, counts: Mapping[str, int], axis: str) -> str:
    """A histogram with linear heights; each bar tells its count, so a small one is not lost."""
    top = max([*counts.values(), 1])
    slot = _INNER / max(len(counts), 1)
    ground = _TOP + _TALL
    heights, labels = [], []
    skip = -(-len(counts) // 16)
    crowded = any(6.5 * len(label) > slot for label in counts)
    for number, (label, count) in enumerate(counts.items()):
        size = max(_TALL * count / top, 1.0) if count else 0.0
        x = _LEFT + number * slot
        heights.append(f"M{x + 1:.0f} {ground}v{-size:.0f}h{max(slot - 2, 1):.0f}v{size:.0f}z")
        if count:
            labels.append(_text(x + slot / 2, ground - size - 3, _short(count)))
        if number % skip == 0:
            lower = 12 if crowded and number % 2 else 0
            labels.append(_text(x + slot / 2, ground + 14 + lower, label))
    body = (
        f'<g text-anchor="middle"><path class="bar" d="{"".join(heights)}"/>{"".join(labels)}'
        f"{_text(_LEFT + _INNER / 2, _HEIGHT - 6, axis)}</g>"
        f"{_line(_LEFT, ground, _LEFT + _INNER, ground)}"
        f"{_text(_LEFT - 8, _TOP + 8, _short(top), 'end')}{_text(_LEFT - 8, ground, '0', 'end')}"
    )
    return _frame(title, body, title)


def _short(count: int) -> str:
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<path class="{kind}" d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"/>'


def heat_map(title: str, cells: Sequence[Sequence[float]], rows: int, columns: int) -> str:
    """Cells by the power of ten of their error; equality is empty, NaN and Inf stand out."""
    finite = [value for row in cells for value in row if 0 < value < math.inf]
    low = math.log10(min(finite)) if finite else 0.0
    high = math.log10(max(finite)) if finite else 0.0
    picture = base64.b64encode(_png(cells, low, high)).decode()
    body = [
        f'<rect class="ground" x="{_LEFT}" y="{_TOP}" width="{_INNER}" height="{_TALL}"/>',
        f'<image x="{_LEFT}" y="{_TOP}" width="{_INNER}" height="{_TALL}" '
        f'preserveAspectRatio="none" href="data:image/png;base64,{picture}"/>',
        _text(_LEFT - 6, _TOP + 10, "0", "end"),
        _text(_LEFT - 6, _TOP + _TALL, str(rows - 1), "end"),
        _text(_LEFT, _TOP + _TALL + 16, "0"),
        _text(_LEFT + _INNER, _TOP + _TALL + 16, str(columns - 1), "end"),
        _text(_LEFT + _INNER / 2, _HEIGHT - 6, "last axis; other axes downwards", "middle"),
    ]
    span = f"1e{low:.0f} to 1e{high:.0f}" if finite else "no finite error"
    return _frame(f"{title} ({span})", "".join(body), title)


def _png(cells: Sequence[Sequence[float]], low: float, high: float) -> bytes:
    """One byte a cell: 0 is transparent, then the shades, the last is red."""
    lines = b"".join(b"\0" + bytes(_shade(value, low, high) for value in row) for row in cells)
    palette = bytes([0, 0, 0, *_BLUE * _DEPTHS, *_RED])
    opacity = bytes([0, *(40 + 215 * each // _DEPTHS for each in range(1, _DEPTHS + 1)), 255])
    header = struct.pack(">2I5B", len(cells[0]), len(cells), 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header), (b"PLTE", palette), (b"tRNS", opacity),
        (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""),
    )  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _shade(value: float, low: float, high: float) -> int:
    if value == 0:
        return 0
    if not value < math.inf:
        return _DEPTHS + 1
    depth = 1.0 if high == low else (math.log10(value) - low) / (high - low)
    return 1 + min(int(depth * _DEPTHS), _DEPTHS - 1)


def scatter(
    title: str, points: Sequence[tuple[float, float]], is_bad: Callable[[float, float], bool]
) -> str:
    """Expected to the right, actual upwards; on the diagonal they agree. Bad points stand out."""
    finite = [pair for pair in points if all(map(math.isfinite, pair))]
    if not finite:
        return _frame(title, _text(_WIDTH / 2, _HEIGHT / 2, "no finite elements", "middle"), title)
    low = min(min(pair) for pair in finite)
    high = max(max(pair) for pair in finite)
    if low == high:
        margin = max(1.0, abs(low) / 1024)  # 1 alone would be nothing to a large number
        low, high = max(low - margin, -_LARGEST), min(high + margin, _LARGEST)
    scale = high / 2 - low / 2  # halves, since the whole range can overflow
    dots: dict[bool, dict[str, None]] = {False: {}, True: {}}  # each place once
    for expected, actual in finite:
        x = _LEFT + _INNER * (expected / 2 - low / 2) / scale
        y = _TOP + _TALL - _TALL * (actual / 2 - low / 2) / scale
        dots[is_bad(expected, actual)][f"M{x:.0f} {y:.0f}h0"] = None
    ground, right = _TOP + _TALL, _LEFT + _INNER
    body = [
        _line(_LEFT, ground, right, _TOP, "diagonal"),
        _line(_LEFT, ground, right, ground),
        _line(_LEFT, _TOP, _LEFT, ground),
        f'<path class="point" d="{"".join(dots[False])}"/>',
        f'<path class="point bad" d="{"".join(dots[True])}"/>',
        _text(_LEFT, ground + 16, f"{low:.3g}"),
        _text(right, ground + 16, f"{high:.3g}", "end"),
        _text(_LEFT - 6, _TOP + 10, f"{high:.3g}", "end"),
        _text(_LEFT - 6, ground, f"{low:.3g}", "end"),
        _text(_LEFT + _INNER / 2, _HEIGHT - 6, "expected; actual upwards", "middle"),
    ]
    return _frame(title, "".join(body), title)

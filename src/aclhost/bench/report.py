# SPDX-License-Identifier: Apache-2.0
"""Results as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aclhost.bench.results import Growth, Result, Run
from aclhost.bench.workload import CONTIGUOUS

_SHORT = {"float": "f", "bfloat": "bf", "uint": "u", "int": "i", "complex": "c", "bool": "bool"}
_ABSENT = "-"
NUMBERS = (
    "Python", "C", "torch", "ratio", "C ratio", "C/Python", "NumPy", "GB/s", "of limit", "MiB",
)  # fmt: skip
_LEGEND = """\
Python    median time of a call of the Python function
C         median time of both C phases and a synchronisation, in a compiled loop
torch     median time of torch's call
ratio     torch's time over Python's in each round: the median of these, which need not be the
          quotient of the medians before it
C ratio   the same over C's time
C/Python  C's time over Python's in each round, the median
NumPy     NumPy's time over Python's, the same way
of limit  time of a loop that streams as many bytes over Python's, the same way
MiB       memory that the first call took besides its arrays
"""


def lines(run: Run) -> Iterator[str]:
    """The machine, one line for each case, then growth, then what was left out and why."""
    yield run.machine.line
    if run.results:
        yield ""
        heads = ("operator", "variant", "dtype", "size", "layout", *NUMBERS)
        yield from aligned(heads, map(_row, run.results), left=len(heads) - len(NUMBERS))
        yield f"\n{_LEGEND}"
    if run.disturbance:
        yield run.disturbance
    if run.growth:
        yield ""
        yield from _growth(run.growth)
    yield from (*run.skipped, *_notes(run.results))


def aligned(heads: Sequence[str], rows: Iterable[Iterable[str]], left: int) -> Iterator[str]:
    """Lines of a table; so many columns begin with words. Thousands of rows take no time."""
    cells = [tuple(heads), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        padded = (
            text.ljust(width) if place < left else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(padded).rstrip()
        if number == 0:
            yield "-" * (sum(widths) + 2 * (len(widths) - 1))


def _row(result: Result) -> Iterator[str]:
    case = result.case
    yield case.operator
    yield case.variant
    yield short_dtype(case.dtype)
    yield case.size
    yield "" if case.layout == CONTIGUOUS else case.layout
    yield duration(result.seconds)
    yield duration(result.c_seconds)
    yield duration(result.torch_seconds)
    yield number(result.ratio, result.disturbed)
    yield number(result.c_ratio, result.disturbed)
    yield number(result.c_over_python, result.disturbed)
    yield number(result.numpy_ratio, result.disturbed)
    yield number(result.bytes_per_second / 1e9)
    yield number(result.streaming_fraction, result.disturbed)
    yield f"{result.peak_extra_bytes / 2**20:.1f}"


def _growth(found: Sequence[Growth]) -> Iterator[str]:
    sizes = sorted({size for one in found for size in one.seconds_per_element})
    heads = ("ns per element, float32", *(f"{size:.0e}".replace("e+0", "e") for size in sizes))
    rows = ([f"{one.operator} {one.variant}".strip(), *_nanoseconds(one, sizes)] for one in found)
    return aligned(heads, rows, left=1)


def _nanoseconds(one: Growth, sizes: Sequence[int]) -> Iterator[str]:
    times = (one.seconds_per_element.get(size) for size in sizes)
    return (_ABSENT if time is None else f"{time * 1e9:.3f}" for time in times)


def _notes(results: Sequence[Result]) -> Iterator[str]:
    """Each reason once, with the first case that had it."""
    seen = set()
    for result in results:
        if result.note and result.note not in seen:
            seen.add(result.note)
            yield f"{result.case.name}: {result.note}"


def short_dtype(name: str) -> str:
    """f32 for float32; a longer name stays."""
    letters = name.rstrip("0123456789")
    return _SHORT[letters] + name[len(letters) :] if letters in _SHORT else name


def duration(seconds: float | None) -> str:
    """Three digits and a unit."""
    if seconds is None:
        return _ABSENT
    for unit, factor in (("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 999.5:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def number(value: float | None, doubtful: bool = False) -> str:
    """Two decimals; a question mark where it is doubtful."""
    return _ABSENT if value is None else f"{value:.2f}" + "?" * doubtful

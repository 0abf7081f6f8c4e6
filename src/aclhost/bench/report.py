# SPDX-License-Identifier: Apache-2.0
"""Results as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

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


def tables(run: Run) -> Iterator[RenderableType]:
    """The machine, one line for each case, then growth, then what was left out and why."""
    yield Text(run.machine.line)
    if run.results:
        yield _cases(run.results)
        yield Text(_LEGEND)
    if run.disturbance:
        yield Text(run.disturbance)
    if run.growth:
        yield _growth(run.growth)
    for line in (*run.skipped, *_notes(run.results)):
        yield Text(line)


def _cases(results: Sequence[Result]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("operator", "variant", "dtype", "size", "layout"):
        table.add_column(heading, no_wrap=True)
    for heading in NUMBERS:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        table.add_row(*_row(result))
    return table


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


def _growth(found: Sequence[Growth]) -> Table:
    sizes = sorted({size for one in found for size in one.seconds_per_element})
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("ns per element, float32", no_wrap=True)
    for size in sizes:
        table.add_column(f"{size:.0e}".replace("e+0", "e"), justify="right")
    for one in found:
        times = (one.seconds_per_element.get(size) for size in sizes)
        cells = (_ABSENT if time is None else f"{time * 1e9:.3f}" for time in times)
        table.add_row(f"{one.operator} {one.variant}".strip(), *cells)
    return table


def _notes(results: Sequence[Result]) -> Iterator[str]:
    """Each reason once, with the first case that had it."""
    seen = set()
    for result in results:
        if result.note and result.note not in seen:
            seen.add(result.note)
            yield f"{result.case.name}: {result.note}"


def short_dtype(name: str) -> str:
    """f32 for float32."""
    letters = name.rstrip("0123456789")
    return _SHORT[letters] + name[len(letters) :]


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

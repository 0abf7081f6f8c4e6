# SPDX-License-Identifier: Apache-2.0
"""Every operator through both doors: the Python function and, in a compiled loop, the C functions.

A call in C is both phases and a synchronisation, on device memory. Both make the same call, in
rounds that alternate. The table goes to doors.txt.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from aclhost import acl, ops
from aclhost.bench import derived
from aclhost.bench.cases import OPERATORS
from aclhost.bench.report import duration
from aclhost.bench.rounds import quotient, take_turns, usual_time
from aclhost.bench.workload import Call
from aclhost.building import toolkit
from aclhost.gen import call_table
from aclhost.spec.call import Call as Described
from aclhost.spec.operator import Operator
from benchmarks import common_calls
from benchmarks.c_arguments import CArgument, c_argument
from benchmarks.figures import Figure, report
from benchmarks.native import HERE, ROOT

ELEMENTS = 100_000
TABLE = "doors.txt"
_BUILD = ROOT / "build" / "benchmarks"
_BATCH = 0.0003  # seconds; shorter calls are timed together
_PAUSE = 0.002  # no torch here whose threads would spin for longer
_NUMBERS = {op.name: number for number, op in enumerate(ops.ALL)}  # in the table of C++
_BY_NAME = {op.snake_name: op for op in ops.ALL}


@dataclass(frozen=True)
class Doors:
    """Seconds per call, and the median over rounds of C's time over Python's."""

    operator: str
    python: float
    c: float
    ratio: float


Loop = Callable[[int, "ctypes.Array[CArgument]", int, int, int], int]


def compiled_loop() -> Loop:
    """The C++ loop over all operators, as a library in this process."""
    _BUILD.mkdir(parents=True, exist_ok=True)
    (_BUILD / "operators.h").write_text(call_table.header())
    made = _BUILD / "doors.so"
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", f"-I{_BUILD}", *toolkit.cflags()]
    command = ["g++", str(HERE / "doors.cpp"), "-o", str(made), *flags, *toolkit.libs()]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(made)).call_repeatedly
    function.argtypes = (
        ctypes.c_int64, ctypes.POINTER(CArgument), ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p,
    )  # fmt: skip
    return function


@contextmanager
def a_stream() -> Iterator[int]:
    """On device 0, for the length of the block."""
    assert acl.rt.set_device(0) == 0
    stream, status = acl.rt.create_stream()
    assert status == 0
    yield stream
    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)


def _call(op: Operator) -> Described:
    if op.snake_name in common_calls.NAMES:
        return common_calls.common_call(op.snake_name)
    return derived.described(op, derived.dtypes_of(op.snake_name)[0], ELEMENTS)


def measure_operator(op: Operator, loop: Loop, stream: int, seconds: float, rounds: int) -> Doors:
    """The common call, with its first dtype."""
    call = _call(op)
    values = derived.values_of(op, call)
    with ExitStack() as end:
        arguments = [
            c_argument(param, call.arguments[param.name], values[param.name], end)
            for param in op.params
        ]
        given = (CArgument * len(arguments))(*arguments)

        def in_c(calls: int) -> Call:
            def run() -> None:
                status = loop(_NUMBERS[op.name], given, len(given), calls, stream)
                assert status == 0, f"{op.name} gives {status}"

            return run

        python = derived.own_call(op, values)
        batch = max(1, round(_BATCH / usual_time(in_c(1))))
        times = take_turns({"python": python, "c": in_c(batch)}, seconds, rounds, _PAUSE)
    times["c"] = [time / batch for time in times["c"]]
    ratio = quotient(times, "c", "python")
    assert ratio is not None
    return Doors(op.snake_name, median(times["python"]), median(times["c"]), ratio)


def measure(
    names: Iterable[str] = OPERATORS, seconds: float = 0.1, rounds: int = 5
) -> Iterator[Doors]:
    """Operator by operator."""
    loop = compiled_loop()
    with a_stream() as stream:
        for name in names:
            yield measure_operator(_BY_NAME[name], loop, stream, seconds, rounds)


def table(found: Iterable[Doors]) -> Table:
    """One line for each operator."""
    lines = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    lines.add_column(f"operator, {ELEMENTS} elements", no_wrap=True)
    for heading in ("Python", "C ABI", "C / Python"):
        lines.add_column(heading, justify="right", no_wrap=True)
    for one in found:
        lines.add_row(one.operator, duration(one.python), duration(one.c), f"{one.ratio:.2f}")
    return lines


def figures(found: list[Doors]) -> Iterator[Figure]:
    """What all of them have in common."""
    ratios = [one.ratio for one in found]
    yield Figure("doors, C over Python, median of operators", median(ratios), "ratio")
    yield Figure("doors, C over Python, largest", max(ratios), "ratio")


def main() -> None:
    """For `make bench`: argv has the directory, then perhaps names of operators."""
    found = list(measure(sys.argv[2:] or OPERATORS))
    directory = Path(sys.argv[1])
    with (directory / TABLE).open("w") as file:
        Console(file=file, width=120).print(table(found))
    report(lambda: figures(found))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""`aclhost compare`: two results, or two directories of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from aclhost.arrays import SUFFIXES, UnreadableArrayError, load, numpy_dtype, write_all
from aclhost.cli.console import give_up, output, print_json
from aclhost.compare import Comparison, Standard, coarser, compare, part, standard_for
from aclhost.compare.report import Entry, html_report
from aclhost.spec import names
from aclhost.spec.dtypes import DataType

_BAR = 40

_NUMBER = "[DTYPE=]NUMBER"

Tolerances = dict[str, dict[str, float]]  # by dtype; "" stands for all
Pair = tuple[str, Path | None, Path | None]


@click.command("compare", short_help="Compare two results, or two directories of them.")
@click.argument("actual", type=click.Path(path_type=Path))
@click.argument("expected", type=click.Path(path_type=Path))
@click.option("--rtol", multiple=True, metavar=_NUMBER, help="Relative tolerance.")
@click.option("--atol", multiple=True, metavar=_NUMBER, help="Absolute tolerance.")
@click.option("--outliers", multiple=True, metavar=_NUMBER, help="Fraction that may be bad.")
@click.option("--max-ulp", multiple=True, metavar=_NUMBER, help="No element may be farther away.")
@click.option("--cosine", multiple=True, metavar=_NUMBER, help="Least cosine similarity.")
@click.option("--dtype", help="The dtype whose ulps and standard count; that of .bin files.")
@click.option(
    "--worst", type=click.IntRange(0), default=5, show_default=True, help="How many to name."
)
@click.option("--html", type=click.Path(path_type=Path), help="Write a report with plots.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(
    actual: Path,
    expected: Path,
    dtype: str | None,
    worst: int,
    html: Path | None,
    as_json: bool,
    **tolerances: tuple[str, ...],
) -> None:
    """Compare ACTUAL, for example an NPU dump, with EXPECTED, for example a golden.

    Both are files (.npy, .npz, .pt, .bin; FILE:NAME picks an array of several) or directories,
    whose files pair by name. Without tolerances, the coarser dtype of a pair decides:
    two ulps for float16 and bfloat16, 64 for float32, equality for integers. A tolerance holds
    for all dtypes, or, written as float16=0.01, for one; options can be repeated.

    The exit status is 0 if everything passes and 1 if not.
    """
    try:
        given = _tolerances(tolerances)
        kind = None if dtype is None else names.dtype(dtype)
        pairs = _pairs(actual, expected)
    except ValueError as error:
        give_up(str(error))
    alone = len(pairs) == 1 and not actual.is_dir()
    entries = []
    # On stderr, and only where somebody watches.
    watched = Console(stderr=True)
    for pair in track(
        pairs, "comparing", console=watched, disable=alone or not watched.is_terminal
    ):
        entries += list(_compare_pair(pair, given, kind, worst))
    if not entries:
        give_up(f"neither {actual} nor {expected} holds an array")
    if alone and entries[0].comparison is None:
        give_up(entries[0].problem)
    if html is not None:
        _write(html, html_report(entries, str(actual), str(expected)))
    if as_json:
        print_json([_data(entry) for entry in entries])
    elif len(entries) == 1 and entries[0].comparison is not None:
        _show(output(), entries[0].comparison)
    else:
        _show_summary(output(), entries)
    sys.exit(0 if all(entry.passed for entry in entries) else 1)


def _tolerances(options: Mapping[str, tuple[str, ...]]) -> Tolerances:
    result: Tolerances = {}
    for name, texts in options.items():
        option = f"--{name.replace('_', '-')}"
        for text in texts:
            dtype, _, number = text.rpartition("=")
            try:
                value = float(number)
            except ValueError:
                raise ValueError(f"{option} {text}: write a number, or DTYPE=NUMBER") from None
            if name == "cosine" and not value <= 1:
                raise ValueError(f"{option} is {number}; it must be 1 or less")
            if name != "cosine" and not value >= 0:
                raise ValueError(f"{option} is {number}; it must be 0 or more")
            key = part(numpy_dtype(names.dtype(dtype))).name if dtype else ""
            result.setdefault(key, {})[name] = value
    return result


def _pairs(actual: Path, expected: Path) -> list[Pair]:
    if actual.is_dir() != expected.is_dir():
        directory = actual if actual.is_dir() else expected
        other = expected if actual.is_dir() else actual
        if not other.exists():
            raise UnreadableArrayError(f"{other}: no such file or directory")
        raise UnreadableArrayError(f"{directory} is a directory and {other} is a file")
    if not actual.is_dir():
        return [(actual.name, actual, expected)]
    pairs = _paired(_files(actual), _files(expected))
    if not pairs:
        raise UnreadableArrayError(f"neither directory holds a {', '.join(SUFFIXES)} file")
    return pairs


def _files(directory: Path) -> dict[Path, Path]:
    """By their names below the directory."""
    paths = sorted(path for path in directory.rglob("*") if path.suffix in SUFFIXES)
    return {path.relative_to(directory): path for path in paths}


def _paired(actual: dict[Path, Path], expected: dict[Path, Path]) -> list[Pair]:
    """By whole names; what is left by names without suffix, as a .bin dump and a .npy golden."""
    partners = {name: name for name in actual if name in expected}
    left = [name for name in expected if name not in partners]
    for name in actual:
        if name not in partners:
            alike = [other for other in left if other.with_suffix("") == name.with_suffix("")]
            if alike:
                partners[name] = alike[0]
                left.remove(alike[0])
    stems = {str(name.with_suffix("")) for name in partners}
    # `aclhost golden` writes each result in float64, too; no device has that file.
    left = [
        name for name in left if str(name.with_suffix("")).removesuffix(".float64") not in stems
    ]
    pairs: list[Pair] = [
        (_label(name), actual[name], expected[partners[name]] if name in partners else None)
        for name in actual
    ]
    return sorted([*pairs, *((_label(name), None, expected[name]) for name in left)])


def _label(name: Path) -> str:
    return str(name.with_suffix(""))


def _compare_pair(
    pair: Pair, given: Tolerances, dtype: DataType | None, worst: int
) -> Iterator[Entry]:
    name, actual, expected = pair
    if actual is None or expected is None:
        side = "actual" if actual is None else "expected"
        yield Entry(name, problem=f"{name}: only one side has it; no {side} file")
        return
    try:
        first, second = load(actual, dtype), load(expected, dtype)
        _take_shapes(actual, first, second)
        _take_shapes(expected, second, first)
    except UnreadableArrayError as error:
        yield Entry(name, problem=str(error))
        return
    if len(first) == len(second) == 1:  # names of single arrays need not agree
        first, second = {"": next(iter(first.values()))}, {"": next(iter(second.values()))}
    for key in sorted(first.keys() | second.keys()):
        label = f"{name}:{key}" if key else name
        if key not in first or key not in second:
            side = "actual" if key not in first else "expected"
            yield Entry(label, problem=f"{label}: only one side has it; no {side} array")
            continue
        yield _compare_arrays(label, first[key], second[key], given, dtype, worst)


def _take_shapes(path: Path, raw: dict[str, Any], other: dict[str, Any]) -> None:
    """A raw file knows no shape; the other side does."""
    if path.suffix != ".bin" or len(other) != 1:
        return
    (shaped,) = other.values()
    for key, array in raw.items():
        if array.size == shaped.size:
            raw[key] = array.reshape(shaped.shape)


def _compare_arrays(
    label: str, actual: Any, expected: Any, given: Tolerances,  # noqa: ANN401
    dtype: DataType | None, worst: int,
) -> Entry:  # fmt: skip
    try:
        given_kind = None if dtype is None else part(numpy_dtype(dtype))
        kind = given_kind or coarser(actual.dtype, expected.dtype)
        changes = {**given.get("", {}), **given.get(kind.name, {})}
        standard: Standard = replace(standard_for(kind), **changes)
        found = compare(actual, expected, standard=standard, dtype=kind, worst=worst)
    except ValueError as error:
        return Entry(label, problem=f"{label}: {error}")
    return Entry(label, found)


def _write(path: Path, text: str) -> None:
    try:
        write_all({path: text.encode()})
    except OSError as error:
        give_up(f"{path}: {error.strerror}")


def _data(entry: Entry) -> dict[str, Any]:
    found = asdict(entry.comparison) if entry.comparison is not None else {}
    for plot in ("points", "heat_map"):
        found.pop(plot, None)
    return {
        "name": entry.name, "passed": entry.passed, "problem": entry.problem or None, **found
    }  # fmt: skip


def _show(console: Console, found: Comparison) -> None:
    shape = " x ".join(map(str, found.shape)) or "scalar"
    verdict = "[bold green]PASS[/]" if found.passed else "[bold red]FAIL[/]"
    console.print(f"{verdict}  {shape}, {found.dtype}: {found.equal} of {found.count} equal")
    for reason in found.failures:
        console.print(f"  [red]x[/] {escape(reason)}", soft_wrap=True)
    numbers = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("", "max", "mean"):
        numbers.add_column(head, justify="right" if head else "left")
    numbers.add_row("absolute", f"{found.max_absolute:.4g}", f"{found.mean_absolute:.4g}")
    numbers.add_row("relative", f"{found.max_relative:.4g}", f"{found.mean_relative:.4g}")
    numbers.add_row("ulp", f"{found.max_ulp:g}", "")
    console.print(numbers)
    console.print(
        f"cosine similarity {found.cosine:.9f}; "
        f"NaN mismatches {found.nan_mismatches}, Inf mismatches {found.inf_mismatches}"
    )
    console.print()
    _histogram(console, "ulps apart", found.ulps)
    _histogram(console, "absolute error", found.decades)
    _worst(console, found)


def _histogram(console: Console, title: str, counts: Mapping[str, int]) -> None:
    """Bars are logarithmic: among millions of equal elements, one bad one must be visible."""
    console.print(f"[bold cyan]{title}[/]")
    total = max(sum(counts.values()), 1)
    longest = math.log10(max([*counts.values(), 1]) + 1)
    for label, count in counts.items():
        filled = 0 if not count else max(1, round(_BAR * math.log10(count + 1) / longest))
        bar = f"[blue]{'#' * filled}[/]{'.' * (_BAR - filled)}"
        console.print(f"  {label:>9} {bar} {count:>10} {count / total:>8.3%}")
    console.print()


def _worst(console: Console, found: Comparison) -> None:
    if not found.worst:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="worst", title_justify="left")
    for head in ("index", "actual", "expected", "absolute", "relative", "ulp"):
        table.add_column(head, justify="left" if head == "index" else "right")
    for element in found.worst:
        values = (element.actual, element.expected, element.absolute, element.relative)
        index = ", ".join(map(str, element.index))
        table.add_row(escape(f"[{index}]"), *(f"{v:.8g}" for v in values), f"{element.ulps:g}")
    console.print(table)


def _show_summary(console: Console, entries: list[Entry]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("pair", "", "elements", "bad", "max abs", "max rel", "max ulp", "cosine"):
        left = head in ("pair", "")
        table.add_column(head, justify="left" if left else "right", overflow="fold")
    for entry in entries:
        colour = "green" if entry.passed else "red"
        table.add_row(escape(entry.name), f"[{colour}]{entry.verdict}[/]", *_cells(entry))
    console.print(table)
    for entry in entries:
        if entry.comparison is None:
            console.print(f"[red]x[/] {escape(entry.problem)}", soft_wrap=True)
    failed = sum(not entry.passed for entry in entries)
    console.print(f"{len(entries) - failed} of {len(entries)} pass")


def _cells(entry: Entry) -> tuple[str, ...]:
    found = entry.comparison
    if found is None:
        return ("",) * 6
    return (
        str(found.count),
        str(found.outliers),
        f"{found.max_absolute:.3g}",
        f"{found.max_relative:.3g}",
        f"{found.max_ulp:g}",
        f"{found.cosine:.6f}",
    )

# SPDX-License-Identifier: Apache-2.0
"""What `aclhost golden NAME` does: files in, the results of one operator out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

import aclhost
from aclhost import goldens
from aclhost.cli.console import give_up, output, print_json
from aclhost.goldens import files
from aclhost.goldens.files import Raw, Result, Targets
from aclhost.spec import described, names
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorList, TensorOut


def run_one(
    name: str, arguments: tuple[str, ...], directory: Path, kind: str,
    raw: tuple[tuple[str, ...], tuple[str, ...]], force: bool, soc: str, as_json: bool,
) -> None:  # fmt: skip
    """Computes, writes, and prints what was written."""
    rows = _one(name, arguments, directory, kind, raw, force, soc)
    if as_json:
        print_json(rows)
    else:
        _show(rows)


def _one(
    name: str, arguments: tuple[str, ...], directory: Path, kind: str,
    raw: tuple[tuple[str, ...], tuple[str, ...]], force: bool, soc: str,
) -> list[dict[str, Any]]:  # fmt: skip
    """One operator: a row for each result that was written."""
    try:
        op = names.operator(name)
        given = _given(op, _words(arguments))
        values = files.values(op, given, Raw.of_options(op, *raw))
        results = files.compute(op, values, soc)
        targets = Targets(frozenset(_inputs(arguments)), force)
        written = files.write(op, directory, kind, results, targets)
    except OSError as error:
        give_up(f"{error.filename or directory}: {error.strerror}")
    except aclhost.AclnnError as error:
        give_up(f"{error.status}: {error}")
    except MemoryError:
        give_up("the result does not fit into memory")
    except (ValueError, TypeError) as error:
        give_up(str(error).splitlines()[0])
    return [_row(result, *written[result.name]) for result in results]


def _given(op: Operator, words: Mapping[str, str]) -> dict[str, str]:
    given = files.by_parameter(op, words)
    files.refuse_results(op, given)
    needed = [f"--{_option(param)} {_example(param)}" for param in files.missing(op, given)]
    if needed:
        raise described.MalformedError(f"{op.name} needs {' '.join(needed)}")
    return given


def _inputs(arguments: tuple[str, ...]) -> set[Path]:
    """Everything that was typed and is a file; FILE:NAME is one, too."""
    texts = {text.partition("=")[2] or text for text in arguments}
    texts |= {text.rpartition(":")[0] for text in texts}
    return {Path(text).resolve() for text in texts if text and Path(text).is_file()}


def _words(arguments: tuple[str, ...]) -> dict[str, str]:
    """`--name value`, `--name=value` or `name=value`."""
    result: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not equals:
            if not word.startswith("--"):
                raise described.MalformedError(f"{word!r} is not of the form --NAME VALUE")
            if not rest:
                raise described.MalformedError(f"{word} needs a value")
            value = rest.pop(0)
        if name in result:
            raise described.MalformedError(f"--{name} is given twice")
        result[name] = value
    return result


def _option(param: Parameter) -> str:
    return param.python_name.replace("_", "-")


def _example(param: Parameter) -> str:
    if isinstance(param, TensorList):
        return "FILE.npy,..."
    return "FILE.npy" if isinstance(param, TENSORS) else "..."


def arguments_of(name: str) -> str:
    """The arguments of an operator, for its help."""
    try:
        op = names.operator(name)
    except ValueError as error:
        give_up(str(error))
    lines = [f"Arguments of {op.name}:"]
    for param in op.params:
        if isinstance(param, TensorOut):
            continue
        default = param.python_default
        note = f" (default {default})" if default is not None else ""
        lines.append(f"  --{_option(param) + ' ' + _example(param):<30} {param.doc}{note}")
    results = ", ".join(param.name for param in goldens.results_of(op))
    return "\n".join([*lines, f"Results: {results}"])


def _row(result: Result, file: str, float64_file: str) -> dict[str, Any]:
    found = result.compare()
    return {
        "result": result.name,
        "file": file,
        "float64_file": float64_file,
        "shape": list(result.native.shape),
        "dtype": result.native.dtype.name,
        "max_ulp_from_float64": found.max_ulp,
        "max_absolute_from_float64": found.max_absolute,
    }


def _show(rows: list[dict[str, Any]]) -> None:
    caption = "ulp and absolute: the largest distance from the result in float64"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    for head in ("result", "file", "shape", "dtype", "ulp", "absolute"):
        right = head in ("ulp", "absolute")
        table.add_column(head, justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(
            row["result"],
            row["file"],
            " x ".join(map(str, row["shape"])) or "scalar",
            row["dtype"],
            f"{row['max_ulp_from_float64']:g}",
            f"{row['max_absolute_from_float64']:.3g}",
        )
    output().print(table)
    written = [file for row in rows for file in (row["file"], row["float64_file"])]
    click.echo(f"wrote {', '.join(written)}")

# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden`: an operator on files, natively and in float64."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

import aclhost
from aclhost import goldens
from aclhost.cli.completion import operators, socs
from aclhost.cli.console import give_up, output, print_json
from aclhost.cli.golden_manifest import Run, run_manifest
from aclhost.goldens import files
from aclhost.goldens.files import Raw, Result, Targets
from aclhost.spec import described, names
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorList, TensorOut

_FILE = click.Path(path_type=Path)
_NAMED = "aclhost.golden"  # the help of an operator's arguments


class _Command(click.Command):
    """`golden NAME --help` lists the arguments of NAME, too."""

    def get_help(self, ctx: click.Context) -> str:
        text = super().get_help(ctx)
        named = ctx.meta.get(_NAMED)
        return f"{text}\n\n{named}" if named else text

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and {"-h", "--help"} & set(args):
            ctx.meta[_NAMED] = _arguments_of(args[0])
        return super().parse_args(ctx, args)


@click.command("golden", cls=_Command, context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False, shell_complete=operators)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[--ARG VALUE]...")
@click.option(
    "-o", "--output", "directory", default=".", type=_FILE,
    help="Directory for the results; created if needed.",
)  # fmt: skip
@click.option(
    "--format", "kind", type=click.Choice(files.KINDS), default="npy", show_default=True,
    help="File format of the results.",
)  # fmt: skip
@click.option(
    "--dtype", "dtypes", multiple=True, metavar="[ARG=]DTYPE", help="Data type of raw .bin files."
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="[ARG=]2,3", help="Shape of raw .bin files."
)
@click.option("--force", "-f", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--soc", help="Reproduce this SoC (Ascend910B1) or product (A2).", shell_complete=socs
)
@click.option("--manifest", type=_FILE, help="Compute every line of a CSV or JSON lines file.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=1, help="Number of processes for a manifest."
)
@click.option(
    "--dask",
    default="",
    metavar="ADDRESS",
    help="Use the workers of this Dask scheduler for a manifest.",
)
@click.option(
    "--journal",
    type=_FILE,
    help="Record the progress of a manifest in this file, and resume from it.",
)
@click.option("--html", type=_FILE, help="Write a report on a manifest.")
@click.option("--jsonl", type=_FILE, help="Write a line of JSON for each result.")
@click.option("--junit", type=_FILE, help="Write a JUnit file, a test for each result.")
@click.option("--markdown", type=_FILE, help="Write a summary for a CI job; - is stdout.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def golden_command(
    name: str | None, arguments: tuple[str, ...], directory: Path, kind: str,
    dtypes: tuple[str, ...], shapes: tuple[str, ...], force: bool, soc: str | None,
    manifest: Path | None, jobs: int, dask: str, journal: Path | None, html: Path | None,
    jsonl: Path | None, junit: Path | None, markdown: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compute operator NAME on .npy, .npz, .pt or raw .bin files.

    \b
    aclhost golden elu_backward --grad-output g.npy --self-or-result x.npy --alpha 2
    aclhost golden elu --self dump.bin --dtype float16 --shape 8,16
    aclhost golden elu --help                     # lists the arguments of elu
    aclhost golden --manifest cases.csv -o golden --jobs 8

    For each result two files are written: RESULT.npy, from the native kernels in the dtype that
    the operator gives, and RESULT.float64.npy, from its definition in float64. Arguments are named
    as in C or in Python; tensors are files (FILE:NAME picks one array of several), lists of tensors
    are files with commas between them, scalars and arrays are written as for aclhost explain.
    Existing files are not overwritten without --force.

    A manifest is a table with one call per line: a column (or key) operator, one for each argument
    and, if wanted, name, soc and tolerance (rtol=1e-3 max_ulp=4). The results of a line go to the
    directory NAME below -o. If a line also gives a file for a result, that file, which a device
    wrote, is compared with the definition. The exit status is that of aclhost compare.
    """  # noqa: D301 - click reads the \b character
    if (name is None) == (manifest is None):
        raise click.UsageError("give the NAME of an operator, or --manifest FILE")
    if manifest is not None:
        if dtypes or shapes:
            raise click.UsageError("in a manifest, raw files are FILE.bin:float16[8,16]")
        run = Run(manifest, directory, kind, soc or "", force, jobs, dask, journal)
        run_manifest(run, as_json, html, jsonl, junit, markdown)
    if name is not None:
        rows = _one(name, arguments, directory, kind, (dtypes, shapes), force, soc or "")
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


def _arguments_of(name: str) -> str:
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

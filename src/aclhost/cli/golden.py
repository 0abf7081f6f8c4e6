# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden`: an operator on files, natively and in float64."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich import box
from rich.table import Table

import aclhost
from aclhost import goldens
from aclhost.arrays import NDArray, UnreadableArrayError, load_one, write_all
from aclhost.cli.completion import operators, socs
from aclhost.cli.console import give_up, output, print_json
from aclhost.compare import compare
from aclhost.spec import described, names
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorOut

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
@click.argument("name", shell_complete=operators)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[--ARG VALUE]...")
@click.option(
    "-o", "--output", "directory", default=".", type=click.Path(path_type=Path),
    help="Where the results go; made if it is not there.",
)  # fmt: skip
@click.option(
    "--format", "kind", type=click.Choice(["npy", "npz", "pt"]), default="npy", show_default=True,
    help="What the results are written as.",
)  # fmt: skip
@click.option("--dtype", "dtypes", multiple=True, metavar="[ARG=]DTYPE", help="Of raw .bin files.")
@click.option(
    "--shape", "shapes", multiple=True, metavar="[ARG=]2,3", help="Of raw .bin files; else a line."
)
@click.option("--force", "-f", is_flag=True, help="Overwrite results that are there.")
@click.option(
    "--soc", help="Reproduce this SoC (Ascend910B1) or product (A2).", shell_complete=socs
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def golden_command(
    name: str,
    arguments: tuple[str, ...],
    directory: Path,
    kind: str,
    dtypes: tuple[str, ...],
    shapes: tuple[str, ...],
    force: bool,
    soc: str | None,
    as_json: bool,
) -> None:
    """Compute operator NAME on .npy, .npz, .pt or raw .bin files.

    \b
    aclhost golden elu_backward --grad-output g.npy --self-or-result x.npy --alpha 2
    aclhost golden elu --self dump.bin --dtype float16 --shape 8,16
    aclhost golden elu --help                     # lists the arguments of elu

    For each result two files are written: RESULT.npy, from the native kernels in the dtype that
    the operator gives, and RESULT.float64.npy, from its definition in float64. Arguments are named
    as in C or in Python; tensors are files (FILE:NAME picks one array of several), scalars and
    arrays are written as for aclhost explain. Files that are there are not overwritten without
    --force.
    """  # noqa: D301 - click reads the \b character
    try:
        op = names.operator(name)
        raw = _Raw(op, dtypes, shapes)
        values = _values(op, _words(arguments), raw)
        with aclhost.soc(aclhost.soc_name() if soc is None else names.soc(soc)):
            computed = goldens.native(op, values)
        exact = goldens.reference(op, values)
        rows = _write(op, directory, kind, computed, exact, _Targets(_inputs(arguments), force))
    except OSError as error:
        give_up(f"{error.filename or directory}: {error.strerror}")
    except aclhost.AclnnError as error:
        give_up(f"{error.status}: {error}")
    except MemoryError:
        give_up("the result does not fit into memory")
    except (ValueError, TypeError) as error:
        give_up(str(error).splitlines()[0])
    if as_json:
        print_json(rows)
    else:
        _show(rows)


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


class _Raw:
    """Dtypes and shapes of raw files, by parameter; "" stands for all."""

    def __init__(self, op: Operator, dtypes: Sequence[str], shapes: Sequence[str]) -> None:
        self._dtypes = {
            name: names.dtype(text) for name, text in _by_parameter(op, "--dtype", dtypes).items()
        }
        self._shapes = {
            name: _sizes(text) for name, text in _by_parameter(op, "--shape", shapes).items()
        }

    def load(self, param: Parameter, path: Path) -> NDArray:
        array = np.array(load_one(path, self._dtypes.get(param.name, self._dtypes.get(""))))
        if path.suffix != ".bin":
            return array
        shape = self._shapes.get(param.name, self._shapes.get(""))
        if shape is not None and math.prod(shape) != array.size:
            wanted = " x ".join(map(str, shape))
            raise ValueError(f"{path}: holds {array.size} elements, and --shape says {wanted}")
        return array if shape is None else array.reshape(shape)


def _by_parameter(op: Operator, option: str, texts: Sequence[str]) -> dict[str, str]:
    result: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        key = names.parameter(op, name).name if equals else ""
        if key in result:
            raise described.MalformedError(f"{option} is given twice for {key or 'all'}")
        result[key] = value
    return result


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(word) for word in re.split(r"[,x ]+", text.strip("[]() ")) if word)
    except ValueError:
        sizes = (-1,)
    if any(size < 0 for size in sizes):
        raise described.MalformedError(f"--shape {text}: write sizes like 8,16")
    return sizes


def _values(op: Operator, words: Mapping[str, str], raw: _Raw) -> dict[str, Any]:
    given = {names.parameter(op, name).name: text for name, text in words.items()}
    values: dict[str, Any] = {}
    needed = []
    for param in op.params:
        if isinstance(param, TensorOut):
            if param.name in given:
                raise described.MalformedError(f"{param.name} is a result of {op.name}")
        elif param.name in given:
            values[param.python_name] = _value(param, given[param.name], raw)
        elif param.python_default is not None:
            values[param.python_name] = goldens.plain(described.default(param))
        else:
            needed.append(f"--{_option(param)} {_example(param)}")
    if needed:
        raise described.MalformedError(f"{op.name} needs {' '.join(needed)}")
    return values


def _option(param: Parameter) -> str:
    return param.python_name.replace("_", "-")


def _example(param: Parameter) -> str:
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


def _value(param: Parameter, text: str, raw: _Raw) -> Any:  # noqa: ANN401
    if isinstance(param, TENSORS):
        return raw.load(param, Path(text))
    return goldens.plain(described.argument(param, text))


@dataclass(frozen=True)
class _Targets:
    """Which files may be written."""

    inputs: set[Path]
    force: bool

    def check(self, paths: Iterable[Path]) -> None:
        there = [path for path in paths if path.exists()]
        for path in there:
            if path.resolve() in self.inputs:
                raise ValueError(f"{path} is an input; choose another directory with -o")
        if there and not self.force:
            listed = ", ".join(map(str, there))
            verb = "is" if len(there) == 1 else "are"
            raise ValueError(f"{listed} {verb} there already; overwrite with --force, or choose -o")


def _write(
    op: Operator, directory: Path, kind: str, computed: tuple[NDArray, ...],
    exact: tuple[NDArray, ...], targets: _Targets,
) -> list[dict[str, Any]]:  # fmt: skip
    arrays: dict[str, NDArray] = {}
    rows = []
    for param, result, each in zip(goldens.results_of(op), computed, exact, strict=True):
        wanted = each.reshape(result.shape)  # goldens may give one element without its axis
        arrays[param.name] = result
        arrays[f"{param.name}.float64"] = wanted
        rows.append(_row(param.name, result, wanted))
    if kind == "npy":
        files = {directory / f"{name}.npy": _npy(array) for name, array in arrays.items()}
    else:
        content = _npz(arrays) if kind == "npz" else _torch(arrays)
        files = {directory / f"{op.snake_name}.{kind}": content}
    targets.check(files)
    directory.mkdir(parents=True, exist_ok=True)
    write_all(files)
    for row in rows:
        suffix = f":{row['result']}" if kind != "npy" else ""
        stem = op.snake_name if kind != "npy" else row["result"]
        row["file"] = f"{directory / f'{stem}.{kind}'}{suffix}"
        row["float64_file"] = row["file"]
        if kind == "npy":
            row["float64_file"] = f"{directory / f'{stem}.float64.npy'}"
        else:
            row["float64_file"] += ".float64"
    return rows


def _row(name: str, result: NDArray, wanted: NDArray) -> dict[str, Any]:
    found = compare(result, wanted)
    return {
        "result": name,
        "file": "",
        "shape": list(result.shape),
        "dtype": result.dtype.name,
        "max_ulp_from_float64": found.max_ulp,
        "max_absolute_from_float64": found.max_absolute,
    }


def _npy(array: NDArray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _npz(arrays: Mapping[str, NDArray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _torch(arrays: Mapping[str, NDArray]) -> bytes:
    try:
        import torch
    except ModuleNotFoundError:
        raise UnreadableArrayError("writing .pt needs torch; pip install torch") from None

    def tensor(array: NDArray) -> Any:  # noqa: ANN401
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(np.ascontiguousarray(array))

    stream = io.BytesIO()
    torch.save({name: tensor(array) for name, array in arrays.items()}, stream)
    return stream.getvalue()


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

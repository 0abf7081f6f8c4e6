# SPDX-License-Identifier: Apache-2.0
"""`aclhost run`: from a C++ file to its output in one step."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console

from aclhost import _toolkit
from aclhost.spec import products

_COMPILERS = ("g++", "c++", "clang++")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--soc", help="Reproduce this SoC, for example Ascend910B1.")
@click.option("--strict", is_flag=True, help="Report what would fail on a card; status 66 if any.")
@click.option("--trace", type=click.Path(path_type=Path), help="Write a timeline for Perfetto.")
@click.option("--std", default="c++17", show_default=True, help="Language standard.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    soc: str | None,
    strict: bool,
    trace: Path | None,
    std: str,
    file: Path,
    arguments: tuple[str, ...],
) -> None:
    """Compile FILE against the toolkit and run it with ARGUMENTS.

    The compiler is $CXX, or the first of g++, c++, clang++. The exit status is the program's.
    """
    if not file.is_file():
        _give_up(f"{file}: no such file")
    environment = _environment(soc)
    if strict:
        environment["ACLHOST_STRICT"] = "1"
    if trace is not None:
        environment["ACLHOST_TRACE"] = str(trace.resolve())
    with tempfile.TemporaryDirectory(prefix="aclhost-") as directory:
        program = Path(directory) / file.stem
        _compile(file, program, std)
        sys.exit(_execute(program, arguments, environment))


def _environment(soc: str | None) -> dict[str, str]:
    environment = _toolkit.environment(dict(os.environ))
    if soc is not None:
        try:
            products.of_soc(soc)
        except ValueError as error:
            _give_up(str(error))
        environment["ACLHOST_SOC"] = soc
    return environment


def _compiler() -> list[str]:
    chosen = shlex.split(os.environ.get("CXX", ""))
    if chosen:
        if shutil.which(chosen[0]) is None:
            _give_up(f"CXX names {chosen[0]}, which is not installed")
        return chosen
    for name in _COMPILERS:
        if shutil.which(name):
            return [name]
    _give_up(f"no C++ compiler found (looked for {', '.join(_COMPILERS)}); install one or set CXX")


def _compile(file: Path, program: Path, std: str) -> None:
    flags = [f"-std={std}", "-O1", "-g", *_toolkit.cflags()]
    command = [*_compiler(), *flags, str(file.resolve()), "-o", str(program), *_toolkit.libs()]
    if subprocess.run(command, check=False).returncode != 0:
        _give_up(f"{file} does not compile; the command was: {shlex.join(command)}")


def _execute(program: Path, arguments: tuple[str, ...], environment: dict[str, str]) -> int:
    """The program's exit status; the shell's number where a signal ended it."""
    status = subprocess.run([program, *arguments], env=environment, check=False).returncode
    if status >= 0:
        return status
    _say(f"{program.name} was ended by signal {-status} ({signal.strsignal(-status)})")
    return 128 - status


def _say(text: str) -> None:
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print("[bold red]aclhost:[/]", end=" ")
    console.print(text, markup=False)


def _give_up(text: str) -> NoReturn:
    _say(text)
    sys.exit(1)

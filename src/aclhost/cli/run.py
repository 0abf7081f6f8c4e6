# SPDX-License-Identifier: Apache-2.0
"""`aclhost run`: from C++ files or a CMake project to the program's output in one step."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from aclhost.building import cmake, missing, toolkit
from aclhost.cli import health
from aclhost.cli.completion import socs
from aclhost.cli.console import give_up, say
from aclhost.spec import names

_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".o", ".a")


@click.command(
    short_help="Compile and run a C++ program or a CMake project.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--soc", help="Reproduce this SoC (Ascend910B1) or product (A2).", shell_complete=socs
)
@click.option("--strict", is_flag=True, help="Report what would fail on a card; status 66 if any.")
@click.option("--trace", type=click.Path(path_type=Path), help="Write a timeline for Perfetto.")
@click.option("--std", default="c++17", show_default=True, help="Language standard.")
@click.option("--cxxflags", multiple=True, help="Flags for the compiler, also -lNAME.")
@click.option("--target", help="The program of a CMake project that has several.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[FILE]... [ARGUMENT]...")
def run(
    soc: str | None,
    strict: bool,
    trace: Path | None,
    std: str,
    cxxflags: tuple[str, ...],
    target: str | None,
    file: Path,
    arguments: tuple[str, ...],
) -> None:
    """Compile FILE against the toolkit and run it with ARGUMENTS.

    Source files that follow FILE belong to the same program; -- ends them. If FILE is a directory
    with a CMakeLists.txt, it is configured and built outside the directory.

    The compiler is $CXX, or the first of g++, c++, clang++. The exit status is the program's.
    """
    environment = _environment(soc)
    if strict:
        environment["ACLHOST_STRICT"] = "1"
    if trace is not None:
        environment["ACLHOST_TRACE"] = str(trace.resolve())
    try:
        flags = [flag for text in cxxflags for flag in shlex.split(text)]
    except ValueError as error:
        give_up(f"--cxxflags: {error}")
    files, words = _split([str(file), *arguments])
    with tempfile.TemporaryDirectory(prefix="aclhost-") as directory:
        build = Path(directory)
        if file.is_dir():
            program = _build_project(file, build, std, flags, target)
            words = list(arguments)
        else:
            if target is not None:
                give_up(f"--target is for CMake projects, and {file} is no directory")
            program = _compile(files, build, std, flags)
        sys.exit(_execute(program, words, environment))


def _split(words: list[str]) -> tuple[list[Path], list[str]]:
    """The source files at the front, and the program's own arguments."""
    count = 1
    while count < len(words) and Path(words[count]).suffix in _SOURCES:
        count += 1
    files, rest = [Path(word) for word in words[:count]], words[count:]
    return files, rest[1:] if rest[:1] == ["--"] else rest


def _environment(soc: str | None) -> dict[str, str]:
    environment = toolkit.environment(dict(os.environ))
    if soc is not None:
        try:
            environment["ACLHOST_SOC"] = names.soc(soc)
        except names.UnknownNameError as error:
            give_up(str(error))
    return environment


def _compiler() -> list[str]:
    found = health.compiler()
    if found is not None:
        return found
    if os.environ.get("CXX"):
        give_up(f"CXX is {os.environ['CXX']!r}, which is no installed compiler")
    looked = ", ".join(health.COMPILERS)
    give_up(f"no C++ compiler found (looked for {looked}); install one or set CXX")


def _compile(files: list[Path], build: Path, std: str, flags: list[str]) -> Path:
    for file in files:
        if not file.is_file():
            give_up(f"{file}: no such file")
    program = build / files[0].stem
    sources = [str(file.resolve()) for file in files]
    options = [f"-std={std}", "-O1", "-g", *toolkit.cflags()]
    if sys.stderr.isatty():  # the compiler itself writes into a pipe
        options.append("-fdiagnostics-color=always")
    command = [*_compiler(), *options, *sources, *flags, "-o", str(program), *toolkit.libs()]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE)
    _pass_on(done.stderr)
    if done.returncode != 0:
        _explain(done.stderr)
        failed = ", ".join(map(str, files))
        verb = "does" if len(files) == 1 else "do"
        give_up(f"{failed} {verb} not compile; the command was: {shlex.join(command)}")
    return program


def _build_project(
    source: Path, build: Path, std: str, flags: list[str], target: str | None
) -> Path:
    try:
        environment = toolkit.environment(dict(os.environ))
        last = toolkit.placeholder_libs()
        project = cmake.Project(source, build, _compiler(), std, flags, last, environment)
        done = project.build()
        if done.returncode != 0:
            _pass_on(done.stdout)
            _explain(done.stdout)
            give_up(f"{source} does not build; the command was: {shlex.join(done.args)}")
        return project.program(target)
    except cmake.ProjectError as error:
        give_up(str(error))


def _pass_on(text: bytes) -> None:
    sys.stderr.buffer.write(text)
    sys.stderr.flush()


def _explain(text: bytes) -> None:
    for sentence in missing.explain(text.decode(errors="replace")):
        say(sentence)


def _execute(program: Path, arguments: list[str], environment: dict[str, str]) -> int:
    """The program's exit status; the shell's number where a signal ended it."""
    status = subprocess.run([program, *arguments], env=environment, check=False).returncode
    if status >= 0:
        return status
    say(f"{program.name} was ended by signal {-status} ({signal.strsignal(-status)})")
    return 128 - status

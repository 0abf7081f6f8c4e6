# SPDX-License-Identifier: Apache-2.0
"""`aclhost run`: from C++ files, a CMake project or a Python script to output in one step."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from aclhost.building import cache, cmake, compilers, private, program, toolkit
from aclhost.cli import strict_report
from aclhost.cli.completion import socs
from aclhost.cli.console import give_up, say
from aclhost.spec import names

_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".o", ".a")
_WORDS = "aclhost.words"  # of the program, behind --
WRONG_USE, BUILD_FAILED = 2, 65  # 66 is strict mode's


class _Command(click.Command):
    """Keeps what stands behind -- for the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = _with_mark(args)
        if "--" in args:
            at = args.index("--")
            ctx.meta[_WORDS] = args[at + 1 :]
            args = args[:at]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            ctx.fail(f"{error.format_message()} Options of the program stand behind --.")


def _with_mark(args: list[str]) -> list[str]:
    """With --at DIR COMMAND, all that follows is the command's."""
    end = args.index("--at") + 3 if "--at" in args else len(args) + 1
    if "--" in args or end > len(args):
        return args
    command = args[end - 1]
    if command.startswith("-") or Path(command).suffix in _SOURCES:
        return args
    return [*args[:end], "--", *args[end:]]


@click.command(cls=_Command, short_help="Compile and run a C++ program, a CMake project, a script.")
@click.option(
    "--soc", help="Reproduce this SoC (Ascend910B1) or product (A2).", shell_complete=socs
)
@strict_report.options
@click.option("--trace", type=click.Path(path_type=Path), help="Write a timeline for Perfetto.")
@click.option("--std", default="c++17", show_default=True, help="Language standard.")
@click.option("--cxxflags", multiple=True, help="Flags for the compiler, including -lNAME.")
@click.option("--target", help="The program of a CMake project that has several.")
@click.option(
    "-o", "--output", "keep", type=click.Path(path_type=Path), help="Keep the program as this file."
)
@click.option("--no-cache", is_flag=True, help="Build without the cache.")
@click.option("--verbose", "-v", is_flag=True, help="Show the commands of the build.")
@click.option(
    "--at",
    "place",
    type=click.Path(path_type=Path),
    help="Make the toolkit visible in this directory, e.g. /usr/local/Ascend.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("arguments", nargs=-1, metavar="[FILE]... [ARGUMENT]... [-- ARGUMENT...]")
@click.pass_context
def run(
    context: click.Context,
    /,
    soc: str | None,
    trace: Path | None,
    std: str,
    cxxflags: tuple[str, ...],
    target: str | None,
    keep: Path | None,
    no_cache: bool,
    verbose: bool,
    place: Path | None,
    file: Path,
    arguments: tuple[str, ...],
    **strict: Any,  # noqa: ANN401
) -> None:
    """Compile FILE against the toolkit and run it with ARGUMENTS.

    Source files that follow FILE belong to the same program. If FILE is a directory with a
    CMakeLists.txt, it is configured and built outside the directory. A FILE.py is run with this
    Python. Options may stand anywhere; what follows -- is the program's.

    With --at, FILE may be any command, for example python. It sees the toolkit in that directory;
    nobody else does, and nothing is written to the disk.

    A program whose sources, headers and flags did not change is not built again.

    The compiler is $CXX, or the first of g++, c++, clang++. The exit status is the program's; 65 if
    it could not be built, 66 if strict mode found something, 2 if run was used wrongly.
    """
    environment = _environment(soc)
    report = strict_report.prepare(environment, **strict)
    if trace is not None:
        environment["ACLHOST_TRACE"] = str(trace.resolve())
    files, words = _split([str(file), *arguments])
    words += context.meta.get(_WORDS, [])
    build = _Build(_flags(cxxflags), std, not no_cache, verbose)
    with tempfile.TemporaryDirectory(prefix="aclhost-") as directory:
        if target is not None and not file.is_dir():
            give_up(f"--target is for CMake projects, and {file} is no directory", WRONG_USE)
        if file.is_dir():
            words = [*arguments, *context.meta.get(_WORDS, [])]
            command = [str(build.project(file, Path(directory), target, keep))]
        elif file.suffix == ".py":
            words = [*arguments, *context.meta.get(_WORDS, [])]
            command = _script(file, keep)
        elif place is not None and file.suffix not in _SOURCES:
            command = [str(file)]
        else:
            command = [str(build.files(files, Path(directory), keep))]
        if place is not None:
            command = private.command(place.absolute(), command)
        status = _execute([*command, *words], environment)
        sys.exit(report.finish(status))


def _split(words: list[str]) -> tuple[list[Path], list[str]]:
    """The source files at the front, and the program's own arguments."""
    count = 1
    while count < len(words) and Path(words[count]).suffix in _SOURCES:
        count += 1
    return [Path(word) for word in words[:count]], words[count:]


def _flags(texts: tuple[str, ...]) -> list[str]:
    try:
        return [flag for text in texts for flag in shlex.split(text)]
    except ValueError as error:
        give_up(f"--cxxflags: {error}", WRONG_USE)


def _environment(soc: str | None) -> dict[str, str]:
    """With a SoC that exists: nobody wants to learn of a typing error after the compiler."""
    environment = toolkit.environment(dict(os.environ))
    chosen = soc if soc is not None else environment.get("ACLHOST_SOC")
    if chosen:
        try:
            environment["ACLHOST_SOC"] = names.soc(chosen)
        except names.UnknownNameError as error:
            origin = "" if soc is not None else "ACLHOST_SOC: "
            give_up(f"{origin}{error}", WRONG_USE)
    return environment


def _script(file: Path, keep: Path | None) -> list[str]:
    if not file.is_file():
        give_up(f"{file}: no such file", WRONG_USE)
    if keep is not None:
        give_up(f"-o keeps a program, and {file} is a script", WRONG_USE)
    return [sys.executable, str(file)]


class _Build:
    """Builds files or projects, or finds what was built before."""

    def __init__(self, flags: list[str], std: str, use_cache: bool, verbose: bool) -> None:
        self._flags, self._std = flags, std
        self._use_cache, self._verbose = use_cache, verbose

    def files(self, files: list[Path], directory: Path, keep: Path | None) -> Path:
        for file in files:
            if not file.is_file():
                give_up(f"{file}: no such file", WRONG_USE)
        recipe = program.Recipe(_compiler(), self._std, self._flags)
        entry = program.entry_for(recipe, files) if self._use_cache else None
        name = files[0].stem
        found = cache.find(entry, name) if entry is not None else None
        if found is None:
            self._tell(recipe.command(files, directory / name))
            found = self._compile(recipe, files, directory)
            headers = program.parts(recipe, files) if entry is not None else None
            if entry is not None and headers is not None:
                found = cache.store(entry, directory, name, headers)
        elif self._verbose:
            say(f"nothing changed: {found}")
        return _kept(found, keep)

    def _compile(self, recipe: program.Recipe, files: list[Path], directory: Path) -> Path:
        try:
            return program.build(recipe, files, directory, _pass_on)
        except program.BuildError as error:
            verb = "does" if len(files) == 1 else "do"
            kind = "link" if error.is_link else "compile"
            self._fail(f"{', '.join(map(str, files))} {verb} not {kind}", error)

    def project(self, source: Path, directory: Path, target: str | None, keep: Path | None) -> Path:
        with self._build_directory(source, directory) as build:
            environment = toolkit.environment(dict(os.environ))
            last = toolkit.placeholder_libs()
            try:
                project = cmake.Project(
                    source, build, _compiler(), self._std, self._flags, last, environment
                )
                done = project.build(self._tell)
                if done.returncode != 0:
                    error = program.BuildError(done.stdout, done.args)
                    kind = "link" if error.is_link else "build"
                    self._fail(f"{source} does not {kind}", error)
                return _kept(project.program(target), keep)
            except cmake.ProjectError as problem:
                give_up(str(problem), WRONG_USE)

    @contextmanager
    def _build_directory(self, source: Path, directory: Path) -> Iterator[Path]:
        """A directory for each project, where CMake finds what is still good."""
        try:
            if not self._use_cache or not (source / "CMakeLists.txt").is_file():
                raise FileNotFoundError
            words = [str(source.resolve()), self._std, *self._flags, *_compiler(), sys.prefix]
            entry = cache.directory() / cache.key(words, [])
            cache.forget(entry.parent)
        except OSError:
            yield directory
            return
        with cache.locked(entry) as build:
            yield build

    def _tell(self, command: list[str]) -> None:
        if self._verbose:
            say(shlex.join(command))

    def _fail(self, sentence: str, error: program.BuildError) -> NoReturn:
        from aclhost.building import missing  # slow to import: only failures need it

        _pass_on(error.output)
        for advice in missing.explain(error.output.decode(errors="replace")):
            say(advice)
        hint = "" if self._verbose else "; --verbose shows the command"
        give_up(f"{sentence}{hint}", BUILD_FAILED)


def _compiler() -> list[str]:
    found = compilers.compiler()
    if found is not None:
        return found
    if os.environ.get("CXX"):
        give_up(f"CXX is {os.environ['CXX']!r}, which is no installed compiler", WRONG_USE)
    looked = ", ".join(compilers.COMPILERS)
    give_up(f"no C++ compiler found (looked for {looked}); install one or set CXX", WRONG_USE)


def _kept(built: Path, keep: Path | None) -> Path:
    if keep is None:
        return built
    try:
        shutil.copy2(built, keep)
    except OSError as error:
        give_up(f"{keep}: {error.strerror}", WRONG_USE)
    return keep.resolve()


def _pass_on(text: bytes) -> None:
    sys.stderr.buffer.write(text)
    sys.stderr.flush()


def _execute(command: list[str], environment: dict[str, str]) -> int:
    """The program's exit status; the shell's number where a signal ended it."""
    status = subprocess.run(command, env=environment, check=False).returncode
    if status >= 0:
        return status
    name = Path(command[0]).name
    say(f"{name} was ended by signal {-status} ({signal.strsignal(-status)})")
    return 128 - status

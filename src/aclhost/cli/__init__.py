# SPDX-License-Identifier: Apache-2.0
"""The `aclhost` command. Its own words go to stderr; stdout belongs to results and programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from aclhost.cli.console import results_arrive
from aclhost.spec.names import suggestion


class _Command(NamedTuple):
    """Where a command is found, and what the list of commands says about it."""

    function: str
    help: str
    unwritten: int = 1  # the exit status if a file or stdout cannot be read or written

    def load(self, name: str) -> click.Command:
        module = "config" if name == "env" else name
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), self.function)
        return command


_COMMANDS = {
    "bench": _Command("bench", "Measure the operators on this machine."),
    "campaign": _Command("campaign", "Try the operators with random calls.", 2),
    "compare": _Command("compare_command", "Compare two results, or two directories of them.", 2),
    "config": _Command("config", "Print where the toolkit is and how to build against it."),
    "doctor": _Command("doctor", "Check the installation and test each operator."),
    "env": _Command("env", "Print export lines that do what set_env.sh does."),
    "explain": _Command("explain", "Explain a status code, or check a described call."),
    "golden": _Command(
        "golden_command", "Compute an operator on files, or all calls of a manifest."
    ),
    "link": _Command("link", "Present the toolkit at /usr/local/Ascend, or undo it."),
    "ops": _Command("ops_command", "List the operators, or show one of them."),
    "run": _Command("run", "Compile and run a C++ program, a CMake project, a script."),
    "scan": _Command("scan", "List the AscendCL names that sources and binaries use."),
    "shell": _Command("shell", "Start a shell that sees the toolkit at /usr/local/Ascend."),
}


class _Group(click.Group):
    """Imports a command when it is called, and offers the nearest for one that does not exist."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = _COMMANDS.get(cmd_name)
        return known.load(cmd_name) if known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            hint = suggestion(name, _COMMANDS) or "; aclhost --help lists the commands"
            ctx.fail(f"no command {name!r}{hint}")
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:  # noqa: ANN401
        """As click's, but a result that cannot be written is an error of one line."""
        given = sys.argv[1:] if args is None else args
        command = _COMMANDS.get(given[0]) if given else None
        with results_arrive(command.unwritten if command else 1):
            return super().main(args, *rest, **extra)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aclhost")
def main() -> None:
    """AscendCL and the aclnn operators on any CPU."""

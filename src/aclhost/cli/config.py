# SPDX-License-Identifier: Apache-2.0
"""`aclhost config` and `aclhost env`: what a build or a shell needs to know."""

from __future__ import annotations

import shlex

import click

from aclhost.building import toolkit
from aclhost.cli.console import print_json


@click.command()
@click.option("--prefix", is_flag=True, help="The directory that serves as ASCEND_HOME_PATH.")
@click.option("--cflags", is_flag=True, help="Flags for the compiler.")
@click.option("--libs", is_flag=True, help="Flags for the linker.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@click.pass_context
def config(context: click.Context, prefix: bool, cflags: bool, libs: bool, as_json: bool) -> None:
    """Print where the toolkit is and how to build against it.

    g++ program.cpp $(aclhost config --cflags --libs)
    """
    if as_json:
        print_json(
            {
                "prefix": str(toolkit.prefix()),
                "cflags": toolkit.cflags(),
                "libs": toolkit.libs(),
                "placeholders": str(toolkit.placeholders()),
                "environment": {**toolkit.variables(), **toolkit.search_paths()},
            }
        )
        return
    if not (prefix or cflags or libs):
        raise click.UsageError("name at least one of --prefix, --cflags, --libs", context)
    if prefix:
        click.echo(toolkit.prefix())
    flags = [*(toolkit.cflags() if cflags else ()), *(toolkit.libs() if libs else ())]
    if flags:
        click.echo(shlex.join(flags))


@click.command()
@click.option(
    "--placeholders",
    is_flag=True,
    help="Preload the operators that aclhost knows and does not compute.",
)
def env(placeholders: bool) -> None:
    """Print export lines that do what set_env.sh does.

    eval "$(aclhost env)"
    """
    for name, value in toolkit.variables().items():
        click.echo(f"export {name}={shlex.quote(value)}")
    lists = toolkit.search_paths()
    if placeholders:
        lists["LD_PRELOAD"] = str(toolkit.placeholders())
    for name, entry in lists.items():
        click.echo(f'export {name}={shlex.quote(entry)}"${{{name}:+:${name}}}"')

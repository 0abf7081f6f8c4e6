# SPDX-License-Identifier: Apache-2.0
"""`aclhost link`: the toolkit where clients with fixed paths look for it."""

from __future__ import annotations

from pathlib import Path

import click

from aclhost.building import presented, toolkit
from aclhost.cli.console import give_up


@click.command(short_help="Present the toolkit at /usr/local/Ascend, for clients with fixed paths.")
@click.option("--remove", is_flag=True, help="Undo it: remove what aclhost link made.")
@click.option(
    "--version",
    default=presented.VERSION,
    show_default=True,
    metavar="X.Y.Z",
    help="The version that the directories are named after.",
)
@click.argument("directory", type=click.Path(path_type=Path), default=presented.DEFAULT)
def link(remove: bool, version: str, directory: Path) -> None:
    """Present the toolkit in DIRECTORY, by default /usr/local/Ascend.

    Only symbolic links are made, and they are listed. A directory that holds anything else is left
    alone.
    """
    place = directory.absolute()
    if "/" in version or not version:
        give_up(f"--version: {version!r} cannot be part of a directory's name")
    try:
        if remove:
            count = presented.remove(place)
            click.echo(f"removed {count} links of {place}")
            return
        for path in presented.make(place, version):
            click.echo(f"{path} -> {toolkit.prefix()}")
    except presented.PresentationError as error:
        give_up(str(error))

# SPDX-License-Identifier: Apache-2.0
"""`aclhost shell`: a shell that sees the toolkit at /usr/local/Ascend."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aclhost.building import presented, private, toolkit


@click.command(short_help="Start a shell that sees the toolkit at /usr/local/Ascend.")
@click.option(
    "--at",
    "place",
    type=click.Path(path_type=Path),
    default=presented.DEFAULT,
    show_default=True,
    help="Where the shell sees the toolkit.",
)
def shell(place: Path) -> None:
    """Start $SHELL with the environment of set_env.sh, and with the toolkit at a fixed place.

    Only this shell and what it starts see it there; nothing is written to the disk. The exit
    status is the shell's.
    """
    sys.stdout.flush()
    words = private.command(place.absolute(), [os.environ.get("SHELL") or "/bin/sh"])
    os.execve(words[0], words, toolkit.environment(dict(os.environ)))

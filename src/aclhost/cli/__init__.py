# SPDX-License-Identifier: Apache-2.0
"""The `aclhost` command. Its own words go to stderr; stdout belongs to results and programs."""

from __future__ import annotations

import click

from aclhost.cli.bench import bench
from aclhost.cli.config import config, env
from aclhost.cli.run import run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aclhost")
def main() -> None:
    """AscendCL and the aclnn operators on any CPU."""


main.add_command(bench)
main.add_command(config)
main.add_command(env)
main.add_command(run)

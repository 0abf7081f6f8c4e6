# SPDX-License-Identifier: Apache-2.0
"""The `aclhost` command. Its own words go to stderr; stdout belongs to results and programs."""

from __future__ import annotations

import click

from aclhost._names import suggestion
from aclhost.cli.bench import bench
from aclhost.cli.compare import compare_command
from aclhost.cli.config import config, env
from aclhost.cli.doctor import doctor
from aclhost.cli.explain import explain
from aclhost.cli.golden import golden_command
from aclhost.cli.ops import ops_command
from aclhost.cli.run import run
from aclhost.cli.scan import scan


class _Group(click.Group):
    """A group that offers the nearest command for one that does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            hint = suggestion(name, self.commands) or "; aclhost --help lists the commands"
            ctx.fail(f"no command {name!r}{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aclhost")
def main() -> None:
    """AscendCL and the aclnn operators on any CPU."""


for command in (
    bench,
    compare_command,
    config,
    doctor,
    env,
    explain,
    golden_command,
    ops_command,
    run,
    scan,
):
    main.add_command(command)

# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden`: an operator on files, natively and in float64."""

from __future__ import annotations

from pathlib import Path

import click

from aclhost.cli.completion import operators, socs

_FILE = click.Path(path_type=Path)
_KINDS = ("npy", "npz", "pt")
_NAMED = "aclhost.golden"  # the help of an operator's arguments


class _Command(click.Command):
    """`golden NAME --help` lists the arguments of NAME, too."""

    def get_help(self, ctx: click.Context) -> str:
        text = super().get_help(ctx)
        named = ctx.meta.get(_NAMED)
        return f"{text}\n\n{named}" if named else text

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and {"-h", "--help"} & set(args):
            from aclhost.cli.golden_files import arguments_of

            ctx.meta[_NAMED] = arguments_of(args[0])
        return super().parse_args(ctx, args)


@click.command("golden", cls=_Command, context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False, shell_complete=operators)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[--ARG VALUE]...")
@click.option(
    "-o", "--output", "directory", default=".", type=_FILE,
    help="Directory for the results; created if needed.",
)  # fmt: skip
@click.option(
    "--format", "kind", type=click.Choice(_KINDS), default="npy", show_default=True,
    help="File format of the results.",
)  # fmt: skip
@click.option(
    "--dtype", "dtypes", multiple=True, metavar="[ARG=]DTYPE", help="Data type of raw .bin files."
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="[ARG=]2,3", help="Shape of raw .bin files."
)
@click.option("--force", "-f", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--soc", help="Reproduce this SoC (Ascend910B1) or product (A2).", shell_complete=socs
)
@click.option("--manifest", type=_FILE, help="Compute every line of a CSV or JSON lines file.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=1, help="Number of processes for a manifest."
)
@click.option(
    "--dask",
    default="",
    metavar="ADDRESS",
    help="Use the workers of this Dask scheduler for a manifest.",
)
@click.option(
    "--journal",
    type=_FILE,
    help="Record the progress of a manifest in this file, and resume from it.",
)
@click.option("--html", type=_FILE, help="Write a report on a manifest.")
@click.option("--jsonl", type=_FILE, help="Write a line of JSON for each result.")
@click.option("--junit", type=_FILE, help="Write a JUnit file, a test for each result.")
@click.option("--markdown", type=_FILE, help="Write a summary for a CI job; - is stdout.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def golden_command(
    name: str | None, arguments: tuple[str, ...], directory: Path, kind: str,
    dtypes: tuple[str, ...], shapes: tuple[str, ...], force: bool, soc: str | None,
    manifest: Path | None, jobs: int, dask: str, journal: Path | None, html: Path | None,
    jsonl: Path | None, junit: Path | None, markdown: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compute operator NAME on .npy, .npz, .pt or raw .bin files.

    \b
    aclhost golden elu_backward --grad-output g.npy --self-or-result x.npy --alpha 2
    aclhost golden elu --self dump.bin --dtype float16 --shape 8,16
    aclhost golden elu --help                     # lists the arguments of elu
    aclhost golden --manifest cases.csv -o golden --jobs 8

    For each result two files are written: RESULT.npy, from the native kernels in the dtype that
    the operator gives, and RESULT.float64.npy, from its definition in float64. Arguments are named
    as in C or in Python; tensors are files (FILE:NAME picks one array of several), lists of tensors
    are files with commas between them, scalars and arrays are written as for aclhost explain.
    Existing files are not overwritten without --force.

    A manifest is a table with one call per line: a column (or key) operator, one for each argument
    and, if wanted, name, soc and tolerance (rtol=1e-3 max_ulp=4). The results of a line go to the
    directory NAME below -o. If a line also gives a file for a result, that file, which a device
    wrote, is compared with the definition. The exit status is that of aclhost compare.
    """  # noqa: D301 - click reads the \b character
    if (name is None) == (manifest is None):
        raise click.UsageError("give the NAME of an operator, or --manifest FILE")
    if manifest is not None:
        if dtypes or shapes:
            raise click.UsageError("in a manifest, raw files are FILE.bin:float16[8,16]")
        # Here and below, because they import the declarations.
        from aclhost.cli.golden_manifest import Run, run_manifest

        run = Run(manifest, directory, kind, soc or "", force, jobs, dask, journal)
        run_manifest(run, as_json, html, jsonl, junit, markdown)
    if name is not None:
        from aclhost.cli.golden_files import run_one

        run_one(name, arguments, directory, kind, (dtypes, shapes), force, soc or "", as_json)

# SPDX-License-Identifier: Apache-2.0
"""`aclhost compare`: two results, or two directories of them."""

from __future__ import annotations

from pathlib import Path

import click

_NUMBER = "[DTYPE=]NUMBER"
_FILE = click.Path(path_type=Path)


@click.command("compare", short_help="Compare two results, or two directories of them.")
@click.argument("actual", type=_FILE)
@click.argument("expected", type=_FILE)
@click.option("--rtol", multiple=True, metavar=_NUMBER, help="Relative tolerance.")
@click.option("--atol", multiple=True, metavar=_NUMBER, help="Absolute tolerance.")
@click.option(
    "--outliers", multiple=True, metavar=_NUMBER, help="Fraction of elements that may be bad."
)
@click.option(
    "--max-ulp", multiple=True, metavar=_NUMBER, help="The largest distance allowed, in ulps."
)
@click.option(
    "--cosine", multiple=True, metavar=_NUMBER, help="The smallest cosine similarity allowed."
)
@click.option(
    "--dtype", help="Use the ulps and the tolerances of this dtype; it is also that of .bin files."
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many bad elements to list.",
)
@click.option(
    "--match", metavar="REGEX", help="Pair files by what the groups match; skip other files."
)
@click.option(
    "--map", "mapping", type=_FILE, help="Pair as the lines ACTUAL,EXPECTED of this file say."
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    help="Number of processes; by default 1, and one per processor from 200 pairs on.",
)
@click.option(
    "--dask", default="", metavar="ADDRESS", help="Use the workers of this Dask scheduler."
)
@click.option("--journal", type=_FILE, help="Record progress in this file, and resume from it.")
@click.option("--baseline", type=_FILE, help="Ignore failures that are in this file of --jsonl.")
@click.option("--all", "everything", is_flag=True, help="List the pairs that pass, too.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; only set the exit status.")
@click.option("--html", type=_FILE, help="Write a report with plots of the failures.")
@click.option("--jsonl", type=_FILE, help="Write a line of JSON for each pair; - is stdout.")
@click.option("--junit", type=_FILE, help="Write a JUnit file, a test for each pair.")
@click.option("--markdown", type=_FILE, help="Write a summary for a CI job; - is stdout.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(
    actual: Path,
    expected: Path,
    dtype: str | None,
    worst: int,
    match: str | None,
    mapping: Path | None,
    jobs: int | None,
    dask: str,
    journal: Path | None,
    baseline: Path | None,
    everything: bool,
    quiet: bool,
    as_json: bool,
    html: Path | None,
    jsonl: Path | None,
    junit: Path | None,
    markdown: Path | None,
    **tolerances: tuple[str, ...],
) -> None:
    """Compare ACTUAL, for example an NPU dump, with EXPECTED, for example a golden.

    Both are files (.npy, .npz, .pt, .bin, dumps of operators; FILE:NAME picks an array of
    several) or directories, whose files pair by name; suffixes and timestamps need not agree.
    Without tolerances, the coarser dtype of a pair decides: two ulps for float16 and bfloat16, 64
    for float32, equality for integers. A tolerance holds for all dtypes, or, written as
    float16=0.01, for one; options can be repeated.

    For directories, the failures are listed, worst first. The exit status is 0 if everything
    passes, 1 if something differs, 2 if something cannot be compared.
    """
    # Here, because help and completion need not wait for NumPy.
    from aclhost.cli import compare_run

    compare_run.run(
        compare_run.Wanted(
            actual, expected, match, mapping, dtype, worst, tolerances, jobs, dask, journal,
            baseline,
        ),
        compare_run.Shown(everything, quiet, as_json, html, jsonl, junit, markdown),
    )  # fmt: skip

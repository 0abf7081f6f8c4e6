# SPDX-License-Identifier: Apache-2.0
"""Random programs for strict mode, by seed: make strict-random ARGS="--seeds 20000"."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import strict_corpus as corpus
from support.programs import run

ORDERS, VIEWS = "random_order.cpp", "random_views.cpp"


@dataclass(frozen=True)
class Judged:
    """What a seed's program did, according to strict mode and to its own slow way."""

    seed: int
    expected: frozenset[str]  # findings, or "conflict" where their kind is not known
    good: bool
    text: str


def judge(file: str, seeds: Iterable[int], folder: Path) -> Iterator[Judged]:
    """Runs a program once for each seed. Places are not wanted, and cost time."""
    program = corpus.build(corpus.FOLDER / file, folder / Path(file).stem, "-g0")
    environment = corpus.environment(PATH="")
    for seed in seeds:
        done = run([program, "random", seed], status=None, env=environment)
        expected = frozenset(done.stdout.split("\n")) - {"", "none"}
        titles = set(corpus.titles(done.stderr))
        named = bool(titles) == bool(expected) if file == ORDERS else titles == expected
        status = corpus.FINDINGS_STATUS if expected else 0
        good = bool(done.stdout or file == VIEWS) and named and done.returncode == status
        yield Judged(seed, expected, good, done.stdout + done.stderr)


def main() -> int:
    """Prints how many programs had a mistake and how many judgements were wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1000, help="how many")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    wrong = 0
    for file in (ORDERS, VIEWS):
        with tempfile.TemporaryDirectory() as folder:
            results = list(judge(file, seeds, Path(folder)))
        bad = [result for result in results if not result.good]
        mistaken = sum(bool(result.expected) for result in results)
        correct = len(results) - mistaken
        print(f"{file}: {mistaken} with a mistake, {correct} without, {len(bad)} wrong")
        for result in bad[:10]:
            print(f"seed {result.seed}: expected {sorted(result.expected)}\n{result.text}")
        wrong += len(bad)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

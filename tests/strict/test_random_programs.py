# SPDX-License-Identifier: Apache-2.0
"""Random programs, judged by strict mode and by a slow way that knows everything."""

import pytest
import strict_corpus as corpus
from support.programs import run

SEEDS = range(200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("random")


def runs(file, folder):
    """What each seed's program printed and how it ended; places are not wanted here."""
    program = corpus.build(corpus.FOLDER / file, folder / "program", "-g0")
    environment = corpus.environment(PATH="")
    for seed in SEEDS:
        yield seed, run([program, "random", seed], status=None, env=environment)


def test_orders(folder):
    """A graph of all that happens, closed, says whether two accesses are in conflict."""
    answers = set()
    for seed, done in runs("random_order.cpp", folder):
        expected = {"conflict\n": corpus.FINDINGS_STATUS, "none\n": 0}[done.stdout]
        assert done.returncode == expected, (seed, done.stdout, done.stderr)
        answers.add(done.stdout)
    assert len(answers) == 2


def test_views(folder):
    """Every element of every view is looked at: where it is, whose it is, if it was written."""
    seen = set()
    for seed, done in runs("random_views.cpp", folder):
        expected = set(done.stdout.splitlines())
        assert set(corpus.titles(done.stderr)) == expected, (seed, done.stderr)
        assert done.returncode == (corpus.FINDINGS_STATUS if expected else 0), seed
        seen.add(frozenset(expected))
    assert frozenset() in seen
    assert len(seen) > 4

# SPDX-License-Identifier: Apache-2.0
"""What strict mode costs: the same late in a long program as early in it."""

import pytest
import strict_corpus as corpus
from support.programs import run

# How many times what the first quarter of the work took the last may take. Where each piece of work
# looked at all before it, the last took at least three times as long; other processes disturb less,
# and not each of several attempts.
MOST_GROWTH = 2
ATTEMPTS = 4
MOST_MEGABYTES = 4  # what living memory, streams and events do not explain


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    target = tmp_path_factory.mktemp("cost") / "cost"
    return corpus.build(corpus.FOLDER / "cost.cpp", target)


def parts(program, work, count, **variables):
    """Milliseconds and megabytes of the four quarters, and standard error."""
    status = corpus.FINDINGS_STATUS if work == "frees" else 0
    done = run([program, work, count], status=status, env=corpus.environment(**variables))
    rows = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    return [row[0] for row in rows], [row[1] for row in rows], done.stderr


@pytest.mark.parametrize(
    ("work", "count"),
    [("launches", 64000), ("slices", 32000), ("streams", 6000), ("events", 16000)],
)
def test_work_costs_the_same_early_and_late(program, work, count):
    growth = []
    for _ in range(ATTEMPTS):
        times, sizes, text = parts(program, work, count)
        assert text == "aclhost strict: 0 findings\n"
        assert sizes[3] - sizes[0] < MOST_MEGABYTES, sizes
        growth.append(times[3] / times[0])
        if growth[-1] < MOST_GROWTH:
            return
    pytest.fail(f"the last quarter took {growth} times as long as the first")


def test_a_repeated_mistake_costs_no_more_than_the_loop(program):
    """The first is described, which starts another program; the others are only recognised."""
    few, _, _ = parts(program, "frees", 4)
    many, _, text = parts(program, "frees", 4000)
    assert text.count("invalid free") == 1
    assert sum(many[1:]) < 20 * few[0], (few, many)


def test_repeated_mistakes_in_a_log_are_described_once(program, tmp_path):
    log = tmp_path / "log"
    few, _, _ = parts(program, "frees", 4)
    many, _, _ = parts(program, "frees", 400, ACLHOST_STRICT_LOG=str(log))
    assert log.read_text().count("invalid free") == 400
    assert sum(many[1:]) < 50 * few[0], (few, many)

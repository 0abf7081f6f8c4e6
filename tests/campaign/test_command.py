# SPDX-License-Identifier: Apache-2.0
"""`aclhost campaign`, as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ACLHOST = Path(sysconfig.get_path("scripts"), "aclhost")


def run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=300, check=False, cwd=cwd
    )


def campaign(*options: object) -> subprocess.CompletedProcess[str]:
    return run(ACLHOST, "campaign", *options)


def report(*options: object) -> dict:
    done = campaign(*options, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_command_line() -> None:
    done = campaign("--cases", "10", "--operator", "aclnnElu", "--seed", "3")
    assert done.stdout.startswith("seed 3\n")
    assert any(line.split()[:2] == ["all", "10"] for line in done.stdout.splitlines())


def test_rounds_elsewhere_are_those_of_one_process(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    options = ("--operator", "elu_backward", "--seed", 4, "--cases", 90)
    reports = [
        report(*options, *more)
        for more in ((), ("--jobs", 2, "--journal", journal), ("--journal", journal))
    ]
    assert reports[0] == reports[1] == reports[2]
    assert sum(row["cases"] for row in reports[0]["rows"]) == 90
    assert len(journal.read_text().splitlines()) == 3


def test_a_campaign_that_goes_on_has_the_same_seed(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    options = ("--operator", "elu", "--journal", journal)
    first, second = (report(*options, "--cases", cases) for cases in (40, 80))
    assert first["seed"] == second["seed"]
    assert sum(row["cases"] for row in second["rows"]) == 80
    assert len(journal.read_text().splitlines()) == 2


def test_another_journal_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "other.jsonl"
    journal.write_text('{"key": "layer1", "row": {}}\n')
    done = campaign("--operator", "elu", "--cases", "5", "--journal", journal)
    assert done.returncode == 2
    assert "is not the journal of a campaign" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--operator", "elo"), "did you mean"),
        (("--family", "poolin"), "pooling"),
        (("--family", "pooling", "--operator", "elu"), "no operator of these names"),
        (("--jobs", "2"), "need --cases"),
        (("--replay", "nowhere.npz"), "nowhere.npz: No such file"),
        (("--replay", __file__), "not a failed case"),
        (("--replay", "/dev/null"), "not a failed case"),
        (("--seconds", "-1"), "--seconds"),
    ],
)
def test_what_cannot_be_run(options: tuple[str, ...], said: str) -> None:
    done = campaign(*options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


WITHOUT = """
import sys
sys.modules[{module!r}] = None
from aclhost.cli import main
names = ("elu", "avg_pool2d", "gelu_backward", "max_pool3d_with_argmax", "avg_pool2d_backward")
operators = [word for name in names for word in ("--operator", name)]
main(["campaign", "--cases", "20", "--seed", "3", "--json", *operators])
"""


def without(module: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-c", WITHOUT.format(module=module))


def test_torch_is_not_needed() -> None:
    done = without("torch")
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["rows"]
    assert sum(row["cases"] for row in rows) == 100
    assert not any(row["with_torch"] for row in rows)


def test_hypothesis_is_named_where_it_is_missing() -> None:
    done = without("hypothesis")
    assert done.returncode == 2
    assert "pip install 'aclhost[campaign]'" in done.stderr


FAILING = """
import sys
import numpy as np
from aclhost.campaign import check
true = check._reference
check._reference = lambda case, inputs: [each + 1 for each in true(case, inputs)]
from aclhost.cli import main
main(["campaign", *sys.argv[1:]])
"""


def test_a_failure_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("no directory")
    options = ("--cases", "5", "--operator", "elu", "--seed", "1", "--failures", "here")
    done = run(sys.executable, "-c", FAILING, *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "aclhost: here: File exists\n")


def test_a_failure_comes_with_the_command_that_repeats_it(tmp_path: Path) -> None:
    def failing(*options: str) -> subprocess.CompletedProcess[str]:
        return run(sys.executable, "-c", FAILING, *options, cwd=tmp_path)

    done = failing("--cases", "20", "--operator", "max_unpool3d", "--seed", "1")
    assert done.returncode == 1
    (line,) = (each for each in done.stdout.splitlines() if each.startswith("aclhost campaign"))
    again = failing(*line.split()[2:])
    assert again.returncode == 1
    assert "golden: 1" in again.stderr
    assert "Traceback" not in again.stderr

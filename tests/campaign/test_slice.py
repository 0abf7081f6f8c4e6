# SPDX-License-Identifier: Apache-2.0
"""A small fixed slice of the campaign, and the campaign's own promises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclhost import ops
from aclhost.campaign import again, case, replay
from aclhost.campaign.case import Case
from aclhost.campaign.rounds import Tally, round_seed, run_gradient_round, run_round
from aclhost.spec.operator import Operator

EVERY = pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)


def run_slice(op: Operator, stream: int, count: int) -> Tally:
    tally = Tally()
    run_round(op, round_seed(20, op, 0), count, tally, stream)
    return tally


@EVERY
@pytest.mark.usefixtures("no_leaks")
def test_slice(op: Operator, stream: int) -> None:
    tally = run_slice(op, stream, 12)
    assert not tally.failures
    cases = sum(row.cases for row in tally.rows.values())
    strategy = op.kernel or op.draw or op.snake_name in case.KNOWN
    assert cases >= (8 if strategy else 5)  # without one there are only the samples


@EVERY
def test_operators_that_the_campaign_does_not_know(
    op: Operator, stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case, "KNOWN", {})
    assert not run_slice(op, stream, 5).failures


def broken(op: Operator) -> Operator:
    """The operator with a golden that is wrong for negative zero only."""

    def golden(**arguments: Any) -> np.ndarray:
        result = op.golden(**arguments).copy()
        result[np.signbit(result) & (result == 0)] = 1
        return result

    return replace(op, golden=golden)


def test_finds_and_shrinks_a_bug(stream: int) -> None:
    op = broken(ops.BY_NAME["aclnnMaxUnpool3dBackward"])
    (failure,) = run_slice(op, stream, 500).failures
    assert "is -0.0; golden: 1.0" in failure.reason
    assert np.prod(failure.case.call.tensor("self").shape) <= 4


def test_finds_a_wrong_gradient() -> None:
    op, tally = ops.BY_NAME["aclnnAvgPool2dBackward"], Tally()
    run_gradient_round(op, 1, tally)
    right = tally.gradients["AvgPool2dBackward"]
    assert (right.failures, right.with_torch) == (0, right.calls)
    assert op.golden is not None
    golden = op.golden
    run_gradient_round(replace(op, golden=lambda **each: 1.01 * golden(**each)), 1, tally)
    assert "the golden says" in tally.wrong_gradients[0]


def test_a_golden_that_raises_is_a_finding() -> None:
    def golden(**_: Any) -> np.ndarray:
        raise ZeroDivisionError("by zero")

    op, tally = replace(ops.BY_NAME["aclnnAvgPool2dBackward"], golden=golden), Tally()
    run_gradient_round(op, 1, tally)
    assert tally.wrong_gradients == ["aclnnAvgPool2dBackward: ZeroDivisionError: by zero"]
    assert tally.gradients["AvgPool2dBackward"].failures == 1


@EVERY
def test_the_text_of_a_case_is_the_case(op: Operator) -> None:
    for call in op.samples:
        original = Case(op, "python", call)
        copy = again.read_case(repr(original))
        assert repr(copy) == repr(original)  # NaN is unlike itself
        assert copy == original or "nan" in repr(original)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').abort()",
        "check('aclnnElu', 'python', exit())",
        "check('aclnnElu', 'python', dtypes.__loader__.get_data('/etc/passwd'))",
        "check('aclnnNothing', 'python', Call({}))",
        "dtypes.FLOAT",
        "1 + 1",
        "(",
    ],
)
def test_a_text_that_is_no_case_is_refused_and_not_run(text: str) -> None:
    with pytest.raises(ValueError, match="not the text of a case"):
        again.read_case(text)


def test_the_same_seed_gives_the_same_cases(stream: int) -> None:
    op = ops.BY_NAME["aclnnMaxPool3dWithArgmax"]
    first, second = (run_slice(op, stream, 20) for _ in range(2))
    assert first == second
    another = Tally()
    run_round(op, round_seed(21, op, 0), 20, another, stream)
    assert another != first


def test_a_failing_case_is_a_file_that_replays(stream: int, tmp_path: Path) -> None:
    op = broken(ops.BY_NAME["aclnnMaxUnpool3dBackward"])
    (failure,) = run_slice(op, stream, 500).failures
    path = replay.write(tmp_path, failure.told)
    with np.load(path) as saved:
        assert "golden: 1.0" in str(saved["reason"])
        assert saved["argument_self"].shape == failure.case.call.tensor("self").shape
    assert again.run(replay.read(path)).ulps == 0  # the operator itself is right
    assert replay.write(tmp_path, failure.told) == path

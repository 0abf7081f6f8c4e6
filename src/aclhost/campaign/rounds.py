# SPDX-License-Identifier: Apache-2.0
"""Rounds of random cases of one operator, and what came of them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.errors import HypothesisWarning

from aclhost import acl
from aclhost.calls.abi import ok
from aclhost.campaign.case import Case, cases
from aclhost.campaign.check import check
from aclhost.campaign.gradients import GradientRow, run_gradients
from aclhost.goldens.torch_reference import has_torch
from aclhost.spec.operator import Operator

ROUND = 40  # cases; short rounds end close to the time that was asked for


@dataclass
class Row:
    """A line of the summary: one operator with one dtype."""

    cases: int = 0
    with_torch: int = 0
    failures: int = 0
    worst: float = 0.0


@dataclass(frozen=True)
class Told:
    """A failure in words, as other processes tell it."""

    operator: str
    dtype: str
    route: str
    text: str  # of the case, for aclhost.campaign.again
    reason: str


@dataclass(frozen=True)
class Failure:
    """The smallest case that hypothesis found for a failure, and what went wrong in it."""

    case: Case
    reason: str

    @property
    def told(self) -> Told:
        case = self.case
        return Told(case.op.name, str(case.dtype), case.route, repr(case), self.reason)


@dataclass
class Tally:
    """Everything that came out so far."""

    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)  # of rounds that ran elsewhere
    gradients: dict[str, GradientRow] = field(default_factory=dict)
    wrong_gradients: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # rounds that came to no end

    def row(self, case: Case) -> Row:
        return self.rows.setdefault((case.op.short_name, case.dtype.name), Row())


def round_seed(seed: int, op: Operator, number: int) -> int:
    """The same for the same round of the same campaign, whatever else runs in it."""
    return random.Random(f"{seed} {op.name} {number}").getrandbits(64)


def run_round(
    op: Operator,
    seed: int,
    count: int,
    tally: Tally,
    stream: int,
    on_case: Callable[[], None] = lambda: None,
) -> None:
    """Up to count cases; ends at the first that fails, once that is as small as can be."""
    smallest: list[Failure] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(cases(op))
    def each(case: Case) -> None:
        if not smallest:
            tally.row(case).cases += 1
            on_case()
        try:
            outcome = check(case, stream)
        except Exception as error:
            smallest[:] = [Failure(case, f"{type(error).__name__}: {error}")]
            raise
        if not smallest:
            row = tally.row(case)
            row.with_torch += outcome.with_torch
            row.worst = max(row.worst, outcome.ulps)

    try:
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)  # about long texts of failing cases
            each()
    except Exception:
        if not smallest:
            raise
        tally.failures += smallest
        tally.row(smallest[0].case).failures += 1


def run_gradient_round(op: Operator, seed: int, tally: Tally) -> None:
    """Slopes of a backward's forward."""
    row = tally.gradients.setdefault(op.short_name, GradientRow())
    try:
        with one_thread():
            wrong = run_gradients(op, seed, row)
    except Exception as error:  # a golden's mistake is a finding like others
        row.failures += 1
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        tally.wrong_gradients.append(f"{op.name}: {wrong}")


@contextmanager
def stream() -> Iterator[int]:
    """A stream on device 0."""
    acl.init()  # may have been called before
    ok(acl.rt.set_device(0))
    handle, status = acl.rt.create_stream()
    ok(status)
    yield handle
    ok(acl.rt.destroy_stream(handle))
    ok(acl.rt.reset_device(0))


@contextmanager
def one_thread() -> Iterator[None]:
    """For torch: where indices repeat, the order of the writes matters."""
    if not has_torch():
        yield
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)

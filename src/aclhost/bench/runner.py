# SPDX-License-Identifier: Apache-2.0
"""From cases to results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from aclhost._native import thread_count
from aclhost.bench import cases, memory
from aclhost.bench.cases import Case
from aclhost.bench.contention import Others
from aclhost.bench.probe import streaming
from aclhost.bench.results import QUIET, Growth, Result
from aclhost.bench.rounds import (
    USUAL_PAUSE,
    Times,
    pause_after,
    quotient,
    take_turns,
    turn,
    usual_time,
)
from aclhost.bench.workload import Call, Workload

OURS, TORCH, NUMPY, LIMIT = "aclhost", "torch", "numpy", "streaming"
_LARGEST_SHARE = 0.6  # of available memory, for the arrays of a case
_WORST_INPUTS = 4  # arrays as large as the case, the probe's and torch's indices included
_FAST_IN_NUMPY = ("float32", "float64")  # others take seconds for large arrays


@dataclass(frozen=True)
class Effort:
    """How long to measure: seconds for each case, but at least so many rounds.

    A case that others disturb is measured again, until all attempts are used up.
    """

    seconds: float
    fewest_rounds: int
    growth_sizes: tuple[int, ...]
    attempts: int = 1
    pause: float = USUAL_PAUSE


FULL = Effort(1.0, 7, (10**5, 10**6, 10**7, 10**8), attempts=3)
QUICK = Effort(0.4, 5, (10**5, 10**6, 10**7))


def use_torch() -> bool:
    """Whether torch is there; it then gets as many threads as the operators have."""
    try:
        import torch
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        return False
    torch.set_num_threads(thread_count())
    return True


def torchs_pause() -> float:
    """How long torch's threads disturb others after a call; see Note [Turns]."""
    import torch

    x = torch.ones(1_000_000)
    return pause_after(partial(torch.add, x, x, out=torch.empty_like(x)), thread_count() - 1)


def too_large(case: Case) -> bool:
    """Whether the arrays would crowd out everything else on this machine."""
    needed = case.elements * 8 * _WORST_INPUTS
    return needed > memory.available() * _LARGEST_SHARE


def measure(case: Case, effort: Effort, with_torch: bool) -> Result:
    """All contenders in the same rounds: aclhost, torch if installed, NumPy at times, the loop."""
    workload = case.prepare()
    extra = memory.peak_extra(workload.call)
    peer, note = _peer(workload) if with_torch else (None, "")
    contenders = {OURS: workload.call, LIMIT: streaming(workload.moved)}
    if peer is not None:
        contenders[TORCH] = peer
    if workload.ufuncs is not None and _numpy_takes_part(case):
        contenders[NUMPY] = workload.ufuncs()
    times, foreign_cores = _in_quiet(contenders, effort)
    return Result(
        case=case,
        rounds=len(times[OURS]),
        seconds=median(times[OURS]),
        torch_seconds=_median(times, TORCH),
        ratio=quotient(times, TORCH, OURS),
        numpy_seconds=_median(times, NUMPY),
        numpy_ratio=quotient(times, NUMPY, OURS),
        # What a call of this size costs is not what its bytes cost.
        streaming_fraction=None if case.size == "tiny" else quotient(times, LIMIT, OURS),
        bytes_moved=workload.moved,
        streaming_bytes_per_second=workload.moved / median(times[LIMIT]),
        peak_extra_bytes=extra,
        foreign_cores=foreign_cores,
        note=note,
    )


def _in_quiet(contenders: Mapping[str, Call], effort: Effort) -> tuple[Times, float]:
    """Times, and how many cores were busy elsewhere: of the attempt that was disturbed least."""
    found = []
    for _ in range(effort.attempts):
        others = Others()
        times = take_turns(contenders, effort.seconds, effort.fewest_rounds, effort.pause)
        found.append((times, others.cores()))
        if found[-1][1] <= QUIET:
            break
    return min(found, key=lambda attempt: attempt[1])


def _numpy_takes_part(case: Case) -> bool:
    return not case.strided and (case.size != "large" or case.dtype in _FAST_IN_NUMPY)


def _median(times: Times, name: str) -> float | None:
    return median(times[name]) if name in times else None


def _peer(workload: Workload) -> tuple[Call | None, str]:
    """Torch's call, or why there is none: it lacks some operators for some dtypes."""
    try:
        call = workload.peer()
        if call() is NotImplemented:
            return None, "torch: another rule"
    except (NotImplementedError, RuntimeError) as error:
        return None, f"torch: {str(error).splitlines()[0]}"
    return call, ""


def growth(operator: str, effort: Effort) -> Growth:
    """Time per element as arrays outgrow the caches."""
    sizes = [cases.growing(operator, elements) for elements in effort.growth_sizes]
    times = {
        case.elements: _own_time(case.prepare().call, effort) / case.elements
        for case in sizes
        if not too_large(case)
    }
    return Growth(operator, sizes[0].variant, times)


def _own_time(call: Call, effort: Effort) -> float:
    """Without anybody to compare with."""
    usual = usual_time(call)
    return median(turn(call, usual, effort.pause) for _ in range(effort.fewest_rounds))


def chosen(operators: Iterable[str], quick: bool) -> list[Case]:
    """The cases of these operators."""
    grid = cases.quick if quick else cases.full
    return [case for operator in operators for case in grid(operator)]

# SPDX-License-Identifier: Apache-2.0
"""From cases to results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from aclhost._native import thread_count
from aclhost.bench import cases, memory
from aclhost.bench.cases import ELEMENTWISE, Case
from aclhost.bench.contention import Others
from aclhost.bench.probe import streaming
from aclhost.bench.results import Growth, Result
from aclhost.bench.rounds import quotient, take_turns, time_once
from aclhost.bench.workload import Call, Workload

OURS, TORCH, LIMIT = "aclhost", "torch", "streaming"
_LARGEST_SHARE = 0.6  # of available memory, for the arrays of a case
_GROWTH_CALLS = 5
_WORST_INPUTS = 4  # arrays as large as the case, the probe's and torch's indices included


@dataclass(frozen=True)
class Effort:
    """How long to measure: seconds for each case, but at least so many rounds."""

    seconds: float
    fewest_rounds: int
    growth_sizes: tuple[int, ...]


FULL = Effort(1.0, 7, (10**5, 10**6, 10**7, 10**8))
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


def too_large(case: Case) -> bool:
    """Whether the arrays would crowd out everything else on this machine."""
    needed = case.elements * 8 * _WORST_INPUTS
    return needed > memory.available() * _LARGEST_SHARE


def measure(case: Case, effort: Effort, with_torch: bool) -> Result:
    """Aclhost, torch if there is one, and the streaming loop, in the same rounds."""
    workload = case.prepare()
    extra = memory.peak_extra(workload.call)
    peer, note = _peer(workload) if with_torch else (None, "")
    with streaming(workload.moved, thread_count()) as limit:
        contenders = {OURS: workload.call, LIMIT: limit}
        if peer is not None:
            contenders[TORCH] = peer
        others = Others()
        times = take_turns(contenders, effort.seconds, effort.fewest_rounds)
        foreign_cores = others.cores()
    return Result(
        case=case,
        rounds=len(times[OURS]),
        seconds=median(times[OURS]),
        torch_seconds=median(times[TORCH]) if peer else None,
        ratio=quotient(times, TORCH, OURS),
        # What a call of this size costs is not what its bytes cost.
        streaming_fraction=None if case.size == "tiny" else quotient(times, LIMIT, OURS),
        bytes_moved=workload.moved,
        streaming_bytes_per_second=workload.moved / median(times[LIMIT]),
        peak_extra_bytes=extra,
        foreign_cores=foreign_cores,
        note=note,
    )


def _peer(workload: Workload) -> tuple[Call | None, str]:
    """Torch's call, or why there is none: it lacks some operators for some dtypes."""
    try:
        call = workload.peer()
        call()
    except (NotImplementedError, RuntimeError) as error:
        return None, f"torch: {str(error).splitlines()[0]}"
    return call, ""


def growth(operators: Iterable[str], effort: Effort) -> Iterator[Growth]:
    """Time per element of the element-wise operators as arrays outgrow the caches."""
    for operator in operators:
        if operator not in ELEMENTWISE:
            continue
        variant = ELEMENTWISE[operator].variants[0]
        times = {}
        for elements in effort.growth_sizes:
            case = Case(operator, variant, "float32", "growth", (elements,))
            if not too_large(case):
                call = case.prepare().call
                call()
                times[elements] = median(time_once(call) for _ in range(_GROWTH_CALLS)) / elements
        yield Growth(operator, variant, times)


def chosen(operators: Iterable[str], quick: bool) -> list[Case]:
    """The cases of these operators."""
    grid = cases.quick if quick else cases.full
    return [case for operator in operators for case in grid(operator)]

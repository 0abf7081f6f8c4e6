# SPDX-License-Identifier: Apache-2.0
"""From cases to results."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from math import log
from statistics import median
from time import perf_counter, sleep

import numpy as np

import aclhost
from aclhost._native import thread_count
from aclhost.bench import cases, memory, operations
from aclhost.bench.c_door import c_call
from aclhost.bench.cases import Case
from aclhost.bench.contention import Others
from aclhost.bench.headline import least_ratio
from aclhost.bench.peers import numpy_call
from aclhost.bench.probe import streaming
from aclhost.bench.results import QUIET, Growth, Result, on_roofline
from aclhost.bench.rounds import (
    Pace,
    Times,
    pause_after,
    quotient,
    take_turns,
    time_once,
    turn,
    usual_time,
)
from aclhost.bench.workload import TRANSPOSED, Call, Workload

OURS, C, TORCH, NUMPY, LIMIT = "aclhost", "C", "torch", "numpy", "streaming"
_SPINNING = (TORCH, NUMPY)
_LARGEST_SHARE = 0.6  # of available memory, for the arrays of a case
_WORST_INPUTS = 8  # arrays as large as the case: copies for C, the probe's and torch's included
_FAST_IN_NUMPY = ("float32", "float64")  # others take seconds for large arrays
_TOO_LONG = 2.0  # seconds for a call of NumPy's
_SQUARE = 1024  # rows of the matrices whose product is the peak of arithmetic
_PRODUCTS = 12  # of which the fastest counts
_LOT = 1.0  # seconds
_SAME_KERNEL = 1.3  # times as long as through the other door, at most
_LAUNCH = 2e-6  # seconds by which the doors may differ
_NEARLY_SLOW = 1.1  # ratios below this are near the line that is drawn at 0.9
_MEASUREMENTS = 3  # of such a case


@dataclass(frozen=True)
class Effort:
    """How much to measure. What others disturb is measured again, so many times at most."""

    pace: Pace
    growth_sizes: tuple[int, ...]  # none: growth is left out
    attempts: int = 1


FULL = Effort(Pace(0.4, 7), (10**3, 10**4, 10**5, 10**6, 10**7), attempts=3)
QUICK = Effort(Pace(0.1, 5, warm_up=0.003), (10**3, 10**4, 10**5, 10**6))


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


def peak() -> float:
    """Operations per second of a matrix product in float32, the best of a few."""
    a, b, out = (np.ones((_SQUARE, _SQUARE), np.float32) for _ in range(3))
    call = partial(aclhost.matmul, a, b, out=out)
    return 2 * _SQUARE**3 / min(time_once(call) for _ in range(_PRODUCTS))


def measure(case: Case, effort: Effort, with_torch: bool) -> Result:
    """All contenders in the same rounds: both doors, torch or else NumPy, the streaming loop."""
    with ExitStack() as end:
        end.enter_context(aclhost.soc(case.soc))
        workload = case.prepare()
        extra = memory.peak_extra(workload.call)
        peer, note = _peer(workload) if with_torch else (None, "")
        contenders: dict[str, Call] = {OURS: workload.call}
        if case.size != "tiny":  # what such a call costs is not what its bytes cost
            contenders[LIMIT] = streaming(workload.moved)
        contenders[C] = end.enter_context(c_call(workload))
        if peer is not None:
            contenders[TORCH] = peer
        numpys, further = _numpys(case, workload, peer)
        if numpys is not None:
            contenders[NUMPY] = numpys
        times = take_turns(contenders, effort.pace, _SPINNING)
    return Result(
        case=case,
        rounds=len(times[OURS]),
        seconds=median(times[OURS]),
        c_seconds=median(times[C]),
        torch_seconds=_median(times, TORCH),
        ratio=quotient(times, TORCH, OURS),
        c_ratio=quotient(times, TORCH, C),
        c_over_python=quotient(times, C, OURS),
        numpy_seconds=_median(times, NUMPY),
        numpy_ratio=quotient(times, NUMPY, OURS),
        streaming_fraction=quotient(times, LIMIT, OURS),
        bytes_moved=workload.moved,
        operations=operations.count(workload, peer) if on_roofline(case) else None,
        streaming_bytes_per_second=workload.moved / median(times[LIMIT])
        if LIMIT in times
        else None,
        peak_extra_bytes=extra,
        foreign_cores=0.0,
        note="; ".join(filter(None, (note, further))),
    )


def settled(case: Case, effort: Effort, with_torch: bool) -> Result:
    """Measured three times if the first says that it is slow or nearly so: the median counts.

    Bad luck in a few hundredths of a second would otherwise pass for a slow kernel, and good luck
    for one that is just fast enough.
    """
    first = _in_agreement(case, effort, with_torch)
    if effort.attempts < _MEASUREMENTS or not _is_nearly_slow(first):
        return first
    others = (_in_agreement(case, effort, with_torch) for _ in range(1, _MEASUREMENTS))
    return sorted((first, *others), key=least_ratio)[_MEASUREMENTS // 2]


def _is_nearly_slow(result: Result) -> bool:
    return least_ratio(result) < _NEARLY_SLOW


def _in_agreement(case: Case, effort: Effort, with_torch: bool) -> Result:
    """Measured again while the doors disagree, and kept where they agree best.

    Both run the same kernel, so one of them was disturbed: for tenths of a second it may have one
    processor of two. Torch's times have no say in what is kept.
    """
    made = [measure(case, effort, with_torch)]
    while _disagree(made[-1]) and len(made) < effort.attempts:
        made.append(measure(case, effort, with_torch))
    return min(made, key=_disagreement)


def _disagreement(result: Result) -> float:
    return abs(log(result.c_seconds / result.seconds))


def _disagree(result: Result) -> bool:
    is_other = abs(result.c_seconds - result.seconds) > _LAUNCH
    return is_other and _disagreement(result) > log(_SAME_KERNEL)


class Lot:
    """Cases measured one after the other, and again where others disturbed them.

    Most take less than a tenth of a second, too little to see what others do meanwhile. So a lot of
    them that took a second is looked at and repeated as a whole. Its results are handed on when it
    is known how much they were disturbed.
    """

    def __init__(self, results: list[Result], effort: Effort, with_torch: bool) -> None:
        self._results, self._effort, self._with_torch = results, effort, with_torch
        self._lot: list[Result] = []
        self._others = Others()

    def add(self, case: Case) -> None:
        """Measures it; its result is there when the lot ends, now or with a later case."""
        if not self._lot:
            self._others = Others()
        self._lot.append(settled(case, self._effort, self._with_torch))
        if self._others.seconds() >= _LOT:
            self.end()

    def end(self) -> None:
        """Repeats what was disturbed; what is added next begins another lot."""
        if not self._lot:
            return
        lot, cores = self._lot, _cores(self._others)
        for _ in range(1, self._effort.attempts):
            if cores <= QUIET:
                break
            others = Others()
            again = [settled(result.case, self._effort, self._with_torch) for result in lot]
            lot, cores = min((lot, cores), (again, _cores(others)), key=lambda made: made[1])
        self._hand_on(lot, cores)

    def break_off(self) -> None:
        """Keeps what there is as it is."""
        self._hand_on(self._lot, self._others.cores())

    def _hand_on(self, lot: list[Result], cores: float) -> None:
        self._results.extend(replace(result, foreign_cores=cores) for result in lot)
        self._lot = []


def _cores(others: Others) -> float:
    """After a second at least, as the kernel counts in hundredths."""
    sleep(max(_LOT - others.seconds(), 0.0))
    return others.cores()


def _numpys(case: Case, workload: Workload, peer: Call | None) -> tuple[Call | None, str]:
    """What NumPy does: ufuncs where they are written out, its definition where torch has none."""
    if workload.ufuncs is not None:
        quick = case.size != "large" or case.dtype in _FAST_IN_NUMPY
        return (workload.ufuncs() if quick and case.layout != TRANSPOSED else None), ""
    if peer is not None:
        return None, ""
    call = numpy_call(workload)
    start = perf_counter()
    try:
        call()
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        return None, f"NumPy: {type(error).__name__}: {error}".splitlines()[0]
    if perf_counter() - start > _TOO_LONG:
        return None, "NumPy: takes seconds"
    return call, ""


def _median(times: Times, name: str) -> float | None:
    return median(times[name]) if name in times else None


def _peer(workload: Workload) -> tuple[Call | None, str]:
    """Torch's call, or why there is none: it lacks some operators for some dtypes."""
    try:
        call = workload.peer()
        if call() is NotImplemented:
            return None, "torch: another rule"
    except (LookupError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        return None, f"torch: {str(error).partition(chr(10))[0]}"
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
    pace = effort.pace
    return median(turn(call, usual, pace.warm_up) for _ in range(pace.fewest))


def chosen(operators: Iterable[str], quick: bool, sizes: Collection[str] = ()) -> list[Case]:
    """The cases of these operators, of some or all sizes: the first of each, then the second."""
    grid = cases.quick if quick else cases.full
    wanted = ([case for case in grid(each) if case.is_of(sizes)] for each in operators)
    ranks = zip_longest(*wanted)
    return [case for case in chain.from_iterable(ranks) if case is not None]

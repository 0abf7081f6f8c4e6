# SPDX-License-Identifier: Apache-2.0
"""Several calls timed against each other, in rounds.

Note [Rounds]
The clock and the memory of a shared machine change speed within seconds, so times taken one after
the other say little. Every round times all contenders, in an order that rotates, and only
quotients within a round are compared. A turn begins with a pause, in which threads that spin
after somebody else's call fall asleep, and with a call that is not timed, which wakes its own. Of
several timings in a turn the median counts: another process that takes a core for a moment can
make one call a thousand times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from statistics import median
from time import perf_counter, sleep
from typing import TypeAlias

from aclhost.bench.workload import Call

Times: TypeAlias = dict[str, list[float]]

_PAUSE = 0.008  # meant to outlast threads that spin; an estimate
_BATCH = 0.0002  # calls shorter than this are timed together
_TIMINGS = 5  # in a turn
_LONG = 0.005  # calls longer than this are timed once, and need not be woken up for
_MOST_ROUNDS = 40


def take_turns(contenders: Mapping[str, Call], seconds: float, fewest: int) -> Times:
    """Seconds per call of each contender, one number for each round."""
    names = list(contenders)
    usual = {name: _usual_time(call) for name, call in contenders.items()}
    times: Times = {name: [] for name in names}
    end = perf_counter() + seconds
    for number in range(_MOST_ROUNDS):
        if number >= fewest and perf_counter() >= end:
            break
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            times[name].append(_turn(contenders[name], usual[name]))
    return times


def quotient(times: Times, numerator: str, denominator: str) -> float | None:
    """The median over rounds of how much longer one took than the other."""
    if not times.get(numerator):
        return None
    pairs = zip(times[numerator], times[denominator], strict=True)
    return median(above / below for above, below in pairs)


def time_once(call: Call, count: int = 1) -> float:
    """Seconds per call."""
    start = perf_counter()
    for _ in repeat(None, count):
        call()
    return (perf_counter() - start) / count


def _usual_time(call: Call) -> float:
    call()
    return min(time_once(call) for _ in range(_TIMINGS))


def _turn(call: Call, usual: float) -> float:
    sleep(_PAUSE)
    if usual > _LONG:
        return time_once(call)
    call()
    batch = max(1, round(_BATCH / usual))
    return median(time_once(call, batch) for _ in range(_TIMINGS))

# SPDX-License-Identifier: Apache-2.0
"""Several calls timed against each other, in rounds.

Note [Rounds]
The clock and the memory of a shared machine change speed within seconds, so times taken one after
the other say little. Every round times all contenders, and only quotients within a round are
compared. Rounds run forwards and backwards in turn, so the last contender of one is the first of
the next: it follows itself, as those between never do. The warming up of a turn is to make them
equal.

What others did is told from a second of several cases (aclhost.bench.runner.Lot). Short ones have
all of their rounds within a few hundredths of it, so a burst that is too short to count can cover
all of them: their ratios agree, and may be too good.

Note [Turns]
After a contender whose threads go on to spin, the next turn of another begins with a pause, in
which they fall asleep. Libgomp's, which torch uses, spin for 10 ms and more, and on few cores they
would take the next contender's processor. Calls on one thread leave none: whether a contender's do
is looked at first, and a pause follows that, too. As its turns in two rounds are neighbours, one
pause serves both.

A turn begins with a call that is not timed, as waking threads can take milliseconds (measured apart
in benchmarks/cold.py), and goes on with calls that warm up, fewer of long ones. Of several timings
the median counts: another process that takes a core for a moment can make one call a thousand times
as long. Cases of short calls get less time, not fewer rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from statistics import median
from time import perf_counter, process_time, sleep
from typing import TypeAlias

from aclhost.bench.c_door import CCall
from aclhost.bench.workload import Call

Times: TypeAlias = dict[str, list[float]]

USUAL_PAUSE = 0.015  # for libgomp's threads on the machine where this was written
_SHORT_PAUSE = 0.0005  # for those of the operators, which sleep sooner
_BATCH = 0.0001  # calls shorter than this are timed together
_TIMINGS = 5  # in a turn
_WARMING_CALLS = 5  # before the timed ones, unless they are very short
_SHORTEST_WARM_UP = 0.0003
_ENOUGH_CALLS = 100  # fill the time of a case, of whatever length they are
_ON_ONE_THREAD = 5e-6  # calls shorter than this are
_LONG = 0.005  # calls longer than this are timed once
_VERY_LONG = 0.1  # in calls longer than this waking threads does not show
_MOST_ROUNDS = 40
_FEWEST_ROUNDS = 3  # of calls so long that others would wait too long
_PATIENCE = 5  # times the seconds of a case

_LONGEST_SPIN = 0.1
_LOOK = 0.001  # long enough to see whether threads spin
_PAUSES = (0.002, 0.13)  # the shortest and the longest that make sense
_MARGIN = 1.3


@dataclass(frozen=True)
class Pace:
    """How long to measure: at most seconds for a case, but at least so many rounds.

    `pause` follows a contender whose threads spin, `warm_up` is what calls before the timed ones
    take at most.
    """

    seconds: float
    fewest: int
    pause: float = USUAL_PAUSE
    warm_up: float = 0.008


def pause_after(call: Call, workers: int) -> float:
    """How long to wait until the threads that served a call sleep: the time they spin, and more."""
    spins = []
    for _ in range(_TIMINGS):
        call()
        before = process_time()
        sleep(_LONGEST_SPIN)
        spins.append((process_time() - before) / max(workers, 1))
    shortest, longest = _PAUSES
    return min(max(_MARGIN * median(spins), shortest), longest)


def spins(call: Call) -> bool:
    """Whether threads use a processor after a call, while this one sleeps."""
    call()
    before = process_time()
    sleep(_LOOK)
    return process_time() - before > _LOOK / 4


def take_turns(contenders: Mapping[str, Call], pace: Pace, spinning: tuple[str, ...] = ()) -> Times:
    """Seconds per call of each contender, one number for each round.

    There are at least so many rounds, unless they take several times the seconds. The names of
    those whose threads may spin after a call are given.
    """
    usual = {name: usual_time(call) for name, call in contenders.items()}
    loud = [
        name
        for name in spinning
        if name in contenders and (usual[name] > _LONG or spins(contenders[name]))
    ]
    seconds = min(pace.seconds, _ENOUGH_CALLS * max(usual.values()))
    times: Times = {name: [] for name in contenders}
    order, last = list(contenders), ""
    if loud:
        sleep(pace.pause)
    start = perf_counter()
    for number in range(_MOST_ROUNDS):
        taken = perf_counter() - start
        if (number >= pace.fewest and taken >= seconds) or (
            number >= _FEWEST_ROUNDS and taken >= _PATIENCE * pace.seconds
        ):
            break
        for name in order:
            if last in loud and name != last:
                sleep(pace.pause)
            elif usual.get(last, 0.0) > _ON_ONE_THREAD:
                sleep(_SHORT_PAUSE)
            times[name].append(turn(contenders[name], usual[name], pace.warm_up))
            last = name
        order.reverse()
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
    if isinstance(call, CCall):
        call.repeated(count)
    else:
        for _ in repeat(None, count):
            call()
    return (perf_counter() - start) / count


def usual_time(call: Call) -> float:
    """About what a call takes, to plan by. A long one is believed at once."""
    call()
    first = time_once(call)
    if first > _LONG:
        return first
    return min(first, *(time_once(call) for _ in range(_TIMINGS)))


def turn(call: Call, usual: float, warm_up: float) -> float:
    """Seconds per call; see Note [Turns]."""
    if usual <= _VERY_LONG:
        _warm_up(call, usual, warm_up)
    if usual > _LONG:
        return time_once(call)
    batch = max(1, round(_BATCH / usual))
    return median(time_once(call, batch) for _ in range(_TIMINGS))


def _warm_up(call: Call, usual: float, longest: float) -> None:
    call()  # may have threads to wake, which says nothing about those that follow
    seconds = min(longest, max(_SHORTEST_WARM_UP, _WARMING_CALLS * usual))
    end = perf_counter() + seconds - usual
    while perf_counter() < end:
        call()

# SPDX-License-Identifier: Apache-2.0
"""Who is called when, and what becomes of the times. The clock is ours."""

from __future__ import annotations

import pytest

from aclhost.bench import rounds


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when somebody sleeps or works."""

    class Clock:
        now = 0.0
        processor = 0.0
        spinning = 0.0  # how long threads run on after a call

        def work(self, seconds):
            self.now += seconds
            self.processor += seconds
            self.busy_until = self.now + self.spinning

        def sleep(self, seconds):
            self.processor += min(max(self.busy_until - self.now, 0.0), seconds)
            self.now += seconds

        busy_until = 0.0

    clock = Clock()
    monkeypatch.setattr(rounds, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(rounds, "process_time", lambda: clock.processor)
    monkeypatch.setattr(rounds, "sleep", clock.sleep)
    return clock


def recorded(clock, calls, name, seconds):
    def call():
        calls.append((name, clock.now))
        clock.work(seconds)

    return call


def test_rounds_run_forwards_and_backwards(clock):
    calls = []
    contenders = {name: recorded(clock, calls, name, 1.0) for name in "abc"}
    times = rounds.take_turns(contenders, rounds.Pace(1e-9, 3))
    planning = 2 * len(contenders)
    assert "".join(name for name, _ in calls[planning:]) == "abccbaabc"
    assert times == {name: pytest.approx([1.0] * 3) for name in "abc"}


@pytest.mark.parametrize(("longest", "untimed"), [(0.1, rounds._WARMING_CALLS), (0.003, 3)])
def test_a_turn_warms_up_before_it_times(clock, longest, untimed):
    calls = []
    call = recorded(clock, calls, "a", 0.001)
    assert rounds.turn(call, 0.001, warm_up=longest) == pytest.approx(0.001)
    assert len(calls) - rounds._TIMINGS == pytest.approx(untimed, abs=1)


def waits(clock, monkeypatch, seconds, spinning):
    """Before the turns of two rounds a b c, c b a; what they call takes so long."""
    found, sleep = [], clock.sleep
    monkeypatch.setattr(rounds, "sleep", lambda time: (found.append(time), sleep(time)))

    def spin(seconds):
        clock.spinning = spinning
        clock.work(seconds)
        clock.spinning = 0.0

    contenders = {name: recorded(clock, [], name, seconds) for name in "ab"}
    contenders["c"] = lambda: spin(seconds)
    rounds.take_turns(contenders, rounds.Pace(1e-9, 2, pause=0.5), spinning=("c", "absent"))
    return [wait for wait in found if wait != rounds._LOOK]


def test_who_comes_after_spinning_threads_waits(clock, monkeypatch):
    """Once for two rounds, as turns of the spinning one are neighbours, and who comes first."""
    short = rounds._SHORT_PAUSE
    for seconds in (1e-4, 1.0):
        found = waits(clock, monkeypatch, seconds, spinning=0.3)
        assert found == [0.5, short, short, short, 0.5, short]


def test_nobody_waits_where_no_threads_spin(clock, monkeypatch):
    assert waits(clock, monkeypatch, 1e-4, spinning=0.0) == [rounds._SHORT_PAUSE] * 5
    assert waits(clock, monkeypatch, 1e-6, spinning=0.0) == []


def test_short_calls_are_timed_together_and_warm_up_less(clock):
    calls = []
    call = recorded(clock, calls, "a", 1e-5)
    assert rounds.turn(call, 1e-5, warm_up=0.008) == pytest.approx(1e-5)
    timed = rounds._TIMINGS * round(rounds._BATCH / 1e-5)
    assert len(calls) - timed == pytest.approx(rounds._SHORTEST_WARM_UP / 1e-5, abs=1)


def test_the_call_that_wakes_threads_is_not_all_of_the_warming_up(clock):
    """However long it takes, calls follow that are not timed."""
    lengths = [0.020, *[1e-4] * 1000]
    calls = iter(lengths)
    assert rounds.turn(lambda: clock.work(next(calls)), 1e-4, warm_up=0.008) == pytest.approx(1e-4)
    made = len(lengths) - len(list(calls))
    assert made - rounds._TIMINGS == pytest.approx(rounds._WARMING_CALLS, abs=1)


def test_short_calls_get_less_time(clock):
    def taken(seconds):
        start = clock.now
        rounds.take_turns({"a": lambda: clock.work(seconds)}, rounds.Pace(0.4, 2))
        return clock.now - start

    assert taken(1e-5) < 0.01
    assert 0.4 < taken(0.01) < 0.5


def test_very_long_calls_are_made_once_a_turn(clock):
    calls = []
    rounds.turn(recorded(clock, calls, "a", 2.0), 2.0, warm_up=0.008)
    assert len(calls) == 1


def test_rounds_are_as_many_as_asked_for_unless_they_take_too_long(clock):
    def count(seconds, fewest):
        call = recorded(clock, [], "a", 1.0)
        return len(rounds.take_turns({"a": call}, rounds.Pace(seconds, fewest))["a"])

    assert count(seconds=3.0, fewest=7) == 7
    assert count(seconds=12.0, fewest=7) == 12
    assert count(seconds=0.1, fewest=7) == rounds._FEWEST_ROUNDS
    assert count(seconds=1000.0, fewest=7) == rounds._MOST_ROUNDS


@pytest.mark.parametrize(("spinning", "workers"), [(0.010, 1), (0.030, 3)])
def test_pause_outlasts_spinning_threads(clock, spinning, workers):
    """The processor's time is that of all of them."""
    clock.spinning = spinning
    pause = rounds.pause_after(lambda: clock.work(0.001), workers)
    assert pause == pytest.approx(0.010 * rounds._MARGIN)


@pytest.mark.parametrize(("spinning", "end"), [(0.0, 0), (10.0, 1)])
def test_pause_has_limits(clock, spinning, end):
    clock.spinning = spinning
    assert rounds.pause_after(lambda: clock.work(0.001), 1) == rounds._PAUSES[end]


def test_quotients_are_paired():
    times = {"ours": [1.0, 10.0, 1.0], "torch": [2.0, 20.0, 9.0]}
    assert rounds.quotient(times, "torch", "ours") == 2.0
    assert rounds.quotient(times, "absent", "ours") is None

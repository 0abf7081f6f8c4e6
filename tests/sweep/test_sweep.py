# SPDX-License-Identifier: Apache-2.0
"""Special values and a few thousand floats of the sweep."""

from __future__ import annotations

import platform
from concurrent.futures import ThreadPoolExecutor

import pytest

from aclhost.spec.measured_ulps import MAX_ULPS, STEPS
from sweep.program import Program, isas

STEP = 99_991  # prime: all exponents and many significands
BOUND = 2.0
SCALAR = {"digamma", "fmod", "remainder"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda isa: Program.build(isa, folder), isas()))


def test_errors_and_bits(programs):
    """One test for all functions: the programs are compiled once."""
    failures = []
    for name in programs[-1].names():
        results = {program.isa: program.errors(name, STEP) for program in programs}
        most = max(result.ulps for result in results.values())
        bound = min(BOUND, MAX_ULPS[name]) if STEPS[name] == 1 else BOUND
        if not most <= bound:
            failures.append(f"{name}: {most} ulp, more than {bound}: {results}")
        if len({result.checksum for result in results.values()}) != 1:
            failures.append(f"{name}: other bits with other instruction sets: {results}")
    assert not failures


def test_all_functions_are_stored(programs):
    assert set(MAX_ULPS) == set(STEPS) == set(programs[-1].names())
    assert max(MAX_ULPS.values()) <= BOUND


def test_loops_vectorise(programs):
    """A call or a branch in a function is enough to prevent it."""
    for program in programs:
        if program.isa == "baseline" and platform.machine() == "x86_64":
            continue  # it multiplies and adds in calls
        assert set(program.names()) - program.vectorised == SCALAR, program.isa

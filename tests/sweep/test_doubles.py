# SPDX-License-Identifier: Apache-2.0
"""Special values and some thousand pseudo-random numbers through the functions of double."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sweep.program import compiled, isas, vectorised

COUNT = 4000
LISTING = Path(__file__).with_name("doubles.cpp")
# In ulp; what four million numbers each had at most, rounded up.
BOUNDS = {
    "acos": 1.3, "acosh": 2.0, "asin": 1.8, "asinh": 1.8, "atan": 0.9, "atan2": 1.6, "atanh": 1.9,
    "cos_near": 0.9, "cosh": 1.5, "erf": 1.6, "erfc": 1.7, "exp": 1.1, "exp2": 1.4, "expm1": 1.7,
    "fmod_near": 0.0, "hypot": 0.9, "log": 1.0, "log10": 1.0, "log1p": 1.5, "log1p_exp": 1.9,
    "log2": 1.0, "pow": 1.8, "sigmoid": 1.8, "sin_near": 0.9, "sinc": 1.9, "sinh": 1.5,
    "tan_near": 1.5,
}  # fmt: skip


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubles")
    with ThreadPoolExecutor(2) as pool:
        built = pool.map(lambda isa: compiled(LISTING.name, isa, folder), isas())
        return dict(zip(isas(), built, strict=True))


def results_of(program):
    done = subprocess.run([program, str(COUNT)], check=True, text=True, capture_output=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {name: (float(ulps), places) for name, ulps, *places in rows}


def test_errors_and_bits(programs):
    results = {isa: results_of(path) for isa, (path, _) in programs.items()}
    first = next(iter(results.values()))
    assert set(first) == set(BOUNDS)
    assert all(each == first for each in results.values())
    failures = {name: row for name, row in first.items() if not row[0] <= BOUNDS[name]}
    assert not failures


def test_loops_vectorise(programs):
    for isa, (_, report) in programs.items():
        if isa != "baseline":  # which cannot choose between whole numbers
            assert vectorised(report, LISTING) == set(BOUNDS), isa

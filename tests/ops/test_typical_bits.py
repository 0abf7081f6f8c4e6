# SPDX-License-Identifier: Apache-2.0
"""Typical calls give the same bits on any number of threads and with any instruction set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = str(Path(__file__).parents[1])


def checksums(threads: str, isa: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "support.typical_bits"],
        env={
            **os.environ,
            "PYTHONPATH": TESTS,
            "ACLHOST_NUM_THREADS": threads,
            "ACLHOST_ISA": isa,
        },
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    return checksums("1", "avx512")


@pytest.mark.parametrize(
    ("threads", "isa"), [("2", "avx512"), ("3", "avx2"), ("8", "avx512"), ("1", "baseline")]
)
def test_same_bits(reference: dict[str, str], threads: str, isa: str) -> None:
    assert checksums(threads, isa) == reference

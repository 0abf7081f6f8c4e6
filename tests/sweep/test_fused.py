# SPDX-License-Identifier: Apache-2.0
"""Fused multiplications, with an instruction and without."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor

from sweep.program import compiled, isas


def test_they_are_those_of_the_c_library(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        programs = pool.map(lambda isa: compiled("fused.cpp", isa, tmp_path)[0], isas())
        for program in programs:
            done = subprocess.run([program, "300000"], check=True, text=True, capture_output=True)
            assert done.stdout.split() == ["0", "0"], program

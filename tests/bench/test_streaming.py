# SPDX-License-Identifier: Apache-2.0
"""The loop that stands for the memory's limit adds every element, whatever the size."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from aclhost._native import stream_add

from aclhost.bench.probe import streaming

PAST_CACHE = 3_000_001  # elements; 36 MB in three arrays


@pytest.mark.parametrize("length", [0, 1, 15, 64, 1000, 16 * 1024 + 1, 200_003, PAST_CACHE])
@pytest.mark.parametrize("shift", [0, 1, 3])
def test_sums_are_right_and_nothing_else_is_written(length, shift):
    numbers = np.arange(length + shift, dtype=np.float32) % 1000
    a, b = numbers[shift:], numbers[::-1][:length].copy()
    memory = np.full(length + shift + 8, -1, np.float32)
    stream_add(a, b, memory[shift : shift + length])
    assert np.array_equal(memory[shift : shift + length], a + b)
    assert (memory[:shift] == -1).all()
    assert (memory[shift + length :] == -1).all()


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_adds(isa):
    program = (
        "import numpy as np\n"
        "from aclhost._native import stream_add\n"
        f"for n in (1003, {PAST_CACHE}):\n"
        "    a = np.arange(n, dtype=np.float32)\n"
        "    c = np.zeros_like(a)\n"
        "    stream_add(a, a, c)\n"
        "    assert np.array_equal(c, a + a)\n"
    )
    environment = {**os.environ, "ACLHOST_ISA": isa}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_wrong_arrays_are_refused():
    good = np.ones(8, np.float32)
    for bad in (np.ones(8), np.ones((2, 4), np.float32), np.ones(16, np.float32)[::2]):
        with pytest.raises(ValueError, match="b must be a contiguous line of float32"):
            stream_add(good, bad, good)
    with pytest.raises(ValueError, match="equally long"):
        stream_add(good, good, np.ones(9, np.float32))


def test_the_probe_moves_as_many_bytes():
    for moved in (1, 12, 12 * 1001 + 5):
        call = streaming(moved)
        assert sum(array.nbytes for array in call.args) == max(moved // 12, 1) * 12
        call()
        assert (call.args[2] == 2).all()

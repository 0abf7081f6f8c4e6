# SPDX-License-Identifier: Apache-2.0
"""What the library asks the processor and the system, with an answer of our own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASELINE, AVX2, AVX512 = range(3)
_AVX2 = "+avx2+fma+f16c"
_AVX512 = "+avx512f+avx512bw+avx512dq+avx512vl"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("machine") / "machine"
    source = Path(__file__).with_name("machine.cpp")
    subprocess.run(
        ["g++", "-std=c++17", f"-I{ROOT / 'native'}", str(source), "-o", str(path)], check=True
    )
    return path


def ask(program: Path, features: str) -> list[int]:
    environment = {name: value for name, value in os.environ.items() if name != "ACLHOST_ISA"}
    done = subprocess.run(
        [program, f"{features}+"], capture_output=True, text=True, check=True, env=environment
    )
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize(
    ("features", "isa"),
    [
        ("", BASELINE), (_AVX2, AVX2), (_AVX2 + _AVX512, AVX512), (_AVX512, BASELINE),
        ("+avx2+fma", BASELINE), ("+avx2+f16c", BASELINE), ("+avx2+fma" + _AVX512, BASELINE),
        (_AVX2 + "+avx512f+avx512bw+avx512dq", AVX2),
    ],
)  # fmt: skip
def test_code_is_chosen_only_for_all_that_it_uses(program: Path, features: str, isa: int) -> None:
    assert ask(program, features)[0] == isa


def test_the_size_of_the_cache_is_the_system_s(program: Path) -> None:
    told = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
    if not told.exists():
        pytest.skip("the kernel does not tell")
    assert ask(program, "")[1] == int(told.read_text().strip().rstrip("K")) * 1024 * 3 // 4

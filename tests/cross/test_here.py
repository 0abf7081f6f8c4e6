# SPDX-License-Identifier: Apache-2.0
"""The program for other processors knows every operator: here, all samples run.

Other tests look at their values; this one at the memory around them.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

from support.programs import clean_environment, run

from aclhost import ops
from aclhost.gen import call_table
from cross import calls, exchange

RUNNER = Path(__file__).parent / "runner.cpp"
ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"


def test_samples_and_sized_calls(tmp_path: Path) -> None:
    (tmp_path / "operators.h").write_text(call_table.header())
    program = tmp_path / "runner"
    flags = run([ACLHOST, "config", "--cflags", "--libs"]).stdout.split()
    run(["g++", RUNNER, "-o", program, "-std=c++17", f"-I{tmp_path}", *flags, "-pthread"])

    def execute(given: Path, results: Path, soc: str) -> None:
        run([program, given, results], env=clean_environment(ACLHOST_SOC=soc))

    cases = exchange.judged(calls.all_cases(0, 0), tmp_path, execute, lambda *_: None)
    assert {case.op.name for case in cases} == {op.name for op in ops.ALL}

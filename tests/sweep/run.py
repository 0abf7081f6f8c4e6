# SPDX-License-Identifier: Apache-2.0
"""The largest errors of the mathematical functions over all floats; `make sweep`.

python tests/sweep/run.py --store            every float: an hour on two idle cores
python tests/sweep/run.py --step 997         every 997th
python tests/sweep/run.py --function exp     one function; the option may be repeated
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from sweep import store  # noqa: E402
from sweep.program import Program, Result, isas  # noqa: E402

# Pairs of floats cannot be exhausted, and the other instruction sets only have to agree.
COARSER = 16


@dataclass(frozen=True)
class Sweep:
    """Programs, the widest instruction set last, and how many floats they skip."""

    programs: list[Program]
    step: int

    def measure(self, name: str, arity: str) -> tuple[Result, int]:
        """The result, and every how many-th float it is of.

        Raises:
            SystemExit: another instruction set gives other bits.

        """
        coarse = self.step * COARSER
        step = self.step if arity == "unary" else coarse
        result = self.programs[-1].errors(name, step)
        checksums = {program.isa: program.checksum(name, coarse) for program in self.programs}
        if len(set(checksums.values())) != 1:
            raise SystemExit(f"{name}: other bits with other instruction sets: {checksums}")
        return result, step


def main() -> None:
    """Builds, runs, prints and perhaps stores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--function", action="append")
    parser.add_argument("--store", action="store_true", help=f"in {store.PATH.relative_to(ROOT)}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        programs = list(pool.map(lambda isa: Program.build(isa, Path(folder)), isas()))
        sweep = Sweep(programs, arguments.step)
        arities = programs[-1].names()
        names = arguments.function or list(arities)
        running = {pool.submit(sweep.measure, name, arities[name]): name for name in names}
        for done in as_completed(running):
            result, step = done.result()
            name = running[done]
            print(f"{name:10} {result.ulps:8.4f} ulp at {' '.join(result.worst)}", flush=True)
            if arguments.store:
                store.add(name, result.ulps, step, [program.isa for program in programs])


if __name__ == "__main__":
    main()

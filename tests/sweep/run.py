# SPDX-License-Identifier: Apache-2.0
"""The largest errors of the mathematical functions over all floats; `make sweep`.

python tests/sweep/run.py                every float: an hour on two cores
python tests/sweep/run.py --step 997     every 997th
python tests/sweep/run.py --store        writes src/aclhost/spec/measured_ulps.py
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from sweep.program import Program, Result, isas  # noqa: E402

STORE = ROOT / "src/aclhost/spec/measured_ulps.py"
# Pairs of floats cannot be exhausted, and the other instruction sets only have to agree.
COARSER = 16

TEXT = '''\
# SPDX-License-Identifier: Apache-2.0
"""The largest errors of the mathematical functions of float, in units of the last place.

Written by `python tests/sweep/run.py --store`.
Functions of one argument: {one}, with instruction set {widest}.
Functions of two: {coarse}, each with a partner.
Checksums of the results of {coarse} are equal with {all}.
"""

MAX_ULPS: dict[str, float] = {{
{rows}
}}
'''


def every(step: int) -> str:
    """In words."""
    return "every float" if step == 1 else f"every {step}th float"


def measure(programs: list[Program], name: str, arity: str, step: int) -> Result:
    """With the widest instruction set; ends this program if another gives other bits."""
    coarse = step * COARSER
    result = programs[-1].errors(name, step if arity == "unary" else coarse)
    checksums = {program.isa: program.checksum(name, coarse) for program in programs}
    if len(set(checksums.values())) != 1:
        raise SystemExit(f"{name}: other bits with other instruction sets: {checksums}")
    return result


def store(ulps: dict[str, float], step: int, programs: list[Program]) -> None:
    """Writes the module."""
    text = TEXT.format(
        one=every(step),
        widest=programs[-1].isa,
        coarse=every(step * COARSER),
        all=", ".join(program.isa for program in programs),
        rows="\n".join(f'    "{name}": {ulps[name]},' for name in sorted(ulps)),
    )
    STORE.write_text(text)


def main() -> None:
    """Builds, runs, prints and perhaps stores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        programs = list(pool.map(lambda isa: Program.build(isa, Path(folder)), isas()))
        arities = programs[-1].names()
        results = pool.map(
            lambda name: measure(programs, name, arities[name], arguments.step), arities
        )
        ulps: dict[str, float] = {}
        for name, result in zip(arities, results, strict=True):
            print(f"{name:10} {result.ulps:8.4f} ulp at {' '.join(result.worst)}", flush=True)
            ulps[name] = result.ulps
    if arguments.store:
        store(ulps, arguments.step, programs)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""make hostile: random calls from 1 and 8 threads. A seed gives each thread its calls again."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from hostile.campaign import SCHEDULES, compiled, hostile_calls


def main() -> None:
    """Prints how many calls there were; the first process that fails ends the run."""
    parser = argparse.ArgumentParser(prog="make hostile", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="how many to try")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--calls", type=int, default=500_000, help="of each process")
    given = parser.parse_args()
    total = good = 0
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(directory))
        for seed in range(given.first, given.first + given.seeds):
            for schedule in SCHEDULES:
                calls = given.calls // 20 if schedule == "stress" else given.calls  # it sleeps
                for threads in (1, 8):
                    good += hostile_calls(program, seed, threads, calls, schedule)
                    total += calls
            print(f"seed {seed}: {total} calls so far, {good} succeeded, none was answered wrongly")


if __name__ == "__main__":
    main()

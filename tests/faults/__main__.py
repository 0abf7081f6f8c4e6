# SPDX-License-Identifier: Apache-2.0
"""make faults: the walk in the normal and in random schedules; the seeds are the stress seeds."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from faults.walks import KINDS, compiled, walk


def main() -> None:
    """Prints how many failures were borne; the first that was not ends the run."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="random schedules to try")
    seeds = parser.parse_args().seeds
    schedules = [{}, *({"ACLHOST_STRESS": seed} for seed in range(1, seeds + 1))]
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(directory))
        for schedule in schedules:
            for kind in KINDS:
                name = " ".join(f"{k}={v}" for k, v in schedule.items()) or "normal"
                print(f"{name}: {kind}: {walk(program, kind, **schedule)} failures, none wrong")


if __name__ == "__main__":
    main()

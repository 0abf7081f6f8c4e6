# SPDX-License-Identifier: Apache-2.0
"""Builds the library for aarch64 and runs programs with it in an emulator; `make cross-aarch64`.

Client programs and examples must print what they print at home. Then every operator is called, by
one program that reads calls from a file, and its results are compared with the goldens here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from aclhost import ops  # noqa: E402
from aclhost.campaign.check import MismatchError  # noqa: E402
from aclhost.gen import call_table  # noqa: E402
from cross import calls, exchange  # noqa: E402

MACHINE = "aarch64"
COMPILER = f"{MACHINE}-linux-gnu-"
EMULATOR = ("qemu-" + MACHINE, "-L", f"/usr/{MACHINE}-linux-gnu")
PACKAGES = "g++-aarch64-linux-gnu qemu-user"
TREE = ROOT / "build" / f"cross-{MACHINE}"
LIBRARY = TREE / "toolkit/lib64"
CLIENTS = ("many_threads", "callbacks", "repeatable", "deleters", "careless", "dlopen_only")
EXAMPLES = tuple(path.stem for path in sorted((ROOT / "examples").glob("*.cpp")))
MODES: dict[str, dict[str, str]] = {
    "normal": {},
    "blocking": {"ACLHOST_LAUNCH_BLOCKING": "1"},
    "stress": {"ACLHOST_STRESS": "1"},
    "strict": {"ACLHOST_STRICT": "1"},
}
# Strict mode maps the pages of pinned memory twice, which the emulator cannot do.
NOT_EMULATED = {("callbacks", "strict")}


def run(command: list[object], **environment: str) -> str:
    """What a command prints; ends this program where it fails."""
    words = list(map(str, command))
    done = subprocess.run(
        words, check=False, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{' '.join(words)}: status {done.returncode}")
    return done.stdout


def emulate(program: Path, *arguments: object, **environment: str) -> str:
    """What a program prints on the other machine."""
    return run([*EMULATOR, program, *arguments], LD_LIBRARY_PATH=str(LIBRARY), **environment)


def build() -> None:
    """The library and its filters."""
    options = [
        "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={MACHINE}",
        f"-DCMAKE_C_COMPILER={COMPILER}gcc",
        f"-DCMAKE_CXX_COMPILER={COMPILER}g++",
        "-DACLHOST_PYTHON_MODULE=OFF",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    run(["cmake", "-S", ROOT, "-B", TREE, "-G", "Ninja", *options])
    run(["cmake", "--build", TREE])


def compile_program(source: Path, *flags: object) -> Path:
    """A program that links the public libraries."""
    program = TREE / source.stem
    paths = [f"-I{TREE / 'gen/include'}", f"-L{LIBRARY}"]
    libraries = ["-lopapi", "-lnnopbase", "-lascendcl", "-ldl", "-pthread"]
    run([f"{COMPILER}g++", source, "-o", program, "-std=c++17", "-O1", *paths, *flags, *libraries])
    return program


def run_clients() -> None:
    """Client programs say ok, in every mode."""
    for name in CLIENTS:
        program = compile_program(ROOT / "tests/clients" / f"{name}.cpp")
        modes = {mode: MODES[mode] for mode in MODES if (name, mode) not in NOT_EMULATED}
        for mode, variables in modes.items():
            printed = emulate(program, **variables)
            if printed != "ok\n":
                sys.exit(f"{name}, {mode}: {printed}")
        print(f"{name}: {', '.join(modes)}", flush=True)


def run_examples() -> None:
    """Examples print what their Python twins print here."""
    for name in EXAMPLES:
        printed = emulate(compile_program(ROOT / "examples" / f"{name}.cpp"))
        wanted = run([sys.executable, ROOT / "examples" / f"{name}.py"])
        if printed != wanted or not printed:
            sys.exit(f"{name}: {printed}; here: {wanted}")
        print(f"{name}: as here", flush=True)


def run_operators(count: int, seed: int) -> None:
    """Every operator gives what its golden gives."""
    (TREE / "operators.h").write_text(call_table.header())
    program = compile_program(ROOT / "tests/cross/runner.cpp", f"-I{TREE}")
    checked: Counter[str] = Counter()
    for case in exchange.judged(
        calls.all_cases(count, seed),
        TREE,
        lambda given, results, soc: emulate(
            program, given, results, ACLHOST_SOC=soc, ACLHOST_NUM_THREADS="3"
        ),
    ):
        checked[case.op.name] += 1
    for op in ops.ALL:
        print(f"{op.name}: {checked[op.name]} calls", flush=True)


def main() -> None:
    """Builds and runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=200, help="random ones of each operator")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    missing = [name for name in (f"{COMPILER}g++", EMULATOR[0]) if shutil.which(name) is None]
    if missing:
        sys.exit(f"{' and '.join(missing)} not found: apt-get install {PACKAGES}")
    build()
    run_clients()
    run_examples()
    try:
        run_operators(arguments.calls, arguments.seed)
    except MismatchError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

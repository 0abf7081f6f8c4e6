# SPDX-License-Identifier: Apache-2.0
"""Builds the library and the client programs with a sanitizer and runs them; `make sanitize`.

python tests/sanitize/run.py thread          one sanitizer
python tests/sanitize/run.py address --slice  only what fits into CI
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLAGS = {"address": "address,undefined", "thread": "thread"}
PROGRAMS = (
    "many_threads",
    "callbacks",
    "models",
    "task_queue",
    "repeatable",
    "deleters",
    "careless",
    "dlopen_only",
)
SLICE = ("many_threads", "callbacks")
MODES: dict[str, dict[str, str]] = {
    "normal": {},
    "blocking": {"ACLHOST_LAUNCH_BLOCKING": "1"},
    "stress": {"ACLHOST_STRESS": "1"},
    "trace": {"ACLHOST_TRACE": "/dev/null"},
    "strict": {"ACLHOST_STRICT": "1"},
}
# The thread sanitizer claims the addresses at which strict mode hides device memory.
IMPOSSIBLE = {"address": (), "thread": ("strict",)}
# Any report has to end the program; uninstrumented Python or system libraries are not involved.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def run(command: list[object], **environment: str) -> None:
    """Runs a command; ends this program where it fails."""
    done = subprocess.run(list(map(str, command)), check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}")


def build(sanitizer: str) -> Path:
    """The build tree of the library without the Python module."""
    tree = ROOT / "build" / f"sanitize-{sanitizer}"
    options = [f"-DACLHOST_SANITIZE={FLAGS[sanitizer]}", f"-DPython_EXECUTABLE={sys.executable}"]
    options += ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DACLHOST_PYTHON_MODULE=OFF"]
    if sanitizer == "thread":
        options += ["-DACLHOST_BASELINE_ONLY=ON"]
    run(["cmake", "-S", ROOT, "-B", tree, *options])
    run(["cmake", "--build", tree])
    return tree


def compile_program(sanitizer: str, tree: Path, name: str) -> Path:
    """One client program, instrumented."""
    library = tree / "toolkit/lib64"
    include = tree / "gen/include"
    program = tree / name
    flags = ["-std=c++17", "-g", "-O1", f"-fsanitize={FLAGS[sanitizer]}", "-pthread"]
    paths = [f"-I{include}", f"-L{library}", f"-Wl,-rpath,{library}"]
    libraries = ["-ldl"] if name == "dlopen_only" else ["-lopapi_nn", "-lnnopbase", "-lascendcl"]
    source = ROOT / "tests/clients" / f"{name}.cpp"
    run(["g++", source, "-o", program, *flags, *paths, *libraries])
    return program


def main() -> None:
    """Builds and runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sanitizer", choices=FLAGS)
    parser.add_argument("--slice", action="store_true")
    arguments = parser.parse_args()
    tree = build(arguments.sanitizer)
    modes = {name: MODES[name] for name in MODES if name not in IMPOSSIBLE[arguments.sanitizer]}
    for name in SLICE if arguments.slice else PROGRAMS:
        program = compile_program(arguments.sanitizer, tree, name)
        for mode, variables in modes.items():
            print(f"{arguments.sanitizer}: {name}, {mode}", flush=True)
            # Fixed addresses: the thread sanitizer knows only some layouts of the address space.
            command = ["setarch", "--addr-no-randomize", program]
            paths = {"LD_LIBRARY_PATH": str(tree / "toolkit/lib64")}
            run(command, **OPTIONS, **variables, **paths)


if __name__ == "__main__":
    main()

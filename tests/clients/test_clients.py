# SPDX-License-Identifier: Apache-2.0
"""Programs that do what known clients do, under every schedule and in strict mode."""

import re
import sys
from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost.building import presented, toolkit

HERE = Path(__file__).parent
PROGRAMS = (
    "dlopen_only",
    "repeatable",
    "deleters",
    "careless",
    "many_threads",
    "callbacks",
    "dumping",
    "models",
    "inference",
    "layers",
    "memory_pool",
    "mixed_types",
    "moving",
    "task_queue",
    "workspaces",
    "odd_tensors",
    "static_objects",
)
# What Python modules of frameworks link, needed or not.
HABIT = (
    "ascendcl", "runtime", "nnopbase", "opapi", "acl_op_compiler", "acl_cblas", "hccl",
    "msprofiler",
)  # fmt: skip
COUNTING = "no_allocation"
FURTHER = {"dumping": ("-lascend_dump",)}  # libraries
MODES = {
    "normal": {},
    "blocking": {"ASCEND_LAUNCH_BLOCKING": "1"},
    "stress": {"ACLHOST_STRESS": "3"},
    "strict": {"ACLHOST_STRICT": "1"},
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Each program, compiled once as users would."""
    directory = tmp_path_factory.mktemp("clients")
    flags = ["-std=c++17", "-g", "-Wall", "-Wextra", "-Werror", *toolkit.cflags()]
    for name in (*PROGRAMS, COUNTING):
        further = FURTHER.get(name, ())
        libraries = ["-ldl"] if name == "dlopen_only" else [*toolkit.libs(), *further, "-pthread"]
        run(["g++", HERE / f"{name}.cpp", "-o", directory / name, *flags, *libraries])
    return directory


def environment(mode):
    return toolkit.environment(clean_environment(**MODES[mode]))


def assert_well(done, mode):
    """Nothing but ok; strict mode ends with its count, and says so where nobody finalized."""
    assert done.stdout == "ok\n"
    if mode == "strict":
        assert re.fullmatch(
            r"aclhost strict: 0 findings(; leaks were not checked.*)?\n", done.stderr
        )
    else:
        assert done.stderr == ""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(programs, name, mode):
    assert_well(run([programs / name], env=environment(mode), timeout=120), mode)


@pytest.mark.parametrize("mode", ["normal", "blocking", "stress"])
def test_a_repeated_call_allocates_nothing(programs, mode):
    done = run([programs / COUNTING], env=environment(mode), timeout=120)
    assert (done.stdout, done.stderr) == ("ok\n", "")


@pytest.mark.parametrize("mode", MODES)
def test_ctypes_and_pyacl(mode):
    command = [sys.executable, HERE / "ctypes_client.py", toolkit.prefix() / "lib64/libopapi.so"]
    assert_well(run(command, env=environment(mode), timeout=120), mode)


@pytest.mark.parametrize("mode", MODES)
def test_captured_graphs(mode):
    command = [sys.executable, HERE / "graphs.py", toolkit.library()]
    assert_well(run(command, env=environment(mode), timeout=120), mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("place", [f"cann-{presented.VERSION}", "ascend-toolkit/latest"])
def test_fixed_paths(tmp_path, place, mode):
    presented.make(tmp_path / "Ascend")
    command = [sys.executable, HERE / "fixed_paths.py", tmp_path / "Ascend" / place]
    assert_well(run(command, env=clean_environment(**MODES[mode]), timeout=120), mode)


def test_a_module_that_binds_everything_at_once(tmp_path):
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *toolkit.cflags()]
    directory = toolkit.prefix() / "lib64"
    linked = [f"-L{directory}", "-Wl,-z,now,-z,defs", *(f"-l{name}" for name in HABIT)]
    run(["g++", HERE / "extension.cpp", "-o", tmp_path / "extension.so", *flags, *linked])
    code = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1], mode=2).extension_status())"
    run([sys.executable, "-c", code, tmp_path / "extension.so"], env=environment("normal"))

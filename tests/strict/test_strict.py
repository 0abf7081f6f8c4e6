# SPDX-License-Identifier: Apache-2.0
"""Every kind of mistake is found and placed; correct programs get no finding."""

import re
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost import _toolkit

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"
ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("mistakes.cpp")
STATUS = 66
FINDINGS = {
    "host_pointer": "not device memory",
    "pinned_pointer": "not device memory",
    "byte_too_small": "out of bounds",
    "use_after_free": "use after free",
    "free_too_early": "use after free",
    "double_free": "double free",
    "invalid_free": "invalid free",
    "double_destroy": "double destroy",
    "use_after_destroy": "use after destroy",
    "stale_stream": "use after destroy",
    "second_run": "use after destroy",
    "uninitialised": "uninitialised read",
    "uninitialised_copy": "uninitialised read",
    "no_synchronisation": "missing synchronisation",
    "race": "race",
    "overlap": "overlapping tensors",
    "never_run": "executor never run",
    "leak_tensor": "leak",
    "leak_memory": "leak",
    "leak_event": "leak",
    "leak_stream": "leak",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    target = tmp_path_factory.mktemp("strict") / "mistakes"
    include = f"-I{ROOT / 'tests/clients'}"
    flags = ["-std=c++17", "-g", "-O0", include, *_toolkit.cflags(), *_toolkit.libs()]
    run(["g++", SOURCE, "-o", target, *flags])
    return target


def strict(program, mistake, own_status=0, status=STATUS, **variables):
    environment = clean_environment(ACLHOST_STRICT="1", **variables)
    return run([program, mistake, own_status], status=status, env=environment).stderr


def line_of(function):
    """The lines of mistakes.cpp that belong to a function."""
    lines = SOURCE.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"void {function}()"))
    end = next(i for i in range(begin, len(lines)) if lines[i].endswith("}") and lines[i][0] != " ")
    return range(begin + 1, end + 2)


@pytest.mark.parametrize("mistake", FINDINGS)
def test_mistakes_are_found(program, mistake):
    text = strict(program, mistake)
    titles = re.findall(r"^aclhost strict: ([a-z ]+):", text, re.MULTILINE)
    assert titles == [FINDINGS[mistake]], text
    assert text.endswith("aclhost strict: 1 finding\n")
    places = [int(n) for n in re.findall(rf"\b{mistake} \(mistakes\.cpp:(\d+)\)", text)]
    assert places, text
    assert all(place in line_of(mistake) for place in places)


@pytest.mark.parametrize("mistake", ["none", "halves_on_two_streams"])
@pytest.mark.parametrize("schedule", [{}, {"ACLHOST_STRESS": "1"}])
def test_no_mistake_no_finding(program, mistake, schedule):
    assert strict(program, mistake, status=0, **schedule) == ""


def test_findings_do_not_depend_on_the_schedule(program):
    for mistake in ("no_synchronisation", "race", "free_too_early"):
        usual = strict(program, mistake)
        assert strict(program, mistake, ACLHOST_STRESS="1") == usual


def test_an_exit_status_of_its_own_stays(program):
    strict(program, "double_free", own_status=5, status=5)
    strict(program, "none", own_status=5, status=5)


def test_device_memory_is_out_of_reach(program):
    command = [program, "host_reads_device", "0"]
    usual = clean_environment()
    assert run(command, env=usual).stdout == "-1.000000\n"
    done = subprocess.run(
        command, env={**usual, "ACLHOST_STRICT": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGSEGV
    assert "host access to device memory" in done.stderr
    assert "byte 0 of 16" in done.stderr
    assert re.search(r"used at host_reads_device \(mistakes.cpp:\d+\)", done.stderr)
    assert re.search(r"allocated at device_floats \(client.h:\d+\)", done.stderr)


def test_a_report_says_what_and_where(program):
    text = strict(program, "byte_too_small")
    assert "aclnnElu: self reads 16 bytes at 0x" in text
    assert "1 byte beyond the end of its allocation of 15 bytes" in text
    assert "self FLOAT[4]" in text
    assert re.search(r"allocated at raw \(mistakes.cpp:\d+\), called from byte_too_small", text)


def test_not_strict_says_nothing(program):
    for mistake in set(FINDINGS) - {"use_after_free"}:
        assert run([program, mistake, 0], env=clean_environment()).stderr == ""


EXAMPLES = sorted((ROOT / "examples").glob("*_backward.*"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_clean(example):
    if example.suffix == ".py":
        done = run([sys.executable, example], env=clean_environment(ACLHOST_STRICT="1"))
    else:
        done = run([ACLHOST, "run", "--strict", example])
    assert done.stderr == ""


def test_the_operators_own_tests_are_clean():
    """All declared samples through the C ABI, with strides, offsets and in place."""
    command = [sys.executable, "-m", "pytest", "tests/ops/test_samples.py", "-k", "c_abi"]
    environment = clean_environment(ACLHOST_STRICT="1")
    done = run([*command, "-p", "no:cacheprovider"], cwd=ROOT, env=environment)
    assert "aclhost strict" not in done.stdout + done.stderr

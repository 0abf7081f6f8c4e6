# SPDX-License-Identifier: Apache-2.0
"""What reports say, what they do to the exit status, and that correct programs get none."""

import re
import sys
import sysconfig
from pathlib import Path

import pytest
import strict_corpus as corpus
from support.programs import clean_environment, run

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("strict")


def strict(folder, file, name, own_status=0, status=corpus.FINDINGS_STATUS):
    command = [corpus.built(file, folder), name, own_status]
    return run(command, status=status, env=corpus.environment()).stderr


def test_an_exit_status_of_its_own_stays(folder):
    strict(folder, "mistakes.cpp", "double_free", own_status=5, status=5)
    strict(folder, "correct.cpp", "everyday", own_status=5, status=5)


def test_device_memory_is_out_of_reach(folder):
    program = corpus.built("mistakes.cpp", folder)
    usual = run([program, "host_reads_device", 0], env=clean_environment())
    assert usual.stdout == "-1.000000\n"
    text = strict(folder, "mistakes.cpp", "host_reads_device", status=-11)
    assert "byte 0 of 16" in text
    assert re.search(r"used at host_reads_device \(mistakes.cpp:\d+\)", text)
    assert re.search(r"allocated at device_floats \(client.h:\d+\)", text)


def test_a_report_says_what_and_where(folder):
    text = strict(folder, "mistakes.cpp", "byte_too_small")
    assert "aclnnElu: self reads 16 bytes at 0x" in text
    assert "1 byte beyond the end of its allocation of 15 bytes" in text
    assert "self FLOAT[4]" in text
    assert re.search(r"allocated at raw \(corpus.h:\d+\), called from byte_too_small", text)


def test_a_view_that_starts_early_is_no_memory_of_the_host(folder):
    text = strict(folder, "mistakes_memory.cpp", "view_starts_early")
    assert "4 bytes before the start of its allocation of 16 bytes" in text
    assert "of the host" not in text


def test_a_free_by_the_c_library_is_recognised(folder):
    text = strict(folder, "faults.cpp", "first_allocation_freed_by_the_c_library", status=-11)
    assert "8 bytes before device memory of 16 bytes" in text
    assert "not free or delete" in text


EXAMPLES = sorted((ROOT / "examples").glob("*_backward.*"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_clean(example):
    if example.suffix == ".py":
        done = run([sys.executable, example], env=clean_environment(ACLHOST_STRICT="1"))
    else:
        done = run([ACLHOST, "run", "--strict", example])
    assert done.stderr == "aclhost strict: 0 findings\n"


def test_the_operators_own_tests_are_clean():
    """All declared samples through the C ABI, with strides, offsets and in place."""
    command = [sys.executable, "-m", "pytest", "tests/ops/test_samples.py", "-k", "c_abi"]
    environment = clean_environment(ACLHOST_STRICT="1")
    done = run([*command, "-p", "no:cacheprovider"], cwd=ROOT, env=environment)
    assert done.stderr.startswith("aclhost strict: 0 findings;")

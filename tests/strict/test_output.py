# SPDX-License-Identifier: Apache-2.0
"""A log or a timeline that cannot be written is not silently incomplete."""

import pytest
import strict_corpus as corpus
from support.programs import clean_environment, run

FULL = "/dev/full"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("output")


def command(file, name, folder, status=0):
    return [corpus.built(file, folder), name, status]


def test_a_log_on_a_full_disk(folder):
    environment = corpus.environment(ACLHOST_STRICT_LOG=FULL)
    text = run(command("mistakes.cpp", "double_free", folder), status=66, env=environment).stderr
    assert f"aclhost strict: cannot write {FULL}: No space left on device" in text
    assert corpus.titles(text)[-1] == "double free"


@pytest.mark.parametrize("own_status", [0, 5])
def test_a_log_that_cannot_be_opened(folder, tmp_path, own_status):
    """Even without a finding: nobody could tell from the log."""
    path = tmp_path / "missing" / "log"
    environment = corpus.environment(ACLHOST_STRICT_LOG=str(path))
    program = command("correct.cpp", "everyday", folder, own_status)
    text = run(program, status=own_status or 66, env=environment).stderr
    assert f"cannot write {path}: No such file or directory" in text


def test_a_log_without_findings_is_empty(folder, tmp_path):
    environment = corpus.environment(ACLHOST_STRICT_LOG=str(tmp_path / "log"))
    run(command("correct.cpp", "everyday", folder), env=environment)
    assert (tmp_path / "log").read_text() == ""


def test_a_timeline_on_a_full_disk(folder):
    environment = clean_environment(ACLHOST_TRACE=FULL, ACLHOST_DEVICES="2")
    text = run(command("correct.cpp", "everyday", folder), env=environment).stderr
    assert f"aclhost trace: cannot write {FULL}: No space left on device" in text


def test_a_call_log_on_a_full_disk(folder):
    environment = clean_environment(ACLHOST_CALL_LOG=FULL, ACLHOST_DEVICES="2")
    text = run(command("correct.cpp", "everyday", folder), env=environment).stderr
    assert f"cannot write {FULL}" in text

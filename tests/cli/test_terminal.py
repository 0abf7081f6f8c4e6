# SPDX-License-Identifier: Apache-2.0
"""Tables on a narrow terminal: cells wrap, nothing is cut off."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from support.programs import clean_environment, run

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"

WORDS = [
    ("ops",),
    ("doctor",),
    ("explain", "561103"),
    ("explain", "elu_backward", "gradOutput=bf16[2,3]", "selfOrResult=bf16[2,3]"),
    ("golden", "elu", "--self", "a_rather_long_name.npy", "-o", "a_rather_long_directory"),
    ("compare", "a_rather_long_name.npy", "other.npy"),
    ("compare", "one", "two"),
]


def write_arrays(directory):
    array = np.linspace(-1e-5, 3e4, 10000, dtype=np.float32)
    np.save(directory / "a_rather_long_name.npy", array)
    np.save(directory / "other.npy", -array)
    for side, values in (("one", array), ("two", -array)):
        (directory / side).mkdir()
        np.save(directory / side / "a_rather_long_name.npy", values)


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nothing_is_cut(aclhost_command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    if words[0] in ("golden", "compare"):
        write_arrays(tmp_path)
    refused = words[0] == "compare" or words[1:2] == ("elu_backward",)
    text = aclhost_command(*words, status=int(refused)).stdout
    assert "\u2026" not in text


def test_a_terminal_without_unicode():
    environment = clean_environment(PYTHONIOENCODING="ascii")
    text = run([ACLHOST, "ops", "aclnnElu"], env=environment).stdout
    assert "aclnnElu" in text
    assert text.isascii()


def test_a_reader_that_stops_early():
    done = run(["bash", "-o", "pipefail", "-c", f"{ACLHOST} ops --json | head -1"])
    assert done.stdout == "[\n"
    assert done.stderr == ""

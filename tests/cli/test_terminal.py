# SPDX-License-Identifier: Apache-2.0
"""Tables on a narrow terminal: cells wrap, nothing is cut off."""

import numpy as np
import pytest

from aclhost import ops

WORDS = [
    ("ops",),
    *(("ops", op.name) for op in ops.ALL),
    ("doctor",),
    ("explain", "561103"),
    ("explain", "elu_backward", "gradOutput=bf16[2,3]", "selfOrResult=bf16[2,3]"),
    ("golden", "elu", "--self", "a_rather_long_name.npy", "-o", "a_rather_long_directory"),
    ("compare", "a_rather_long_name.npy", "other.npy"),
    ("compare", "one", "two"),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nothing_is_cut(aclhost_command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    array = np.linspace(-1e-5, 3e4, 10000, dtype=np.float32)
    np.save("a_rather_long_name.npy", array)
    np.save("other.npy", -array)
    for side, values in (("one", array), ("two", -array)):
        (tmp_path / side).mkdir()
        np.save(f"{side}/a_rather_long_name.npy", values)
    refused = words[0] == "compare" or words[1:2] == ("elu_backward",)
    text = aclhost_command(*words, status=int(refused)).stdout
    assert "\u2026" not in text

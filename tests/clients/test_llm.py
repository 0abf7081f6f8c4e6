# SPDX-License-Identifier: Apache-2.0
"""The example of a language model agrees with NumPy, and strict mode has nothing to say."""

import re
import sys
from pathlib import Path

import pytest
from support.programs import clean_environment, run

LLM = Path(__file__).parents[2] / "examples/llm"


@pytest.mark.parametrize("options", [[], ["--strict"]], ids=["usual", "strict"])
def test_tokens_are_those_of_numpy(options):
    environment = clean_environment()
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = run([sys.executable, LLM / "check.py", *options], env=environment, timeout=300)
    ours, theirs = re.findall(r"\[(.*)\]", done.stdout)
    assert ours == theirs
    assert len(set(ours.split(", "))) > 3, "a model that repeats itself shows little"
    assert done.stderr == ("aclhost strict: 0 findings\n" if options else "")

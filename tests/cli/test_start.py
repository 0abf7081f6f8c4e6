# SPDX-License-Identifier: Apache-2.0
"""Help, lists and completion answer at once: they import nothing that takes long."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from aclhost import cli

# What takes long to import: the declarations, arrays, tables.
SLOW = ("aclhost.ops", "numpy", "rich", "hypothesis", "torch", "asyncio", "xml")
PROGRAM = """
import sys
from aclhost.cli import main
try:
    main(sys.argv[1:], prog_name="aclhost")
finally:
    print(*sys.modules, file=sys.stderr)
"""


def modules(*arguments: str, **environment: str) -> tuple[str, set[str]]:
    """What the command prints, and what it imported for that."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.stdout, set(done.stderr.split())


def start(*arguments: str, **environment: str) -> tuple[str, set[str]]:
    """What the command prints, and the slow modules that it imported for that."""
    text, imported = modules(*arguments, **environment)
    return text, set(SLOW) & imported


def complete(*words: str) -> tuple[list[str], set[str]]:
    text, slow = start(
        _ACLHOST_COMPLETE="bash_complete", COMP_WORDS=" ".join(["aclhost", *words]),
        COMP_CWORD=str(len(words)),
    )  # fmt: skip
    return [line.partition(",")[2] for line in text.splitlines()], slow


@pytest.mark.parametrize("arguments", [("--help",), ("ops",), ("ops", "pool"), ("--version",)])
def test_lists_start_at_once(arguments):
    assert start(*arguments)[1] == set()


@pytest.mark.parametrize("name", cli._COMMANDS)
def test_help_and_options_of_a_command_start_at_once(name):
    text, slow = start(name, "--help")
    assert text.startswith(f"Usage: aclhost {name}")
    assert slow == set()
    options, slow = complete(name, "--")
    assert "--help" in options
    assert slow == set()


def test_operators_and_arguments_are_offered_at_once():
    assert complete("golden", "elu") == (["elu", "elu_backward"], set())
    assert complete("explain", "elu_backward", "self") == (["selfOrResult="], set())
    assert complete("explain", "elu", "out") == (["out="], set())
    assert complete("explain", "16100")[0][0].startswith("16100")
    offered, slow = complete("run", "--soc", "A")
    assert {"A2", "Ascend910B1"} <= set(offered)
    assert slow == set()


@pytest.mark.parametrize(
    "arguments",
    [("ops", "elu"), ("explain", "elu", "self=f32[2]", "out=f32[2]"), ("doctor", "elu")],
)
def test_one_operator_is_shown_without_the_others(arguments):
    text, imported = modules(*arguments)
    assert "aclnnElu" in text
    assert "aclhost.ops.activation.elu" in imported
    assert not {"aclhost.ops.pooling", "aclhost.ops.activation.gelu"} & imported

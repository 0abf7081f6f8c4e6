# SPDX-License-Identifier: Apache-2.0
"""The command in this process: quick, and without a shell."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from aclhost.cli import main


@pytest.fixture
def aclhost_command():
    """Runs the command to an expected exit status."""

    def run(*arguments: object, status: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        # An exception that is no exit would be a traceback in the shell.
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        assert result.exit_code == status, result.output
        return result

    return run


@pytest.fixture
def refusal(aclhost_command):
    """Runs the command, which must refuse with one line on stderr and nothing on stdout."""

    def run(*arguments: object, status: int = 1) -> str:
        result = aclhost_command(*arguments, status=status)
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("aclhost: ")
        return lines[0].removeprefix("aclhost: ")

    return run

# SPDX-License-Identifier: Apache-2.0
"""Programs in an interpreter of their own, where nobody has loaded the library before."""

from __future__ import annotations

import os
import subprocess
import sys


def ended(
    program: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """A program that has ended in whatever way; with more variables than this process has."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )


def said(program: str, *arguments: str, **environment: str) -> str:
    """What a program prints, which must end well."""
    done = ended(program, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout

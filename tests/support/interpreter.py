# SPDX-License-Identifier: Apache-2.0
"""Programs in an interpreter of their own, where nobody has loaded the library before."""

from __future__ import annotations

import os
import subprocess
import sys


def said(program: str, *arguments: str, **environment: str) -> str:
    """What a program prints, which must end well; with more variables than this process has."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

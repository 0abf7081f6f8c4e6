# SPDX-License-Identifier: Apache-2.0
"""Cells of C++ in a notebook, and how comparisons show there."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from support.programs import ELU_PROGRAM

from aclhost.compare import compare

LATE = """
#include <cstdio>
#include <vector>
#include "acl/acl.h"
int main(int count, char** words) {
  void* memory = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  std::printf("%d %s\\n", count, count > 1 ? words[1] : "");
  aclrtResetDevice(0);
  return aclFinalize();
}
"""


@pytest.fixture
def shell():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "aclhost.notebook")
    yield shell
    InteractiveShell.clear_instance()


def test_a_cell_runs(shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("aclhost", "", ELU_PROGRAM.replace("return 2;", 'std::printf("wrong");'))
    shown = capsys.readouterr().out
    assert "wrong" not in shown
    assert "error" not in shown
    assert "exit status" not in shown


def test_strict_mode_and_arguments(shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("aclhost", "--strict -- word", LATE)
    shown = capsys.readouterr().out
    assert "2 word" in shown
    assert "64 bytes" in shown  # that nobody freed
    assert "exit status" in shown


def test_a_program_that_does_not_compile(shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("aclhost", "", "int main() { return missing; }")
    shown = capsys.readouterr().out
    assert "missing" in shown
    assert "exit status" in shown


def test_a_comparison_shows_its_report() -> None:
    expected = np.linspace(0, 1, 50, dtype=np.float32)
    actual = expected.copy()
    actual[7] = 3
    shown = compare(actual, expected)._repr_html_()
    (frame,) = re.findall(r'srcdoc="(.*)"', shown, re.DOTALL)
    report = html.unescape(frame)
    assert "<svg" in report
    assert "fail" in report

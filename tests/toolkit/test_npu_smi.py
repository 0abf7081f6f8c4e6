# SPDX-License-Identifier: Apache-2.0
"""npu-smi of the tree: what build scripts read from it."""

import sys

import pytest
from support.programs import clean_environment, run

from aclhost.building import toolkit

# As build scripts do: the third word of the seventh line.
CHIP = "npu-smi info | awk -F' ' 'NF > 0 && NR==7 {print $3}'"


def ask(script, **variables):
    environment = toolkit.environment(clean_environment(**variables))
    return run(["bash", "-c", script], env=environment).stdout


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend310P3", "Ascend950PR_9599"])
def test_names_the_chip(soc):
    assert f"Ascend{ask(CHIP, ACLHOST_SOC=soc).strip()}" == soc


def test_the_default_is_the_library_s():
    question = "from aclhost import soc_name; print(soc_name())"
    name = run([sys.executable, "-c", question]).stdout.strip()
    assert f"Ascend{ask(CHIP).strip()}" == name


def test_one_row_for_each_device():
    rows = [line for line in ask("npu-smi info", ACLHOST_DEVICES=3).splitlines() if " OK " in line]
    assert [row.split()[1] for row in rows] == ["0", "1", "2"]
    widths = {len(line) for line in ask("npu-smi info").splitlines()}
    assert len(widths) == 1
    assert "Total Count                    : 3" in ask("npu-smi info -l", ACLHOST_DEVICES=3)
    assert len(ask("npu-smi info -m", ACLHOST_DEVICES=2).splitlines()) == 3


def test_an_unknown_question_is_refused(prefix):
    done = run([prefix / "bin/npu-smi", "set"], status=1)
    assert done.stderr.startswith("usage: npu-smi")

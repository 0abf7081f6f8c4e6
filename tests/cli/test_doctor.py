# SPDX-License-Identifier: Apache-2.0
"""`aclhost doctor`, and what the shell completes."""

import json
import shutil
import sysconfig
from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost import goldens, ops
from aclhost.building import toolkit
from aclhost.cli import health
from aclhost.cli.health import Finding
from aclhost.goldens.selftest import self_test

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"


def doctor(status=0, tested=("elu",), **environment):
    """What it finds; all operators are tested only where the test is about them."""
    command = [ACLHOST, "doctor", "--json", *tested]
    done = run(command, status=status, env=clean_environment(**environment))
    findings = json.loads(done.stdout)
    return {finding["topic"]: finding for finding in findings}


def test_a_healthy_installation():
    findings = doctor(tested=())
    assert findings["toolkit"]["level"] == "ok"
    assert "kernel" in findings["blas"]["text"]
    assert findings["compiler"]["level"] == "ok"
    assert findings["libraries"]["level"] == "note"
    assert all(findings[op.name]["level"] == "ok" for op in ops.ALL)
    assert findings["instructions"]["text"].startswith(("baseline", "avx2", "avx512"))
    assert findings["addr2line"]["level"] == "ok"
    shown = health.without_passed([Finding(**each) for each in findings.values()])
    assert len(shown) < 24  # a screen
    assert shown[-1].text.startswith(f"{len(ops.ALL)} of {len(ops.ALL)} passed their samples")


def test_only_some_operators():
    text = run([ACLHOST, "doctor", "aclnnElu", "silu"]).stdout
    assert "aclnnElu " in text
    assert "aclnnSilu " in text
    assert "aclnnAdd " not in text
    assert "ulp from float64" in text
    last = f"aclhost works here: 2 of {len(ops.ALL)} passed their test"
    assert text.splitlines()[-1] == last


def test_an_unknown_operator(refusal):
    assert "elo" in refusal("doctor", "elo")


def test_operators_that_fail_are_listed_and_others_counted():
    fine, bad = Finding("aclnnElu", "ok", "4 samples"), Finding("aclnnAdd", "problem", "wrong")
    other = Finding("cmake", "ok", "/usr/bin/cmake")
    *shown, last = health.without_passed([other, fine, bad])
    assert shown == [other, bad]
    assert (last.topic, last.level) == ("operators", "ok")
    assert last.text.startswith("1 of ")
    assert health.without_passed([other]) == [other]


def test_verdicts():
    fine, warning = Finding("aclnnElu", "ok", ""), Finding("compiler", "warning", "")
    bad = Finding("aclnnAdd", "problem", "")
    every = [Finding(op.name, "ok", "") for op in ops.ALL]
    assert health.verdict(every).startswith(f"aclhost works here: all {len(every)} operators ")
    assert health.verdict([fine]).startswith(f"aclhost works here: 1 of {len(every)} ")
    assert health.verdict([fine, warning]).startswith("aclhost works here, with 1 warning: ")
    assert health.verdict([fine, bad, bad]) == "2 problems: aclnnAdd"


def test_plain_matrix_products_are_worth_a_note():
    finding = doctor(ACLHOST_BLAS="plain")["blas"]
    assert finding["level"] == "note"
    assert "plain loops" in finding["text"]


def test_with_the_environment_set():
    findings = doctor(**toolkit.environment({}))
    assert findings["libraries"]["level"] == "ok"
    assert findings["CANN"]["level"] == "ok"


def test_a_real_toolkit_in_the_way(tmp_path):
    (tmp_path / "libascendcl.so").touch()
    findings = doctor(1, LD_LIBRARY_PATH=tmp_path, ASCEND_HOME_PATH=tmp_path)
    assert findings["libascendcl.so"]["level"] == "problem"
    assert str(tmp_path) in findings["libascendcl.so"]["text"]
    assert findings["CANN"]["level"] == "warning"
    assert "aclhost env" in findings["CANN"]["remedy"]


def test_a_foreign_acl_module(tmp_path):
    (tmp_path / "acl.py").touch()
    assert "import acl" in doctor(PYTHONPATH=tmp_path)["CANN"]["text"]


def test_no_compiler_is_a_warning(tmp_path):
    finding = doctor(PATH=tmp_path)["compiler"]
    assert finding["level"] == "warning"
    assert "Python works" in finding["text"]


def test_an_unknown_soc_is_a_problem():
    assert doctor(1, ACLHOST_SOC="Ascend1")["product"]["level"] == "problem"


def test_self_test_notices_wrong_numbers(monkeypatch):
    op = ops.BY_NAME["aclnnElu"]
    right = goldens.native
    monkeypatch.setattr(goldens, "native", lambda *a: tuple(r * 1.5 for r in right(*a)))
    assert self_test(op).problems


def complete(*words):
    environment = clean_environment(
        _ACLHOST_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("aclhost", *words)),
        COMP_CWORD=len(words),
    )
    lines = run([ACLHOST], env=environment).stdout.splitlines()
    return [line.partition(",")[2] for line in lines]


@pytest.mark.skipif(shutil.which("bash") is None, reason="completion asks bash for its version")
def test_completion():
    assert {"ops", "explain", "compare", "golden", "doctor", "run"} <= set(complete(""))
    assert complete("ops", "aclnnEluB") == ["aclnnEluBackward"]
    assert complete("explain", "1610") == ["161001", "161002"]
    assert complete("explain", "elu", "sca") == ["scale="]
    assert "Ascend310P3" in complete("run", "--soc", "Ascend3")


def test_an_unknown_soc_is_one_problem():
    done = run(
        [ACLHOST, "doctor", "--json"], status=1, env=clean_environment(ACLHOST_SOC="Ascend0")
    )
    problems = [found for found in json.loads(done.stdout) if found["level"] == "problem"]
    assert [found["topic"] for found in problems] == ["product"]
    assert "Ascend910B1" in problems[0]["remedy"]

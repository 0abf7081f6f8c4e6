# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, in suites of its own."""

from __future__ import annotations

import sys

import pytest
from support.programs import ELU_PROGRAM, clean_environment, run

from aclhost import ops


@pytest.fixture
def suite(tmp_path):
    """Writes a test file and runs pytest on it in a process of its own."""

    def run_suite(text, *options, status=0, **environment):
        (tmp_path / "test_suite.py").write_text(text)
        (tmp_path / "elu.cpp").write_text(ELU_PROGRAM)
        return run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
            status=status,
            cwd=tmp_path,
            env=clean_environment(**environment),
        ).stdout

    return run_suite


CALLS = """
import ctypes, os, subprocess
import numpy as np, pytest
import aclhost

def test_python():
    aclhost.elu(np.ones(3, np.float32))
    with pytest.raises(aclhost.AclnnError):
        aclhost.elu(np.ones(3, np.int32))

def test_program(aclhost_toolkit):
    flags = [*aclhost_toolkit.cflags, "elu.cpp", "-o", "elu", *aclhost_toolkit.libs]
    subprocess.run(["g++", *flags], check=True)
    subprocess.run(["./elu"], check=True)
"""


def test_summary_counts_this_process_and_its_programs(suite):
    text = suite(CALLS, "--aclhost")
    assert "aclnn calls" in text
    line = next(line for line in text.splitlines() if line.startswith("aclnnElu "))
    assert line.split() == ["aclnnElu", "3,", "1", "refused"]
    assert f"not called: {len(ops.ALL) - 1} of {len(ops.ALL)} operators" in text


def test_without_the_switch_nothing_happens(suite):
    text = suite(
        "import os, sys\n"
        "def test_clean():\n"
        "    assert 'ASCEND_HOME_PATH' not in os.environ\n"
        "    assert 'aclhost' not in sys.modules\n"
    )
    assert "aclnn calls" not in text


def test_switch_puts_the_toolkit_in_place(suite):
    suite(
        "import ctypes, os\n"
        "def test_environment():\n"
        "    import acl\n"
        "    assert acl.init() == 0\n"
        "    library = ctypes.CDLL('libascendcl.so')\n"
        "    assert library.aclrtGetSocName\n"
        "    assert os.path.isdir(os.environ['ASCEND_HOME_PATH'] + '/include')\n"
        "    assert os.environ['ASCEND_HOME_PATH'] in os.environ['LD_LIBRARY_PATH']\n",
        "--aclhost",
    )


def test_ini_is_as_good_as_the_switch(suite, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\naclhost = true\n")
    assert "aclnn calls" in suite("def test_nothing(): pass\n")


PRODUCTS = """
import os, numpy as np, ml_dtypes, pytest, aclhost
seen = []

@pytest.mark.aclhost_socs("A2", "Ascend310P3")
def test_bf16(aclhost_soc):
    assert aclhost.soc_name() == os.environ["ACLHOST_SOC"] == aclhost_soc
    x = np.ones(2, ml_dtypes.bfloat16)
    if aclhost_soc == "Ascend310P3":
        with pytest.raises(aclhost.AclnnError):
            aclhost.elu_backward(x, x)
    else:
        aclhost.elu_backward(x, x)

@pytest.mark.aclhost_socs("all")
def test_without_the_fixture():
    seen.append(aclhost.soc_name())

def test_afterwards(aclhost_soc):
    assert len(set(seen)) == 6
    assert aclhost.soc_name() == aclhost_soc == "Ascend910B1"
"""


def test_marker_runs_a_test_on_several_products(suite):
    text = suite(PRODUCTS, "-v", "--strict-markers")
    assert "9 passed" in text
    assert "test_bf16[Ascend310P3]" in text


def test_soc_option(suite):
    text = "import aclhost\ndef test_soc(): assert aclhost.soc_name() == 'Ascend310P3'\n"
    suite(text, "--aclhost", "--aclhost-soc", "P310P")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--aclhost", "--aclhost-soc", "P31P"), "did you mean P310P?"),
        (("--aclhost-soc", "A2"), "--aclhost-soc needs --aclhost"),
    ],
)
def test_bad_options(suite, tmp_path, options, reason):
    (tmp_path / "test_suite.py").write_text("def test_nothing(): pass\n")
    command = [sys.executable, "-m", "pytest", *options]
    done = run(command, status=4, cwd=tmp_path)
    assert done.stderr.strip().splitlines()[-1].endswith(reason)
    assert "Traceback" not in done.stderr


def test_bad_marker(suite):
    text = suite(
        "import pytest\n@pytest.mark.aclhost_socs('A7')\ndef test_nothing(): pass\n", status=2
    )
    assert "Traceback" not in text
    assert "no product or SoC 'A7'" in text


def test_workers_of_xdist_are_counted(suite):
    pytest.importorskip("xdist")
    text = suite(CALLS, "--aclhost", "-n", "2")
    line = next(line for line in text.splitlines() if line.startswith("aclnnElu "))
    assert line.split() == ["aclnnElu", "3,", "1", "refused"]


def test_no_log_is_left_behind(suite, tmp_path):
    (tmp_path / "tmp").mkdir()
    suite(CALLS, "--aclhost", TMPDIR=tmp_path / "tmp")
    assert [p for p in (tmp_path / "tmp").iterdir() if p.name.startswith("aclhost")] == []


FORK = """
import os
import numpy as np
import aclhost

aclhost.elu(np.ones(1, np.float32))
if os.fork() == 0:
    aclhost.inplace_elu(np.ones(1, np.float32))
    raise SystemExit
os.wait()
"""


def test_a_fork_reports_only_its_own_calls(tmp_path):
    log = tmp_path / "calls"
    command = [sys.executable, "-c", FORK]
    run(command, env=clean_environment(ACLHOST_CALL_LOG=log))
    assert not log.exists()  # whoever wants the report creates the file
    log.touch()
    run(command, env=clean_environment(ACLHOST_CALL_LOG=log))
    assert sorted(log.read_text().splitlines()) == ["aclnnElu 1 0", "aclnnInplaceElu 1 0"]


STRICT = """
import subprocess

def build(toolkit, destroy):
    program = f'''
        #include "acl/acl.h"
        #include "aclnn/acl_meta.h"
        int main() {{
          float one = 1;
          aclInit(nullptr);
          aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
          {"aclDestroyScalar(scalar);" if destroy else "(void)scalar;"}
          return aclFinalize();
        }}'''
    with open("leak.cpp", "w") as source:
        source.write(program)
    flags = [*toolkit.cflags, "leak.cpp", "-o", "leak", *toolkit.libs]
    subprocess.run(["g++", *flags], check=True)
    subprocess.run(["./leak"], check=False)

def test_leak(aclhost_toolkit):
    build(aclhost_toolkit, destroy=False)

def test_clean(aclhost_toolkit):
    build(aclhost_toolkit, destroy=True)
"""


def test_strict_findings_of_programs_fail_their_test(suite):
    text = suite(STRICT, "--aclhost", "--aclhost-strict", status=1)
    assert "strict mode found mistakes" in text
    assert "leak: scalar" in text
    assert "1 failed, 1 passed" in text


def test_without_strict_the_same_tests_pass(suite):
    assert "2 passed" in suite(STRICT, "--aclhost")


def test_strict_needs_the_switch(suite):
    suite("def test_nothing(): pass", "--aclhost-strict", status=4)


IN_PROCESS = """
import pytest
from aclhost import acl

def free_twice():
    acl.init()
    assert acl.rt.set_device(0) == 0
    address, status = acl.rt.malloc(64, 0)
    acl.rt.free(address)
    acl.rt.free(address)

@pytest.fixture
def careless():
    free_twice()

def test_one():
    free_twice()

def test_two():
    free_twice()

def test_setup(careless):
    pass

def test_clean():
    pass
"""


def test_strict_findings_of_this_process_fail_each_test_that_makes_them(suite):
    text = suite(IN_PROCESS, "--aclhost", "--aclhost-strict", status=1)
    assert "2 failed, 1 passed, 1 error" in text

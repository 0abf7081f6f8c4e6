# SPDX-License-Identifier: Apache-2.0
"""The `aclhost` command as a user types it."""

import json
import os
import shlex
import subprocess
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest
from support.programs import ELU_PROGRAM, clean_environment, run

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"

ECHO = r"""
#include <cstdio>
#include <cstdlib>
#include "acl/acl.h"
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("<%s>", argv[i]);
  std::printf("%s", aclrtGetSocName());
  return 7;
}
"""


@pytest.fixture
def source(tmp_path):
    def write(text, name="program.cpp"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_version():
    assert run([ACLHOST, "--version"]).stdout.split()[-1] == version("aclhost")


def test_help_names_the_commands():
    text = run([ACLHOST, "--help"]).stdout
    assert all(name in text for name in ("config", "env", "run", "ops", "compare", "doctor"))
    assert "..." not in text.partition("Commands:")[2]


def test_config_prefix(prefix):
    assert run([ACLHOST, "config", "--prefix"]).stdout == f"{prefix}\n"


def test_config_flags_build_a_program(source, tmp_path):
    flags = shlex.split(run([ACLHOST, "config", "--cflags", "--libs"]).stdout)
    run(["g++", source(ELU_PROGRAM), "-o", tmp_path / "program", *flags])
    assert run([tmp_path / "program"]).stdout == "elu ok\n"


def test_config_json(prefix):
    data = json.loads(run([ACLHOST, "config", "--json"]).stdout)
    assert data["prefix"] == data["environment"]["ASCEND_HOME_PATH"] == str(prefix)
    assert shlex.join([*data["cflags"], *data["libs"]]) == (
        run([ACLHOST, "config", "--cflags", "--libs"]).stdout.strip()
    )


def test_config_alone_says_what_it_wants():
    done = run([ACLHOST, "config"], status=2)
    assert "--prefix" in done.stderr
    assert done.stdout == ""


def test_run(source):
    done = run([ACLHOST, "run", source(ELU_PROGRAM)])
    assert (done.stdout, done.stderr) == ("elu ok\n", "")


def test_run_passes_status_arguments_and_soc_through(source):
    arguments = ["--soc", "Ascend310P3", source(ECHO), "--flag", "two words", "--", "-h"]
    done = run([ACLHOST, "run", *arguments], status=7)
    assert done.stdout == "<--flag><two words><--><-h>Ascend310P3"


def test_run_passes_stdin_through(source):
    text = "#include <cstdio>\nint main() { return std::getchar() == 'x' ? 0 : 3; }\n"
    run([ACLHOST, "run", source(text)], input="x")


def test_run_in_a_directory_with_spaces(source, tmp_path):
    (tmp_path / "a dir").mkdir()
    run([ACLHOST, "run", source(ECHO, "a dir/-a program.cpp")], status=7)


def test_run_reports_a_compile_error(source):
    done = run([ACLHOST, "run", source("int main() { return undeclared; }\n")], status=1)
    assert "undeclared" in done.stderr  # the compiler's words
    assert "aclhost: " in done.stderr
    assert "does not compile" in done.stderr
    assert done.stdout == ""


def test_run_takes_the_standard(source):
    text = "#if __cplusplus != 201103L\n#error not C++11\n#endif\nint main() { return 0; }\n"
    run([ACLHOST, "run", "--std", "c++11", source(text)])
    assert "not C++11" in run([ACLHOST, "run", source(text)], status=1).stderr


def test_run_reports_a_missing_file():
    done = run([ACLHOST, "run", "no/such.cpp"], status=1)
    assert done.stderr == "aclhost: no/such.cpp: no such file\n"


def test_run_reports_an_unknown_soc(source):
    done = run([ACLHOST, "run", "--soc", "Ascend1", source(ECHO)], status=1)
    assert "no product or SoC 'Ascend1'" in done.stderr
    assert "did you mean Ascend910A?" in done.stderr


def test_run_names_the_signal_that_ended_a_program(source):
    done = run(
        [ACLHOST, "run", source("#include <cstdlib>\nint main() { std::abort(); }\n")], status=134
    )
    assert "signal 6 (Aborted)" in done.stderr


def test_run_uses_cxx(source, tmp_path):
    compiler = tmp_path / "my compiler"
    compiler.write_text('#!/bin/sh\ntouch "$0.used"\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    environment = clean_environment(CXX=shlex.quote(str(compiler)))
    run([ACLHOST, "run", source(ECHO)], status=7, env=environment)
    assert (tmp_path / "my compiler.used").exists()


def test_run_reports_a_missing_compiler(source, tmp_path):
    path = source(ECHO)
    named = run([ACLHOST, "run", path], status=1, env=clean_environment(CXX="no-such-compiler"))
    assert "no-such-compiler, which is not installed" in named.stderr
    environment = clean_environment(PATH=tmp_path)
    environment.pop("CXX", None)
    none = run([ACLHOST, "run", path], status=1, env=environment)
    assert "no C++ compiler found" in none.stderr


def test_run_leaves_nothing_behind(source, tmp_path):
    (tmp_path / "tmp").mkdir()
    path = source(ECHO)
    before = sorted(os.listdir(tmp_path))
    environment = clean_environment(TMPDIR=tmp_path / "tmp")
    assert subprocess.run([ACLHOST, "run", path], env=environment, check=False).returncode == 7
    assert sorted(os.listdir(tmp_path)) == before
    assert os.listdir(tmp_path / "tmp") == []

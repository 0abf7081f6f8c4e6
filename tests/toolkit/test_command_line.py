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

import aclhost
from aclhost.spec import names

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
    arguments = [source(ECHO), "two words", "--soc", "Ascend310P3", "--", "--flag", "--", "-h"]
    done = run([ACLHOST, "run", *arguments], status=7)
    assert done.stdout == "<two words><--flag><--><-h>Ascend310P3"


def test_run_takes_no_option_for_the_programs_own(source):
    done = run([ACLHOST, "run", source(ECHO), "--flag"], status=2)
    assert "No such option" in done.stderr
    assert "Options of the program stand behind --." in done.stderr


def test_run_passes_stdin_through(source):
    text = "#include <cstdio>\nint main() { return std::getchar() == 'x' ? 0 : 3; }\n"
    run([ACLHOST, "run", source(text)], input="x")


def test_run_in_a_directory_with_spaces(source, tmp_path):
    (tmp_path / "a dir").mkdir()
    run([ACLHOST, "run", source(ECHO, "a dir/-a program.cpp")], status=7)


def test_run_reports_a_compile_error(source):
    path = source("int main() { return undeclared; }\n")
    done = run([ACLHOST, "run", path], status=65)
    assert "undeclared" in done.stderr  # the compiler's words
    assert f"aclhost: {path} does not compile; --verbose shows the command\n" in done.stderr
    assert "-lascendcl" not in done.stderr
    assert done.stdout == ""
    assert "-lascendcl" in run([ACLHOST, "run", path, "--verbose"], status=65).stderr


def test_run_reports_a_link_error(source):
    text = "void missing();\nint main() { missing(); }\n"
    done = run([ACLHOST, "run", source(text)], status=65)
    assert "does not link" in done.stderr


def test_run_keeps_the_program(source, tmp_path):
    run([ACLHOST, "run", source(ECHO), "-o", tmp_path / "kept"], status=7)
    assert run([tmp_path / "kept", "x"], status=7).stdout.startswith("<x>")


def test_run_builds_once(source, tmp_path):
    """Until a source, a header or a flag changes."""
    compiler = tmp_path / "compiler"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in *" -o "*) echo >> "$0.log";; esac\nexec g++ "$@"\n'
    )
    compiler.chmod(0o755)
    (tmp_path / "number.h").write_text("#define NUMBER 3\n")
    path = source('#include "number.h"\nint main() { return NUMBER + EXTRA; }\n')
    environment = clean_environment(CXX=compiler, ACLHOST_CACHE=tmp_path / "cache")

    def builds(status, flag="-DEXTRA=0", *options):
        arguments = [ACLHOST, "run", path, "--cxxflags", flag, *options]
        run(arguments, status=status, env=environment)
        return len((tmp_path / "compiler.log").read_text())

    assert builds(3) == 1
    assert builds(3) == 1
    path.touch()
    assert builds(3) == 1
    (tmp_path / "number.h").write_text("#define NUMBER 4\n")
    assert builds(4) == 2
    assert builds(5, "-DEXTRA=1") == 3
    assert builds(4) == 3
    assert builds(4, "-DEXTRA=0", "--no-cache") == 4


def test_run_works_without_a_cache(source, tmp_path):
    (tmp_path / "file").touch()
    environment = clean_environment(ACLHOST_CACHE=tmp_path / "file" / "cache")
    run([ACLHOST, "run", source(ECHO)], status=7, env=environment)


def test_run_a_script(source):
    text = "import acl, sys\nprint(acl.get_soc_name(), sys.argv[1:])\nsys.exit(5)\n"
    path = source(text, "script.py")
    done = run([ACLHOST, "run", path, "word", "--soc", "310P", "--", "-x"], status=5)
    assert done.stdout == "Ascend310P3 ['word', '-x']\n"


@pytest.mark.parametrize(
    ("name", "soc"),
    [("A2", "Ascend910B1"), ("910B", "Ascend910B1"), ("910B4", "Ascend910B4"),
     ("310P", "Ascend310P3"), ("a3", "Ascend910_9391"), ("Ascend310P1", "Ascend310P1")],
)  # fmt: skip
def test_names_of_socs_are_the_same_everywhere(source, name, soc):
    path = source(ECHO)
    assert run([ACLHOST, "run", "--soc", name, path], status=7).stdout == soc
    environment = clean_environment(ACLHOST_SOC=name)
    assert run([ACLHOST, "run", path], status=7, env=environment).stdout == soc
    with aclhost.soc(name):
        assert aclhost.soc_name() == soc
    assert names.soc(name) == soc


def test_an_unknown_soc_is_refused_before_compiling(source):
    environment = clean_environment(ACLHOST_SOC="B910")
    done = run([ACLHOST, "run", source("no C++")], status=2, env=environment)
    assert done.stderr.startswith("aclhost: ACLHOST_SOC: no product or SoC 'B910'")


def test_run_takes_the_standard(source):
    text = "#if __cplusplus != 201103L\n#error not C++11\n#endif\nint main() { return 0; }\n"
    run([ACLHOST, "run", "--std", "c++11", source(text)])
    assert "not C++11" in run([ACLHOST, "run", source(text)], status=65).stderr


def test_run_reports_a_missing_file():
    done = run([ACLHOST, "run", "no/such.cpp"], status=2)
    assert done.stderr == "aclhost: no/such.cpp: no such file\n"


def test_run_reports_an_unknown_soc(source):
    done = run([ACLHOST, "run", "--soc", "Ascend1", source(ECHO)], status=2)
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
    named = run([ACLHOST, "run", path], status=2, env=clean_environment(CXX="no-such-compiler"))
    assert "no-such-compiler', which is no installed compiler" in named.stderr
    environment = clean_environment(PATH=tmp_path)
    environment.pop("CXX", None)
    none = run([ACLHOST, "run", path], status=2, env=environment)
    assert "no C++ compiler found" in none.stderr


def test_run_leaves_nothing_behind(source, tmp_path):
    (tmp_path / "tmp").mkdir()
    path = source(ECHO)
    before = sorted(os.listdir(tmp_path))
    environment = clean_environment(TMPDIR=tmp_path / "tmp")
    assert subprocess.run([ACLHOST, "run", path], env=environment, check=False).returncode == 7
    assert sorted(os.listdir(tmp_path)) == before
    assert os.listdir(tmp_path / "tmp") == []

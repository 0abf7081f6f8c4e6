# SPDX-License-Identifier: Apache-2.0
"""Operators that aclhost knows and does not compute: absent by default, placeholders on demand."""

import ctypes
import sys
import sysconfig
from pathlib import Path

import pytest
from support.programs import ELU_PROGRAM, clean_environment, run

from aclhost import ops
from aclhost.building import toolkit
from aclhost.spec import catalogue, libraries

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"
KNOWN = sorted(catalogue.operators().keys() - ops.BY_NAME.keys())
SINGLE = [
    function.name
    for function in catalogue.single_functions()
    if function not in catalogue.computed_functions()
]

# Prints both codes, and the text of each, of an operator that is not computed.
PROGRAM = r"""
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/HEADER"
int main() {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  std::printf("%d\n", NAMEGetWorkspaceSize(ARGUMENTS&size, &executor));
  std::printf("%s\n", aclGetRecentErrMsg());
  std::printf("%d\n", NAME(nullptr, size, executor, nullptr));
  std::printf("%s\n", aclGetRecentErrMsg());
  return 0;
}
"""

CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.14)
project(sample CXX)
include_directories($ENV{ASCEND_HOME_PATH}/include)
link_directories($ENV{ASCEND_HOME_PATH}/lib64)
add_executable(sample program.cpp)
target_link_libraries(sample ascendcl nnopbase opapi)
"""


@pytest.fixture
def known():
    """One of them, with null pointers and zeros for its arguments."""
    return catalogue.operators()[KNOWN[len(KNOWN) // 2]]


@pytest.fixture
def program(known, tmp_path):
    arguments = "".join("{}, " for _ in known.params)
    text = PROGRAM.replace("ARGUMENTS", arguments).replace("HEADER", known.header)
    path = tmp_path / "program.cpp"
    path.write_text(text.replace("NAME", known.name))
    return path


def assert_refused(printed, name):
    first, first_text, second, second_text = (line for line in printed.splitlines() if line)
    assert (first, second) == ("561103", "561103")
    for text, function in ((first_text, f"{name}GetWorkspaceSize"), (second_text, name)):
        assert f"{function} returns 561103: " in text
        assert "does not compute it" in text


def test_it_exports_what_is_known_and_not_computed():
    lines = run(["nm", "-D", "--defined-only", toolkit.placeholders()]).stdout.splitlines()
    phases = {each for name in KNOWN for each in (name, f"{name}GetWorkspaceSize")}
    assert {line.split()[2] for line in lines} == phases | set(SINGLE)


@pytest.mark.parametrize("library", libraries.ALL, ids=libraries.NAMES)
def test_default_libraries_do_not_have_them(library, prefix):
    loaded = ctypes.CDLL(str(prefix / "lib64" / library.file))
    assert hasattr(loaded, ops.ALL[0].name)
    assert not [name for name in (*KNOWN, *SINGLE) if hasattr(loaded, name)]


def test_every_placeholder_refuses():
    text = f"""
import ctypes
library = ctypes.CDLL({str(toolkit.placeholders())!r})
acl = ctypes.CDLL({str(toolkit.library())!r})
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
for name in {[*KNOWN, *SINGLE]}:
    assert library[name]() == 561103, name
    assert f"{{name}} returns 561103: " in acl.aclGetRecentErrMsg().decode(), name
"""
    run([sys.executable, "-c", text])


def test_run(program, known):
    assert_refused(run([ACLHOST, "run", program]).stdout, known.name)


def test_run_of_a_project(program, known, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS)
    assert_refused(run([ACLHOST, "run", tmp_path]).stdout, known.name)


def test_a_program_that_needs_none_does_not_load_them(build):
    program = build("c++", ELU_PROGRAM, *toolkit.cflags(), *toolkit.libs())
    assert libraries.PLACEHOLDERS not in run(["readelf", "-d", program]).stdout


def test_programs_that_were_linked_elsewhere(program, known, build, prefix, tmp_path):
    """Against a libopapi that has the operator, and with everything bound at load time."""
    stubs = "".join(f"int {function.name}(void) {{ return 0; }}\n" for function in known.functions)
    build("c", stubs, "-shared", "-fPIC", "-Wl,-soname,libopapi.so", name="libopapi.so")
    names = [f"-l{name}" for name in libraries.LINKED]
    flags = [*toolkit.cflags(), "-Wl,-z,now", f"-L{tmp_path}", f"-L{prefix}/lib64", *names]
    target = tmp_path / "program"
    run(["g++", program, "-o", target, *flags])
    plain = f'eval "$({ACLHOST} env)"; exec {target}'
    assert "undefined symbol" in run(["bash", "-c", plain], status=127).stderr
    preloaded = f'eval "$({ACLHOST} env --placeholders)"; exec {target}'
    assert_refused(run(["bash", "-c", preloaded]).stdout, known.name)


def test_preloading_keeps_what_is_preloaded_already():
    script = f'eval "$({ACLHOST} env --placeholders)"; printf %s "$LD_PRELOAD"'
    environment = clean_environment(LD_PRELOAD="/lib/other.so")
    printed = run(["bash", "-c", script], env=environment).stdout
    assert printed == f"{toolkit.placeholders()}:/lib/other.so"


def test_preloading_alone_loads_nothing_else():
    command = f"LD_PRELOAD={toolkit.placeholders()} cat /proc/self/maps"
    maps = run(["bash", "-c", command]).stdout
    assert toolkit.placeholders().name in maps
    assert "libaclhost.so" not in maps

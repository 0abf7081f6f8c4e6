# SPDX-License-Identifier: Apache-2.0
"""Where findings point to, however the program was built, started and moved."""

import os

import pytest
import strict_corpus as corpus
from support.programs import run

PROGRAM = r"""
#include <unistd.h>
#include "client.h"
void leave();
inline __attribute__((always_inline)) void frees_what_it_must_not(void* memory) {
  aclrtFree(memory);
}
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  if (chdir("/") != 0) return 1;
  char on_the_stack[4];
  frees_what_it_must_not(on_the_stack);
  leave();
  return 0;
}
"""
LIBRARY = r"""
#include "acl/acl.h"
extern "C" void my_libc_wrapper(void* memory) { aclrtFree(memory); }
void leave() {
  char on_the_stack[4];
  my_libc_wrapper(on_the_stack);
}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.cpp").write_text(PROGRAM)
    (tmp_path / "wrapper.cpp").write_text(LIBRARY)
    return tmp_path


def findings(folder, command, *flags, library_flags=()):
    library = folder / "libclient.so"
    corpus.build(folder / "wrapper.cpp", library, "-shared", "-fPIC", *library_flags)
    corpus.build(folder / "program.cpp", folder / "program", *flags, library)
    environment = {**corpus.environment(), "LD_LIBRARY_PATH": "."}
    text = run(command, status=66, env=environment, cwd=folder).stderr
    assert corpus.titles(text) == ["invalid free", "invalid free"], text
    return text


@pytest.mark.parametrize(
    "flags",
    [("-O0",), ("-O2",), ("-no-pie", "-fno-pie"), ("-no-pie", "-fno-pie", "-O2")],
    ids=" ".join,
)
def test_a_program_that_was_started_by_a_relative_path_and_moved(folder, flags):
    text = findings(folder, ["./program"], *flags)
    inlined = "freed at frees_what_it_must_not (program.cpp:6), called from main (program.cpp:13)"
    assert inlined in text


def test_callers_whose_names_contain_libc(folder):
    text = findings(folder, ["./program"], library_flags=["-Wl,-soname,libclient.so"])
    expected = "freed at my_libc_wrapper (wrapper.cpp:3), called from leave (wrapper.cpp:6)"
    assert f"{expected}, called from main (program.cpp:14)" in text


def test_without_debug_information_there_are_functions(folder):
    text = findings(folder, ["./program"], "-g0", library_flags=["-g0"])
    assert "freed at my_libc_wrapper (libclient.so), called from leave (libclient.so)" in text


def test_a_program_whose_file_is_gone(folder):
    command = ["bash", "-c", "cp program copy; (sleep 0.05; rm copy) & exec ./copy"]
    assert "main (program.cpp:13)" in findings(folder, command)
    assert not os.path.exists(folder / "copy") or (folder / "copy").unlink() is None

# SPDX-License-Identifier: Apache-2.0
"""`aclhost run` with several files, flags, CMake projects, and compilers that miss something."""

import sysconfig
from pathlib import Path

import pytest
from support.programs import ELU_PROGRAM, run

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


MAIN = (
    "#include <cstdio>\nint answer();\n"
    'int main(int c, char** v) { std::printf("%d %d %s\\n", answer(), c, c > 1 ? v[1] : ""); }\n'
)


def test_several_files(write):
    files = [write("main.cpp", MAIN), write("answer.cc", "int answer() { return 42; }\n")]
    assert run([ACLHOST, "run", *files]).stdout == "42 1 \n"
    assert run([ACLHOST, "run", *files, "word"]).stdout == "42 2 word\n"
    assert run([ACLHOST, "run", *files, "--", "x.cpp"]).stdout == "42 2 x.cpp\n"


def test_a_missing_second_file(write):
    done = run([ACLHOST, "run", write("main.cpp", MAIN), "none.cc"], status=2)
    assert done.stderr == "aclhost: none.cc: no such file\n"


def test_flags(write):
    text = '#include <cstdio>\n#include <cmath>\nint main() { std::puts(WORD " " __VERSION__); }\n'
    flags = "-DWORD='\"two words\"' -lm"
    done = run([ACLHOST, "run", "--cxxflags", flags, "--cxxflags=-Wall", write("a.cpp", text)])
    assert done.stdout.startswith("two words ")
    done = run([ACLHOST, "run", "--cxxflags", "'", write("a.cpp", text)], status=2)
    assert done.stderr == "aclhost: --cxxflags: No closing quotation\n"


def test_soc_by_product(write):
    text = '#include <cstdio>\n#include "acl/acl.h"\nint main() { std::puts(aclrtGetSocName()); }\n'
    assert run([ACLHOST, "run", "--soc", "P310P", write("a.cpp", text)]).stdout == "Ascend310P3\n"
    done = run([ACLHOST, "run", "--soc", "P31P", write("a.cpp", text)], status=2)
    assert done.stderr == "aclhost: no product or SoC 'P31P'; did you mean P310P?\n"


CMAKE = """cmake_minimum_required(VERSION 3.14)
project(sample CXX)
include_directories($ENV{ASCEND_HOME_PATH}/include)
link_directories($ENV{ASCEND_HOME_PATH}/lib64)
add_executable(sample sample.cpp)
target_link_libraries(sample ascendcl nnopbase opapi_nn)
"""


def test_cmake_project(write, tmp_path):
    write("project/sample.cpp", ELU_PROGRAM)
    directory = write("project/CMakeLists.txt", CMAKE).parent
    assert run([ACLHOST, "run", directory]).stdout == "elu ok\n"
    assert sorted(path.name for path in directory.iterdir()) == ["CMakeLists.txt", "sample.cpp"]


def test_cmake_project_again(write, tmp_path):
    """What changed is built, and the program that is gone is not run."""
    write("project/sample.cpp", "int main() { return 3; }\n")
    directory = write("project/CMakeLists.txt", CMAKE).parent
    run([ACLHOST, "run", directory, "-o", tmp_path / "kept"], status=3)
    assert ".debug_line" in run(["readelf", "-S", tmp_path / "kept"]).stdout  # -g
    write("project/sample.cpp", "int main() { return 4; }\n")
    write("project/CMakeLists.txt", CMAKE.replace("add_executable(sample", "add_executable(other")
          .replace("libraries(sample", "libraries(other"))  # fmt: skip
    assert run([ACLHOST, "run", directory, "x", "--", "-y"], status=4).stdout == ""


def test_cmake_project_with_two_programs(write):
    write("project/sample.cpp", "int main() { return NUMBER; }\n")
    text = CMAKE + "add_executable(other sample.cpp)\ntarget_compile_definitions(other PRIVATE B)\n"
    directory = write("project/CMakeLists.txt", text).parent
    base = [ACLHOST, "run", "--cxxflags", "-DNUMBER=3"]
    done = run([*base, directory], status=2)
    assert "has the programs other, sample; pick one with --target" in done.stderr
    run([*base, "--target", "other", directory], status=3)
    done = run([*base, "--target", "othr", directory], status=2)
    assert "did you mean other?" in done.stderr


def test_cmake_project_that_does_not_build(write):
    write("project/sample.cpp", '#include "aclnnop/aclnn_eluu.h"\nint main() {}\n')
    directory = write("project/CMakeLists.txt", CMAKE).parent
    done = run([ACLHOST, "run", directory], status=65)
    assert "did you mean aclnnop/aclnn_elu.h?" in done.stderr
    assert "does not build" in done.stderr
    assert done.stdout == ""


def test_directories_without_a_project(tmp_path):
    done = run([ACLHOST, "run", tmp_path], status=2)
    assert "a directory without CMakeLists.txt; name its files" in done.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '#include "aclnn/aclnn_elu.h"\nint main() {}\n',
            'aclnn/aclnn_elu.h: aclhost has it as "aclnnop/aclnn_elu.h"; include it so',
        ),
        (
            '#include "aclnnop/aclnn_quux.h"\nint main() {}\n',
            "aclnnop/aclnn_quux.h: aclhost does not have this header\n",
        ),
        (
            "int main() { return aclInit(nullptr); }\n",
            'aclInit: aclhost has it; add #include "acl/acl.h"',
        ),
        (
            '#include "acl/acl.h"\nint main() { return aclrtMaloc(0, 0); }\n',
            "aclrtMaloc: aclhost does not have this name; did you mean aclrtMalloc?",
        ),
        (
            'extern "C" int aclnnEluu();\nint main() { return aclnnEluu(); }\n',
            "aclnnEluu: aclhost does not have this name; did you mean aclnnElu?",
        ),
    ],
)
def test_compile_errors_say_whether_aclhost_has_it(write, text, sentence):
    done = run([ACLHOST, "run", write("a.cpp", text)], status=65)
    assert f"aclhost: {sentence}" in done.stderr
    kind = "link" if "extern" in text else "compile"
    assert f"does not {kind}" in done.stderr


def test_compile_errors_that_are_not_ours_get_no_advice(write):
    done = run([ACLHOST, "run", write("a.cpp", '#include "mine.h"\nint main() {}\n')], status=65)
    assert done.stderr.count("aclhost: ") == 1

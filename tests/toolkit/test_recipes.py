# SPDX-License-Identifier: Apache-2.0
"""The build recipes of upstream's documents work against the tree as they are."""

import re
import shutil
import sysconfig

import pytest
from support.programs import ELU_PROGRAM, clean_environment, run

from aclhost.gen import exports
from aclhost.spec import libraries

# Where each recipe takes the root from, which directories it adds, what it links by path.
CMAKE_RECIPES = {
    "ops-nn compile and run": (
        "ASCEND_CUSTOM_PATH", ("include", "include/aclnn"),
        ("ascendcl", "nnopbase", "opapi_math", "opapi_nn"), "-std=c++11",
    ),
    "ops-cv compile and run": (
        "ASCEND_CUSTOM_PATH", ("include", "include/aclnn"),
        ("acl_rt", "nnopbase", "opapi_math", "opapi_cv"), "-std=c++11",
    ),
    "ops-nn invocation": (
        "ASCEND_HOME_PATH", ("include", "include/aclnnop"),
        ("ascendcl", "nnopbase", "opapi_nn"), "-std=c++11",
    ),
    "runtime sample": (
        "", ("include", "aclnn"), ("acl_rt", "nnopbase", "opapi"),
        "-O2;-std=c++17;-D_GLIBCXX_USE_CXX11_ABI=0;-Wall;-Werror",
    ),
}  # fmt: skip

CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.14)
project(RECIPE CXX)
add_compile_options({options})
if(NOT "${{ASCEND_CANN_PACKAGE_PATH}}" STREQUAL "")
  set(ROOT ${{ASCEND_CANN_PACKAGE_PATH}})
elseif(NOT "$ENV{{{variable}}}" STREQUAL "")
  set(ROOT $ENV{{{variable}}})
else()
  set(ROOT /usr/local/Ascend/cann)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${{CMAKE_BINARY_DIR}}/bin)
include_directories({includes})
add_executable(recipe program.cpp)
target_link_libraries(recipe PRIVATE {libraries})
"""


@pytest.fixture(scope="module")
def cmake():
    here = sysconfig.get_path("scripts")
    found = shutil.which("cmake", path=here) or shutil.which("cmake")
    assert found, "these tests need cmake: pip install cmake"
    return found


@pytest.mark.parametrize("recipe", CMAKE_RECIPES)
def test_cmake(recipe, cmake, prefix, tmp_path):
    variable, includes, libraries, options = CMAKE_RECIPES[recipe]
    lists = CMAKE_LISTS.format(
        options=options,
        variable=variable,
        includes=" ".join(f"${{ROOT}}/{name}" for name in includes),
        libraries=" ".join(f"${{ROOT}}/lib64/lib{name}.so" for name in libraries),
    )
    (tmp_path / "CMakeLists.txt").write_text(lists)
    (tmp_path / "program.cpp").write_text(ELU_PROGRAM)
    root = {variable: prefix} if variable else {}
    package = () if variable else (f"-DASCEND_CANN_PACKAGE_PATH={prefix}",)
    flags = ("-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_SKIP_RPATH=TRUE", *package)
    run([cmake, "-S", tmp_path, "-B", tmp_path / "build", *flags], env=clean_environment(**root))
    run([cmake, "--build", tmp_path / "build"])
    environment = clean_environment(LD_LIBRARY_PATH=prefix / "lib64")
    assert run([tmp_path / "build/bin/recipe"], env=environment).stdout == "elu ok\n"


@pytest.mark.parametrize("runtime", ["ascendcl", "acl_rt"])
def test_one_line_of_build_sh(runtime, build, prefix):
    include = prefix / "include"
    flags = (f"-I{include}", f"-I{include}/aclnnop", f"-I{include}/aclnn", f"-L{prefix}/opp/lib64")
    names = ("opapi_nn", "opapi_math", runtime, "nnopbase")
    program = build("c++", ELU_PROGRAM, *flags, f"-L{prefix}/lib64", *(f"-l{n}" for n in names))
    environment = clean_environment(LD_LIBRARY_PATH=prefix / "lib64")
    assert run([program], env=environment).stdout == "elu ok\n"


OPERATORS = [library.name for library in libraries.ALL if "operators" in library.exports]
RUNTIMES = [library.name for library in libraries.ALL if "runtime" in library.exports]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("operators", OPERATORS)
def test_one_library_of_each_part(operators, runtime, build, prefix, arch_prefix):
    """Also from the tree that upstream's links lead to."""
    names = (f"-l{operators}", "-lnnopbase", f"-l{runtime}")
    flags = (f"-I{arch_prefix}/include", f"-L{arch_prefix}/lib64", *names)
    program = build("c++", ELU_PROGRAM, "-std=c++11", *flags)
    for root in (prefix, arch_prefix):
        environment = clean_environment(LD_LIBRARY_PATH=root / "lib64")
        assert run([program], env=environment).stdout == "elu ok\n"


_UNDEFINED = re.compile(r"undefined reference to (?:symbol )?[`'](\w+)")


@pytest.mark.parametrize("forgotten", libraries.LINKED)
def test_a_forgotten_library_fails_to_link(forgotten, prefix, tmp_path):
    """As on a card; that the others need it does not help."""
    source = tmp_path / "program.cpp"
    source.write_text(ELU_PROGRAM)
    names = [f"-l{name}" for name in libraries.NAMES if name in (*libraries.LINKED, "runtime")]
    names.remove(f"-l{forgotten}")
    flags = [f"-I{prefix}/include", f"-L{prefix}/lib64", *names]
    done = run(["g++", source, "-o", tmp_path / "program", *flags], status=1)
    library = next(each for each in libraries.ALL if each.name == forgotten)
    offered = {function.name for part in library.exports for function in exports.functions(part)}
    assert set(_UNDEFINED.findall(done.stderr)) & offered


def test_bare_operator_header(build, prefix):
    text = ELU_PROGRAM.replace("aclnnop/aclnn_elu.h", "aclnn_elu.h")
    include = prefix / "include"
    names = ("-lopapi", "-lnnopbase", "-lascendcl")
    build("c++", text, f"-I{include}", f"-I{include}/aclnnop", f"-L{prefix}/lib64", *names)

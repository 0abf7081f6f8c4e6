# SPDX-License-Identifier: Apache-2.0
"""Every operator of the catalogue has its header, with the prototypes of the catalogue."""

import re
import sys

import pytest
from support.programs import run

from aclhost import ops
from aclhost.building import toolkit
from aclhost.spec import catalogue

OWN: set[str] = set()  # operators that upstream does not have
DIRECTORY = toolkit.prefix() / "include/aclnnop"
_PROTOTYPE = re.compile(r"ACLNN_API aclnnStatus (\w+)\(([^)]*)\);")


@pytest.fixture(scope="module")
def prototypes():
    """Function -> (header, types and names of its parameters), read from the installed headers."""
    found = {}
    for path in DIRECTORY.glob("*.h"):
        for name, text in _PROTOTYPE.findall(path.read_text(encoding="ascii")):
            assert name not in found, f"{name} is declared twice"
            found[name] = (path.name, [" ".join(each.split()) for each in text.split(",")])
    return found


def test_prototypes_are_those_of_the_catalogue(prototypes):
    for op in catalogue.operators().values():
        expected = [f"{param.c_type} {param.name}" for param in op.params]
        results = ["uint64_t* workspaceSize", "aclOpExecutor** executor"]
        assert prototypes[f"{op.name}GetWorkspaceSize"] == (op.header, [*expected, *results])
        launch = [
            "void* workspace",
            "uint64_t workspaceSize",
            "aclOpExecutor* executor",
            "aclrtStream stream",
        ]
        assert prototypes[op.name] == (op.header, launch)


def test_functions_of_one_phase(prototypes):
    for function in catalogue.single_functions():
        expected = [f"{each.c_type} {each.name}" for each in function.parameters]
        assert prototypes[function.name] == (function.header.removeprefix("aclnnop/"), expected)


def test_nothing_else_is_declared(prototypes):
    names = {*catalogue.operators(), *(op.name for op in ops.ALL)}
    single = {function.name for function in catalogue.single_functions()}
    assert {name.removesuffix("GetWorkspaceSize") for name in prototypes} == names | single


def test_headers_without_a_function_exist(prototypes):
    full = {header for header, _ in prototypes.values()}
    for header in catalogue.empty_headers():
        assert (DIRECTORY / header).is_file()
        assert header not in full


def test_headers_of_older_programs(tmp_path):
    """They stand in level2 once more; no other directory need be named."""
    names = {path.name for path in DIRECTORY.glob("*.h")} - {"aclnn_util.h"}
    assert {path.name for path in (DIRECTORY / "level2").glob("*.h")} == names
    source = tmp_path / "older.cc"
    source.write_text(
        '#include "aclnnop/level2/aclnn_elu.h"\nauto* const launch = &aclnnInplaceElu;\n',
        encoding="ascii",
    )
    run(["g++", "-fsyntax-only", f"-I{DIRECTORY.parent}", source])


def test_the_catalogue_is_sound():
    known = catalogue.operators()
    assert len(known) == 992
    assert list(known) == sorted(known)
    for op in known.values():
        names = [param.name for param in op.params]
        assert re.fullmatch(r"aclnn[A-Z]\w+", op.name)
        assert re.fullmatch(r"aclnn_\w+\.h", op.header), op.name
        assert names, op.name
        assert len(set(names)) == len(names), op.name


def test_computed_operators_are_in_the_catalogue():
    """A misspelt declaration would be computed and known under two names."""
    assert {op.name for op in ops.ALL} - OWN <= catalogue.operators().keys()


def test_importing_aclhost_does_not_take_the_catalogue_apart():
    """Declarations look up their own rows; a thousand prototypes would take their time."""
    text = (
        "import aclhost, aclhost.cli\n"
        "from aclhost.spec import catalogue\n"
        "whole = catalogue.operators.cache_info()\n"
        "catalogue.operators()\n"
        "print(whole.currsize, catalogue.operators.cache_info().currsize)\n"
    )
    assert run([sys.executable, "-c", text]).stdout == "0 1\n"

# SPDX-License-Identifier: Apache-2.0
"""What the libraries export is what is declared, no more and no less."""

import re
from pathlib import Path

import pytest
from support.programs import run

from aclhost import _native, ops
from aclhost.gen import check_exports, exports
from aclhost.spec import catalogue, libraries, runtime_api


def declared(part):
    if part == "operators":
        single = {function.name for function in catalogue.computed_functions()}
        return single | {name for op in ops.ALL for name in (op.name, f"{op.name}GetWorkspaceSize")}
    return {function.name for function in libraries.functions(part)}


def everything():
    return {name for part in libraries.PARTS for name in declared(part)}


def symbols(path, selection):
    """Demangled names of the dynamic symbols."""
    lines = run(["nm", "-DC", selection, path]).stdout.splitlines()
    return {line.lstrip("0123456789abcdef ").split(maxsplit=1)[1] for line in lines}


def exported(path):
    return symbols(path, "--defined-only")


def needed_by_the_python_module():
    undefined = symbols(_native.__file__, "--undefined-only")
    return {name for name in undefined if name.startswith("aclhost::")}


def called(name):
    return re.compile(rf"aclhost::{name}\W").match


def test_every_function_belongs_to_one_part():
    parts = [name for part in libraries.PARTS for name in declared(part)]
    assert len(set(parts)) == len(parts)
    assert {function.name for function in runtime_api.FUNCTIONS} <= set(parts)
    assert {"aclrtMalloc", "aclGetRecentErrMsg"} <= declared("runtime")
    assert {"aclCreateTensor", "aclnnInit", "InitHugeMemThreadLocal"} <= declared("objects")
    assert "acltdtCreateChannel" in declared("channels")
    assert "acltdtCreateQueue" in declared("queues")
    assert "aclprofInit" in declared("profiler")


@pytest.mark.parametrize("library", libraries.ALL, ids=libraries.NAMES)
def test_every_public_library_exports_its_part(library, prefix, arch_prefix):
    expected = {name for part in library.exports for name in declared(part)}
    for root in (prefix, arch_prefix):
        assert exported(root / "lib64" / library.file) == expected


@pytest.mark.parametrize("library", libraries.ALL, ids=libraries.NAMES)
def test_every_public_library_needs_what_the_table_says(library, prefix):
    dynamic = run(["readelf", "-d", prefix / "lib64" / library.file]).stdout
    needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "NEEDED" in line]
    assert needed == [f"lib{name}.so" for name in library.needs]
    assert "Filter library: [libaclhost.so]" in dynamic


def test_the_library_itself_adds_what_the_python_module_needs(prefix):
    """PYTHON_MODULE in src/aclhost/gen/exports.py lists these functions."""
    names = exported(prefix / "lib64" / "libaclhost.so")
    private = {name for name in names if "aclhost::" in name}
    needed = needed_by_the_python_module()
    unused = [name for name in exports.PYTHON_MODULE if not any(map(called(name), needed))]
    # Other processors have other instruction sets.
    versions = tuple(f"::{name}" for name in ("compare_arrays", "stream_add"))
    assert [name for name in unused if not name.endswith(versions)] == []
    assert private - needed == set(), "superfluous in PYTHON_MODULE"
    assert needed - private == set(), "missing in PYTHON_MODULE"
    assert names - private == everything() | set(exports.PLACEHOLDERS)


def test_the_build_tells_what_is_missing(build, prefix):
    """A module that calls a function of ours that is internal, and one that is not."""
    text = """
namespace aclhost { void internal(int); const char* current_soc(); }
void f() { aclhost::internal(1); aclhost::current_soc(); }
"""
    module = build("c++", text, "-shared", "-fPIC", name="module.so")
    library = prefix / "lib64" / "libaclhost.so"
    assert check_exports.missing(module, library) == ["_ZN7aclhost8internalEi"]
    assert check_exports.missing(Path(_native.__file__), library) == []


def test_no_library_is_there_twice(prefix, arch_prefix):
    """A second libaclhost.so could become a second state."""
    assert not list(arch_prefix.rglob("libaclhost*"))
    found = {path.name for path in prefix.rglob("libaclhost*")}
    assert found == {"libaclhost.so", f"lib{libraries.PLACEHOLDERS}.so"}


@pytest.mark.parametrize("name", [*libraries.NAMES, libraries.IMPLEMENTATION])
def test_sonames(name, prefix):
    dynamic = run(["readelf", "-d", prefix / "lib64" / f"lib{name}.so"]).stdout
    assert f"soname: [lib{name}.so]" in dynamic

# SPDX-License-Identifier: Apache-2.0
"""What the libraries export is what is declared, no more and no less."""

import pytest
from support.programs import LIBRARIES, run

from aclhost import ops
from aclhost.spec import runtime_api


def declared():
    operators = {name for op in ops.ALL for name in (op.name, f"{op.name}GetWorkspaceSize")}
    return {function.name for function in runtime_api.FUNCTIONS} | operators


def exported(path):
    """Demangled names of everything another object could link to."""
    lines = run(["nm", "-DC", "--defined-only", path]).stdout.splitlines()
    return {line.split(maxsplit=2)[2] for line in lines}


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_public_library_exports_the_declared_list(name, prefix, arch_prefix):
    for root in (prefix, arch_prefix):
        assert exported(root / "lib64" / f"lib{name}.so") == declared()


def test_the_library_itself_adds_only_its_own_namespace(prefix):
    names = exported(prefix / "lib64" / "libaclhost.so")
    private = {name for name in names if "aclhost::" in name}
    assert names - private == declared()


def test_no_library_is_there_twice(prefix, arch_prefix):
    """A second libaclhost.so could become a second state."""
    assert not list(arch_prefix.rglob("libaclhost*"))
    assert [path.name for path in prefix.rglob("libaclhost*")] == ["libaclhost.so"]


@pytest.mark.parametrize("name", [*LIBRARIES, "aclhost"])
def test_sonames(name, prefix):
    dynamic = run(["readelf", "-d", prefix / "lib64" / f"lib{name}.so"]).stdout
    assert f"soname: [lib{name}.so]" in dynamic

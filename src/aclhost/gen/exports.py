# SPDX-License-Identifier: Apache-2.0
"""What the libraries export: the version script of the real one, the source of the filters."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import banner
from aclhost.spec import runtime_api

_SOURCE = "src/aclhost/spec/runtime_api.py"


def emit() -> Iterator[tuple[str, str]]:
    """The version script and the filter source."""
    yield "native/exports.map", _version_script()
    yield "native/shim.c", _shim()


def operator_symbols() -> tuple[str, ...]:
    """Both phases of every declared operator."""
    return tuple(symbol for op in ops.ALL for symbol in (f"{op.name}GetWorkspaceSize", op.name))


def symbols() -> tuple[str, ...]:
    """Everything a library exports."""
    return (*(function.name for function in runtime_api.FUNCTIONS), *operator_symbols())


def _version_script() -> str:
    names = "".join(f"    {name};\n" for name in symbols())
    note = banner(_SOURCE).replace("//", "#")
    private = '    extern "C++" { aclhost::*; };\n'  # for the Python module
    return f"{note}{{\n  global:\n{names}{private}  local:\n    *;\n}};\n"


def _shim() -> str:
    runtime = [_stub(f.name, f.returns) for f in runtime_api.FUNCTIONS]
    operators = [_stub(name, "aclnnStatus") for name in operator_symbols()]
    return (
        banner(_SOURCE)
        + "// The dynamic loader answers every one of these names with the function in\n"
        "// libaclhost.so; only a loader that knows no filters would ever run these.\n"
        + "".join((*runtime, *operators))
    )


def _stub(name: str, returns: str) -> str:
    if returns.endswith("*"):
        return f"void* {name}(void) {{ return 0; }}\n"
    if returns == "void":
        return f"void {name}(void) {{}}\n"
    if returns == "float":
        return f"float {name}(void) {{ return 0; }}\n"
    return f"int {name}(void) {{ return 500000; }}\n"

# SPDX-License-Identifier: Apache-2.0
"""What the libraries export: the version script of the real one, the sources of the filters."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import banner
from aclhost.spec import catalogue, libraries
from aclhost.spec.functions import Function
from aclhost.spec.libraries import Part

_SOURCE = "src/aclhost/spec/libraries.py"

# C++ functions of namespace aclhost, all overloads, that the Python module calls. The build tells
# which are missing, tests/toolkit/test_exported_symbols.py which are superfluous.
PYTHON_MODULE = (
    "CallCounter::remember",
    "Status::drop",
    "Status::failure",
    "avx2::compare_arrays",
    "avx2::stream_add",
    "avx512::compare_arrays",
    "avx512::stream_add",
    "baseline::compare_arrays",
    "baseline::stream_add",
    "bool_arrays",
    "call_counts",
    "check",
    "current_isa",
    "current_soc",
    "describe_blas",
    "evaluate_shape",
    "evaluate_term",
    "example_socs",
    "executors",
    "float_arrays",
    "forget_python_frames",
    "int_arrays",
    "is_same_call",
    "is_traced",
    "live_allocations",
    "machine_memory",
    "note_python_frames",
    "parse_size",
    "run_plain",
    "run_traced",
    "run_whole",
    "scalar_lists",
    "scalars",
    "select_soc",
    "shape_text",
    "tensor_lists",
    "tensors",
    "thread_count",
    "total_elements",
)
# Variables that the Python module reads.
DESCRIPTORS = ("aclnn*_operator",)
# What libaclhost_placeholders.so calls.
PLACEHOLDERS = ("aclhost_not_computed",)
# A name ends where no letter follows; version scripts know no parentheses outside of quotes.
_END = "[!_a-zA-Z0-9]*"


def emit() -> Iterator[tuple[str, str]]:
    """The version script, a source for each part of the filters, and the libraries for CMake."""
    yield "native/exports.map", _version_script()
    for part in libraries.PARTS:
        yield f"native/filters/{part}.c", _filter(functions(part))
    yield "native/filters/nothing.c", _filter(())
    yield "native/libraries.cmake", _cmake()


def functions(part: Part) -> tuple[Function, ...]:
    """What the libraries of a part offer."""
    if part == "operators":
        of_operators = (function for op in ops.ALL for function in op.functions)
        return (*of_operators, *catalogue.computed_functions())
    return libraries.functions(part)


def _hash_banner() -> str:
    return banner(_SOURCE).replace("//", "#")


def _version_script() -> str:
    names = (each.name for part in libraries.PARTS for each in functions(part))
    public = "".join(f"    {name};\n" for name in (*names, *PLACEHOLDERS))
    called = (f"{name}{_END}" for name in PYTHON_MODULE)
    private = "".join(f"      aclhost::{name};\n" for name in (*called, *DESCRIPTORS))
    return (
        f"{_hash_banner()}{{\n  global:\n{public}"
        f'    extern "C++" {{\n{private}    }};\n  local:\n    *;\n}};\n'
    )


def _filter(declared: tuple[Function, ...]) -> str:
    return (
        banner(_SOURCE)
        + "// The dynamic loader answers every one of these names with the function in\n"
        "// libaclhost.so; only a loader that knows no filters would ever run these.\n"
        + "".join(_stub(function.name, function.returns) for function in declared)
    )


def _stub(name: str, returns: str) -> str:
    if returns.endswith("*"):
        return f"void* {name}(void) {{ return 0; }}\n"
    if returns == "void":
        return f"void {name}(void) {{}}\n"
    if returns == "float":
        return f"float {name}(void) {{ return 0; }}\n"
    return f"int {name}(void) {{ return 500000; }}\n"


def _cmake() -> str:
    lines = [
        f"set(LIBRARIES {' '.join(libraries.NAMES)})",
        f"set(LIBRARY_PARTS {' '.join(libraries.PARTS)} nothing)",
        f"set(PLACEHOLDERS {libraries.PLACEHOLDERS})",
    ]
    for library in libraries.ALL:
        lines.append(f"set({library.name}_EXPORTS {' '.join(library.exports or ('nothing',))})")
        lines.append(f"set({library.name}_NEEDS {' '.join(library.needs)})")
    return _hash_banner() + "".join(f"{line}\n" for line in lines)

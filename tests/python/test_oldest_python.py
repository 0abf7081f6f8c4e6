# SPDX-License-Identifier: Apache-2.0
"""The package and pyACL run on the oldest Python that they name; tests run on another."""

import ast
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src/aclhost"
# What the standard library has only since 3.11 or later.
MODULES = {"tomllib"}
NAMES = {
    "asyncio": {"Runner", "TaskGroup", "timeout"},
    "contextlib": {"chdir"},
    "datetime": {"UTC"},
    "enum": {"EnumCheck", "ReprEnum", "StrEnum", "member", "nonmember", "verify"},
    "hashlib": {"file_digest"},
    "itertools": {"batched"},
    "math": {"cbrt", "exp2", "sumprod"},
    "operator": {"call"},
    "typing": {
        "LiteralString", "Never", "NotRequired", "Required", "Self", "TypeVarTuple", "Unpack",
        "assert_never", "override", "reveal_type",
    },
}  # fmt: skip


def too_new(text):
    """Modules and names that Python 3.10 does not have; syntax that it has not is an error."""
    tree = ast.parse(text, feature_version=(3, 10))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names if alias.asname is None}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = NAMES.get(node.module, set())
            yield from (f"{node.module}.{each.name}" for each in node.names if each.name in names)
            yield from {node.module} & MODULES
    yield from imported & MODULES
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(module), name) if module in imported:
                yield from {f"{module}.{name}"} if name in NAMES.get(module, ()) else ()


def test_nothing_newer_is_used():
    found = {
        str(path.relative_to(SOURCES)): names
        for path in SOURCES.rglob("*.py")
        if (names := sorted(set(too_new(path.read_text()))))
    }
    assert found == {}


def test_what_is_newer_is_found():
    text = "import enum, math, tomllib\nfrom typing import Self\nenum.StrEnum\nmath.exp\n"
    assert sorted(too_new(text)) == ["enum.StrEnum", "tomllib", "typing.Self"]

# SPDX-License-Identifier: Apache-2.0
"""Turns declarations into headers, C++ sources, Python functions, stubs and pages.

One module per kind of file. An emitter yields (path, text) pairs; paths start with
include/ (public headers), native/ (C++ sources), python/ (package files).
"""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen import (
    acl_headers,
    aclnn_module,
    bindings,
    check_tables,
    constants,
    exports,
    listing,
    op_args,
    op_headers,
    op_sources,
    placeholders,
    pyacl_modules,
    stubs,
    tables,
    unsupported,
)


def emit_all() -> Iterator[tuple[str, str]]:
    """Every generated file of a build."""
    yield from acl_headers.emit()
    yield from exports.emit()
    yield from unsupported.emit()
    yield from constants.emit()
    yield from tables.emit()
    yield from op_headers.emit()
    yield from check_tables.emit()
    yield from placeholders.emit()
    yield from op_args.emit()
    yield from op_sources.emit()
    yield from bindings.emit()
    yield from aclnn_module.emit()
    yield from pyacl_modules.emit()
    yield from stubs.emit()
    yield from listing.emit()

# SPDX-License-Identifier: Apache-2.0
"""The public library names: what each lets a program link to, and which others it needs.

A program that forgets a library must fail to link here as it does on a card, so each name offers
only its part. What a library needs is loaded with it: dlsym on libopapi finds the objects, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from aclhost.spec import runtime_api
from aclhost.spec.functions import Function

Part = Literal["runtime", "objects", "operators"]
PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(frozen=True)
class Library:
    """One file lib<name>.so of the toolkit tree."""

    name: str
    exports: tuple[Part, ...]
    needs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return f"lib{self.name}.so"


_OPERATORS = ("opapi", "opapi_nn", "opapi_cv", "opapi_math", "aclnn_ops_infer", "aclnn_math")

ALL = (
    Library("ascendcl", ("runtime",)),
    Library("acl_rt", ("runtime",)),
    # Programs link these two by habit; none of their own functions is provided.
    Library("runtime", ()),
    Library("acl_op_compiler", ()),
    Library("nnopbase", ("objects",), ("ascendcl",)),
    *(Library(name, ("operators",), ("nnopbase",)) for name in _OPERATORS),
)
NAMES = tuple(library.name for library in ALL)

# What a program needs that uses everything.
LINKED = ("opapi", "nnopbase", "ascendcl")

# The library with all code and all state, to which every public name leads.
IMPLEMENTATION = "aclhost"

# The operators that upstream has and aclhost does not compute.
PLACEHOLDERS = "aclhost_placeholders"


def functions(part: Literal["runtime", "objects"]) -> tuple[Function, ...]:
    """The functions of a part; those of the operators follow from their declarations."""
    # Headers of the runtime are under acl/; what no header declares belongs to the objects.
    wanted = part == "runtime"
    return tuple(f for f in runtime_api.FUNCTIONS if f.header.startswith("acl/") == wanted)

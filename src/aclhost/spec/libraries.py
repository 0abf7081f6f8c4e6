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

Part = Literal[
    "runtime", "objects", "operators", "channels", "queues", "dump", "profiler", "platform",
    "compiler", "blas", "collectives",
]  # fmt: skip
PARTS: tuple[Part, ...] = get_args(Part)

# Headers of the runtime whose functions upstream keeps in libraries of their own.
_PART_OF_HEADER: dict[str, Part] = {
    "acl/acl_tdt.h": "channels",
    "acl/acl_tdt_queue.h": "queues",
    "acl/acl_dump.h": "dump",
    "acl/acl_prof.h": "profiler",
    "acl/acl_platform.h": "platform",
    "acl/acl_op_compiler.h": "compiler",
    "acl/ops/acl_cblas.h": "blas",
    "hccl/hccl.h": "collectives",
    "hccl/hccl_comm.h": "collectives",
}


@dataclass(frozen=True)
class Library:
    """One file lib<name>.so of the toolkit tree."""

    name: str
    exports: tuple[Part, ...]
    needs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return f"lib{self.name}.so"


_OPERATORS = (
    "opapi", "opapi_nn", "opapi_cv", "opapi_math", "opapi_transformer", "aclnn_ops_infer",
    "aclnn_math",
)  # fmt: skip
# Programs link or load these by habit; none of their own functions is provided.
_NAMES_ONLY = (
    "runtime", "ge_runner", "ascend_hal", "ascend_ml", "register", "error_manager",
)  # fmt: skip

ALL = (
    Library("ascendcl", ("runtime",)),
    Library("acl_rt", ("runtime",)),
    Library("acl_tdt_channel", ("channels",)),
    Library("acl_tdt_queue", ("queues",)),
    Library("ascend_dump", ("dump",)),
    Library("msprofiler", ("profiler",)),
    Library("platform", ("platform",)),
    Library("acl_op_compiler", ("compiler",)),
    Library("acl_cblas", ("blas",)),
    Library("hccl", ("collectives",), ("ascendcl",)),
    *(Library(name, ()) for name in _NAMES_ONLY),
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


def functions(part: Part) -> tuple[Function, ...]:
    """The functions of a part; those of the operators follow from their declarations."""
    return tuple(f for f in runtime_api.FUNCTIONS if _part(f.header) == part)


def _part(header: str) -> Part:
    # What no header declares belongs to the objects.
    return _PART_OF_HEADER.get(header, "runtime" if header.startswith("acl/") else "objects")

# SPDX-License-Identifier: Apache-2.0
"""Huawei's AscendCL runtime and aclnn operators, re-implemented for the CPU.

The operators are functions here, by the snake_case of their C names: `aclhost.elu_backward`.
`aclhost.aclnn` has the two-phase functions as in C, `aclhost.acl` the runtime as in pyACL.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

try:
    from aclhost._functions import *  # noqa: F403
    from aclhost._native import call_counts, finish_imports, live_objects, select_soc, soc_name
except ModuleNotFoundError as missing:
    # The generator imports the declarations from a source tree, before anything is built.
    if missing.name not in ("aclhost._functions", "aclhost._native"):
        raise
else:
    os.register_at_fork(before=finish_imports)

__version__ = "0.1.0"

if TYPE_CHECKING:
    from aclhost.explaining import Explanation
    from aclhost.goldens.answer import Golden

__all__ = [
    "AclnnError", "call_counts", "explain", "golden", "live_objects", "select_soc", "soc",
    "soc_name",
]  # fmt: skip


class AclnnError(ValueError):
    """A call that an operator refuses, or one that failed while it ran.

    Attributes:
        status: The code that the C function returns, for example 161002.
        parameter: The parameter at fault, with upstream's spelling; empty if there is none.
        rule: The rule that was broken, for example "same_dtype".

    """

    def __init__(self, message: str, status: int, parameter: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter
        self.rule = rule

    def __reduce__(self) -> tuple[type[AclnnError], tuple[str, int, str, str]]:
        return type(self), (str(self), self.status, self.parameter, self.rule)


@contextmanager
def soc(name: str) -> Iterator[None]:
    """Plays another SoC inside a `with` block, for the whole process.

    Raises:
        ValueError: no product has such a SoC.

    """
    previous = soc_name()
    select_soc(name)
    try:
        yield
    finally:
        select_soc(previous)


def explain(what: int | str, /, *, soc: str = "", **arguments: Any) -> Explanation:  # noqa: ANN401
    """What a status means, or what the checks say about a call, without making it.

    Args:
        what: A code (161002, "ACLNN_ERR_PARAM_INVALID", "EZ1001"), or the name of an operator.
        soc: A SoC or product; by default all products are asked.
        **arguments: Those of the call, by their names in C or in Python: arrays, values, or words
            as for `aclhost explain` ("bf16[2,3]"). What has a default may be left out.

    Raises:
        ValueError: a name is unknown, an argument cannot be read, or one is missing.

    """
    from aclhost.explaining import explained

    return explained(what, soc, arguments)


def golden(name: str, /, *, soc: str = "", **arguments: Any) -> Golden:  # noqa: ANN401
    """The results of an operator: from the native kernels, and from its definition in float64.

    Args:
        name: The operator, as in C or in Python.
        soc: A SoC or product; by default the current one.
        **arguments: By their names in C or in Python; inputs stay as they are.

    Raises:
        AclnnError: the operator refuses the arguments.
        ValueError: a name is unknown, or an argument is missing.

    """
    from aclhost.goldens.answer import golden_of

    return golden_of(name, soc, arguments)

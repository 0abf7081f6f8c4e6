# SPDX-License-Identifier: Apache-2.0
"""Names for the text of a failed case: `from campaign.again import *`, then the text."""

from __future__ import annotations

from math import inf, nan

from aclhost import ops
from aclhost.spec import dtypes, formats, products
from aclhost.spec.call import Call, ScalarArg, TensorArg
from campaign import check as checks
from campaign.case import Case
from campaign.rounds import stream

__all__ = [
    "Call",
    "ScalarArg",
    "TensorArg",
    "check",
    "dtypes",
    "formats",
    "inf",
    "nan",
    "products",
]


def case(op: str, route: str, call: Call) -> Case:
    """The case itself."""
    return Case(ops.BY_NAME[op], route, call)


def check(op: str, route: str, call: Call) -> None:
    """Runs the case once more; raises what it raised, or says that all is well."""
    with stream() as handle:
        print(checks.check(case(op, route, call), handle))

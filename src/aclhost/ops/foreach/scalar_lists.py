# SPDX-License-Identifier: Apache-2.0
"""A list and a number for each of its members."""

from __future__ import annotations

from aclhost.ops.foreach.build import FLOATS
from aclhost.ops.foreach.checks import Dtypes
from aclhost.ops.foreach.numbers import WITH_INT32, in_list
from aclhost.ops.foreach.scalars import with_number
from aclhost.spec.dtypes import DOUBLE, DataType
from aclhost.spec.operator import Operator

_FIRST = ("Of the scalars' dtypes, only that of the first one is looked at.",)


def _list(kind: str, dtypes: Dtypes = WITH_INT32, *more: DataType) -> Operator:
    return with_number(
        f"{kind}ScalarList", kind, "scalars[i]", dtypes,
        numbers=in_list(dtypes, *more), notes=_FIRST,
    )  # fmt: skip


OPS = (
    _list("Add"),
    _list("Sub"),
    _list("Mul", WITH_INT32, DOUBLE),
    _list("Div", FLOATS),
    _list("Maximum", WITH_INT32, DOUBLE),
    _list("Minimum", WITH_INT32, DOUBLE),
    _list("Pow"),
)

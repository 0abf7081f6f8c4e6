# SPDX-License-Identifier: Apache-2.0
"""What rules are made of: values that follow from the arguments of a call.

A term is data. `evaluate` gives its value for a described call; the generator writes the same terms
as tables, which `native/operator/terms.cc` walks. Each class here has a case of the same name
there. Terms are total: they have a value for every call, sensible or not.

Integers stand for truth values, dtypes, formats and counts alike; shapes are tuples.
"""

from __future__ import annotations

from aclhost.spec.terms.arguments import (
    MEMBER,
    Contiguous,
    DimOf,
    EachMember,
    Elements,
    ElementsFrom,
    Empty,
    EveryDim,
    EveryItem,
    FlagAt,
    FormatFitsRank,
    FormatOf,
    InsideStorage,
    ItemOf,
    LengthOf,
    Position,
    Present,
    PrivateFormat,
    RankOf,
)
from aclhost.spec.terms.base import (
    INT64_MAX,
    INT64_MIN,
    Term,
    saturated,
)
from aclhost.spec.terms.dtypes import (
    CanCast,
    CastExists,
    DtypeAllowed,
    DtypeOf,
    InCategory,
    Promote,
    promoted,
)
from aclhost.spec.terms.logic import (
    And,
    AtMost,
    Const,
    Divided,
    Equal,
    If,
    In,
    Not,
    Or,
    Sum,
    Times,
    all_of,
    any_of,
    const,
)
from aclhost.spec.terms.values import (
    RELATIONS,
    Finite,
    KeepsScalar,
    Leads,
    NotAbove,
    ProductIn,
    RealIs,
    TextIs,
    ValueOf,
)
from aclhost.spec.terms.windows import WindowCount, window_count

__all__ = [
    "INT64_MAX",
    "INT64_MIN",
    "MEMBER",
    "RELATIONS",
    "And",
    "AtMost",
    "CanCast",
    "CastExists",
    "Const",
    "Contiguous",
    "DimOf",
    "Divided",
    "DtypeAllowed",
    "DtypeOf",
    "EachMember",
    "Elements",
    "ElementsFrom",
    "Empty",
    "Equal",
    "EveryDim",
    "EveryItem",
    "Finite",
    "FlagAt",
    "FormatFitsRank",
    "FormatOf",
    "If",
    "In",
    "InCategory",
    "InsideStorage",
    "ItemOf",
    "KeepsScalar",
    "Leads",
    "LengthOf",
    "Not",
    "NotAbove",
    "Or",
    "Position",
    "Present",
    "PrivateFormat",
    "ProductIn",
    "Promote",
    "RankOf",
    "RealIs",
    "Sum",
    "Term",
    "TextIs",
    "Times",
    "ValueOf",
    "WindowCount",
    "all_of",
    "any_of",
    "const",
    "promoted",
    "saturated",
    "window_count",
]

# SPDX-License-Identifier: Apache-2.0
"""Scattered sums under a name that promises more: upstream's code lets nothing else through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import INDEX_NOTE, NEGATIVE_NOTE, Rules, as_in_place, in_place
from aclhost.ops.index.scatter import (
    ADD,
    DIM,
    INDEX,
    ORDER,
    REDUCE,
    RESULT,
    SELF_IN,
    SELF_REF,
    SOURCE,
    drawn_elements,
    elements_call,
    golden_elements,
    scatter_checks,
    torch_elements,
    typical_elements,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    And,
    Const,
    DtypeOf,
    Equal,
    If,
    In,
    Present,
    ProductIn,
    ValueOf,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_ON = (A3, A2)
_ORIGINAL = Flag("includeSelf", "Whether what is there first takes part.", default=True)
_FORMULA = (
    "`{0}[index[i, j, k], j, k] = {1}[index[i, j, k], j, k] + src[i, j, k]` for dim 0 of three "
    "dimensions, and so on. {2}"
)


def _first(self: str) -> Rules:
    """What comes before everything else."""
    verified = all_of(
        In(DtypeOf(self), (FLOAT,)), Equal(ValueOf("reduce"), Const(ADD)), ValueOf("includeSelf")
    )
    known = In(ValueOf("reduce"), (0, 1, 2, 3, 4, 5))
    return requires(
        "verified",
        self,
        If(And(ProductIn(_ON), Present(self)), verified, known),
        f"{self} must be FLOAT, reduce 1 and includeSelf true",
        (Shown("dtype", DtypeOf(self)), " and reduce ", Shown("integer", ValueOf("reduce"))),
        "Use aclnnScatter for other reductions.",
    )


def _golden(
    self: Array, dim: int, index: Ints, src: Array, reduce: int, include_self: bool
) -> Array:
    return golden_elements(self, dim, index, src, reduce)


def _torch(
    torch: Torch, self: Torch, dim: int, index: Torch, src: Torch, reduce: int, include_self: bool
) -> Torch:
    return torch_elements(torch, self, dim, index, src, reduce)


def _of(call: Call) -> Call:
    out = call.arguments["out"]
    rest = {name: each for name, each in call.arguments.items() if name != "out"}
    return Call({**rest, "reduce": ADD, "includeSelf": True, "out": out}, call.product)


_CALLS = (
    _of(elements_call((3, 3), 0, TensorArg((2, 2), INT64, (0, 2, 0, -3)))),
    _of(elements_call((2, 3), 1, TensorArg((1, 4), INT32, (0, 2, 1, 0)))),
    _of(elements_call((), -1, TensorArg((), INT64, (0,)))),
    _of(elements_call((2, 2), 0, TensorArg((0, 2), INT32))),
)
_NOTES = (
    INDEX_NOTE,
    NEGATIVE_NOTE,
    "The document knows other dtypes and reductions; upstream's code refuses them.",
)

_SCATTER_REDUCE = Operator(
    "aclnnScatterReduce",
    summary="Adds elements along a dimension, each at an index of its own.",
    formula=_FORMULA.format("out", "self", ORDER),
    params=(SELF_IN, DIM, INDEX, SOURCE, REDUCE, _ORIGINAL, RESULT),
    checks=scatter_checks("self", "out", _first("self"), on=_ON, is_float=True),
    golden=_golden,
    reference=_torch,
    summed=("self", "src"),
    ulps=4,
    draw=lambda rng: _of(drawn_elements(rng, (FLOAT,))),
    typical=lambda n: _of(typical_elements(n)),
    samples=_CALLS,
    notes=_NOTES,
)

_INPLACE_SCATTER_REDUCE = Operator(
    "aclnnInplaceScatterReduce",
    summary="Adds elements along a dimension in place, each at an index of its own.",
    formula=_FORMULA.format("selfRef", "selfRef", ORDER),
    params=(SELF_REF, DIM, INDEX, SOURCE, REDUCE, _ORIGINAL),
    checks=scatter_checks("selfRef", "selfRef", _first("selfRef"), on=_ON, is_float=True),
    golden=in_place(_golden),
    reference=in_place(_torch),
    summed=("selfRef", "src"),
    ulps=4,
    draw=lambda rng: as_in_place(_of(drawn_elements(rng, (FLOAT,)))),
    typical=lambda n: as_in_place(_of(typical_elements(n))),
    samples=tuple(map(as_in_place, _CALLS)),
    notes=_NOTES,
)

OPS = (_SCATTER_REDUCE, _INPLACE_SCATTER_REDUCE)

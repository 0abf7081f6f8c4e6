# SPDX-License-Identifier: Apache-2.0
"""Paddings that repeat elements: reflection, replication, circular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.ops.padding.build import (
    PADDED,
    WORDS,
    Places,
    Rules,
    common,
    drawn,
    forward_call,
    forward_params,
    mapped,
    nothing_empty,
    padded_lengths,
    ranks,
    reflected,
    repeated,
    replicated,
    shorter_than_self,
    torch_padding,
)
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT8_E8M0,
    FLOAT16,
    HIFLOAT8,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, ALL, DEFAULT, P310P, T910, Product
from aclhost.spec.rules import (
    dims_positive,
    done_when_empty,
    dtype_in,
    inside_storage,
    length_in,
    not_null,
    not_private,
    only_on,
    same_dtype,
    same_format,
    shape_is,
    supported_on,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_NEWER, _WIDELY = (A950, A3, A2), (A950, A3, A2, P310P, T910)
_COMMON = (FLOAT, INT32, INT64, FLOAT16, INT16, DOUBLE, INT8, UINT8)
_ON_950 = (UINT64, UINT32, UINT16, HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0)


@dataclass(frozen=True)
class Kind:
    """A way of padding."""

    name: str  # upstream's, without aclnn and dimensions
    mode: str  # torch's
    places: Places
    summary: str
    formula: str  # where a position lies in self
    dtypes: dict[DataType, tuple[Product, ...]]
    notes: tuple[str, ...] = ()


_CUT = "A negative padding cuts elements off, as in torch; the documents do not mention it."
_REFLECTION = Kind(
    "ReflectionPad",
    "reflect",
    reflected,
    "Pads with what lies on the other side of the border",
    "`|i|` before self, `2 * (length - 1) - i` behind it",
    {
        **dict.fromkeys((*_COMMON, BOOL), ALL),
        **dict.fromkeys((BF16, COMPLEX64, COMPLEX128), _NEWER),
        **dict.fromkeys(_ON_950, (A950,)),
    },
    notes=(_CUT,),
)
_REPLICATION = Kind(
    "ReplicationPad",
    "replicate",
    replicated,
    "Pads with the border itself",
    "0 before self, `length - 1` behind it",
    {
        **dict.fromkeys((*_COMMON, COMPLEX64, COMPLEX128, BF16), ALL),
        **dict.fromkeys((*_ON_950, BOOL), (A950,)),
    },
    notes=(
        _CUT,
        "The documents limit padding to less than self's dimensions; nobody checks it.",
    ),
)
_CIRCULAR = Kind(
    "CircularPad",
    "circular",
    repeated,
    "Pads from the opposite end",
    "i modulo length",
    dict.fromkeys((FLOAT, BF16, FLOAT16, INT32, INT8), ALL),
    notes=(
        "Positions go round as often as it takes, and negative paddings cut elements off. torch "
        "refuses more than one round, and repeats what is left after cutting.",
    ),
)
_LAST = {1: "along the last dimension", 2: "along the last two", 3: "along the last three"}


def _shapes(kind: Kind, dims: int) -> tuple[Rules, ...]:
    """What is demanded of the result's shape: reflection compares all of it at the very end."""
    checks = (ranks(dims, "out"), length_in("padding", 2 * dims))
    if kind is _REFLECTION:
        return (*checks, shorter_than_self(dims), padded_lengths(dims, "out"))
    return (*checks, shape_is("out", PADDED, WORDS))


def _checks(kind: Kind, dims: int) -> tuple[Rules, ...]:
    allowed = [only_on(dtype, *on) for dtype, on in kind.dtypes.items()]
    dtypes = (dtype_in("self", *allowed), dtype_in("out", *allowed), same_dtype("out", "self"))
    private = (not_private("self"),) if kind is _CIRCULAR else ()
    formats = (*private, same_format("out", "self"))
    first = (formats, dtypes) if kind is _REPLICATION and dims == 2 else (dtypes, formats)
    return (
        not_null("self", "padding", "out"),
        *(rules for group in first for rules in group),
        *_shapes(kind, dims),
        nothing_empty(dims + 1, "out"),
        dims_positive("self", 1),
    )


def _products(kind: Kind, dims: int) -> tuple[Product, ...]:
    if kind is _CIRCULAR:
        return (A3, A2)
    return (*_NEWER, T910) if kind is _REFLECTION and dims == 3 else _WIDELY


def _padding(kind: Kind, dims: int) -> Operator:
    shape, padding = (2, 4, 5, 4)[: dims + 1], (1, 2, 3, 1, 2, 1)[: 2 * dims]
    on = _products(kind, dims)
    choices = [
        (dtype, product)
        for dtype, where in kind.dtypes.items()
        for product in on
        if product in where and dtype.numpy
    ]
    samples = dict(sorted(choices, key=lambda choice: choice[1] is DEFAULT))
    batch = forward_call(FLOAT, (2, *shape), padding)
    strides = tuple(2 * step for step in batch.tensor("self").row_major)

    def golden(self: Array, padding: Ints) -> Array:
        return mapped(kind.places, self, padding)

    return Operator(
        f"aclnn{kind.name}{dims}d",
        summary=f"{kind.summary}, {_LAST[dims]}.",
        formula=(
            "Along each padded axis, position i counted from self's first element lies at i where "
            f"self has it, at {kind.formula}. Values are copied bit by bit."
        ),
        params=forward_params(dims),
        checks=(
            *_checks(kind, dims),
            done_when_empty("self", "out"),
            supported_on(*on),
            inside_storage("self"),
            *((shape_is("out", PADDED, WORDS),) if kind is _REFLECTION else ()),
        ),
        samples=(
            *(forward_call(each, shape, padding, where) for each, where in samples.items()),
            batch,
            batch.changing(("self",), strides=strides),
        ),
        golden=golden,
        reference=torch_padding(kind.mode),
        draw=lambda rng: drawn(rng, dims, forward_call, choices),
        typical=lambda n: common(n, dims, forward_call, FLOAT),
        formats="Any label, the same on self and out.",
        notes=kind.notes,
    )


OPS = tuple(
    _padding(kind, dims)
    for kind in (_REFLECTION, _REPLICATION, _CIRCULAR)
    for dims in ((2, 3) if kind is _CIRCULAR else (1, 2, 3))
)

# SPDX-License-Identifier: Apache-2.0
"""Gradients of paddings that repeat elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.ops.padding.build import (
    PADDED,
    WORDS,
    Places,
    Rules,
    backward_call,
    backward_params,
    collected,
    common,
    drawn,
    nothing_empty,
    padded_lengths,
    ranks,
    reflected,
    repeated,
    replicated,
    shorter_than_self,
    torch_gradient,
)
from aclhost.spec.dtypes import BF16, COMPLEX64, COMPLEX128, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310P, T910, Product
from aclhost.spec.rules import (
    Condition,
    dims_positive,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    length_in,
    not_null,
    not_private,
    requires,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import Const, DtypeOf, EveryItem, In, ItemOf, all_of, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_TENSORS = ("gradOutput", "self", "gradInput")
_FLOATS = (FLOAT, FLOAT16, BF16)


@dataclass(frozen=True)
class Kind:
    """A way of padding, as far as gradients differ."""

    name: str  # upstream's, without aclnn and dimensions
    mode: str  # torch's
    places: Places
    summary: str
    dtypes: tuple[DataType, ...]
    on: tuple[Product, ...]
    shorter: tuple[int, ...]  # for how many dimensions padding must be less than them
    never_empty: tuple[int, ...]  # for how many an empty tensor without a batch is refused
    private: tuple[str, ...] = _TENSORS  # which may not have a private format
    notes: tuple[str, ...] = ()


_ALL = (*_FLOATS, DOUBLE, COMPLEX64, COMPLEX128)
_WIDELY = (A950, A3, A2, P310P, T910)
_REFLECTION = Kind(
    "ReflectionPad",
    "reflect",
    reflected,
    "Gradient of padding with what lies on the other side of the border",
    _ALL,
    _WIDELY,
    shorter=(1, 2, 3),
    never_empty=(3,),
)
_REPLICATION = Kind(
    "ReplicationPad",
    "replicate",
    replicated,
    "Gradient of padding with the border itself",
    _ALL,
    _WIDELY,
    shorter=(),
    never_empty=(1, 2, 3),
    notes=("The documents limit padding to less than self's dimensions; nobody checks it.",),
)
_CIRCULAR = Kind(
    "CircularPad",
    "circular",
    repeated,
    "Gradient of padding from the opposite end",
    _FLOATS,
    (A950, A3, A2),
    shorter=(3,),
    never_empty=(3,),
    private=("gradOutput",),
)


def _few_bf16() -> Rules:
    """In two dimensions BF16 is padded by at most 7, or in the last one only, and never cut."""
    flat = all_of(*(In(ItemOf("padding", Const(i)), (0,)) for i in (2, 3)))
    rules = requires(
        "bf16_padding",
        "padding",
        all_of(EveryItem("padding", least=0), any_of(flat, EveryItem("padding", most=7))),
        "the values of padding must be 0 to 7, or at least 0 with none at top and bottom,",
        (Shown("array", "padding"),),
        "Pad less, or use FLOAT.",
    )
    return when(Condition(In(DtypeOf("gradOutput"), (BF16,)), "gradOutput is BF16"), rules)


def _checks(kind: Kind, dims: int) -> tuple[tuple[Rules, ...], ...]:
    presence = not_null("gradOutput", "self", "padding", "gradInput")
    return (
        (inner(presence) if kind is _CIRCULAR and dims == 3 else presence,),
        tuple(dtype_in(name, *kind.dtypes) for name in _TENSORS),
        (same_dtype("gradOutput", "self"), same_dtype("gradInput", "self")),
        (not_private(*kind.private),),
        (same_format("self", "gradOutput"), same_format("gradInput", "gradOutput")),
        (same_shape("gradInput", "self"), ranks(dims, "gradOutput")),
        (length_in("padding", 2 * dims),),
        (shorter_than_self(dims),) if dims in kind.shorter else (),
        (_few_bf16(),) if dims == 2 and kind is not _CIRCULAR else (),
        (padded_lengths(dims, "gradOutput"),),
        (nothing_empty(dims + 1, "gradOutput"),) if dims in kind.never_empty else (),
        (dims_positive("self", 1),),
    )


def _gradient(kind: Kind, dims: int) -> Operator:
    name = f"aclnn{kind.name}{dims}d"
    shape, padding = (2, 4, 5, 4)[: dims + 1], (1, 2, 3, 1, 2, 1)[: 2 * dims]
    calls = [backward_call(dtype, shape, padding) for dtype in kind.dtypes]
    batch = backward_call(FLOAT, (2, *shape), padding)
    strides = tuple(2 * step for step in batch.tensor("gradOutput").row_major)
    choices = [(dtype, product) for dtype in kind.dtypes for product in kind.on]

    def golden(grad_output: Array, self: Array, padding: Ints) -> Array:
        return collected(kind.places, grad_output, self, padding)

    return Operator(
        f"{name}Backward",
        summary=f"{kind.summary}, along the last {dims}." if dims > 1 else f"{kind.summary}.",
        formula=(
            "Every element of self gets the sum of gradOutput at all places where the forward put "
            "it, in the order of these places; those it was cut from give 0. Sums are taken in "
            "float (DOUBLE and complex numbers: in their own type) and rounded once."
        ),
        params=backward_params(dims),
        checks=(
            *(rules for group in _checks(kind, dims) for rules in group),
            done_when_empty("gradOutput", "self"),
            supported_on(*kind.on),
            inside_storage("gradOutput", "self"),
            inner(shape_is("gradOutput", PADDED, WORDS)),
        ),
        samples=(*calls, batch, batch.changing(("gradOutput",), strides=strides)),
        golden=golden,
        reference=torch_gradient(kind.mode),
        summed=("gradOutput",),
        gradient=Gradient(forward=name, results={"gradInput": "self"}, given={"gradOutput": "out"}),
        draw=lambda rng: drawn(rng, dims, backward_call, choices),
        typical=lambda n: common(n, dims, backward_call, FLOAT),
        formats="Any public label, the same on gradOutput, self and gradInput.",
        notes=kind.notes,
    )


OPS = tuple(
    _gradient(kind, dims)
    for kind in (_REFLECTION, _REPLICATION, _CIRCULAR)
    for dims in ((2, 3) if kind is _CIRCULAR else (1, 2, 3))
)

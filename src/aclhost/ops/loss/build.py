# SPDX-License-Identifier: Apache-2.0
"""What the point-wise losses and their gradients share, so that each is a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.ops.pointwise.checks import ranks
from aclhost.ops.pointwise.declare import NEW_BF16, with_sample
from aclhost.spec import catalogue
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.expression import Element
from aclhost.spec.family import LateSamples
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Flag, Parameter, TensorIn, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    broadcastable,
    equals,
    one_of,
    requires,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown, listing
from aclhost.spec.shapes import (
    Broadcast,
    Broadcastable,
    ElementsOf,
    Rank0,
    SameShape,
    ShapeIf,
    ShapeOf,
    ShapeTerm,
)
from aclhost.spec.terms import (
    DtypeOf,
    If,
    In,
    Present,
    Promote,
    Sum,
    Term,
    ValueOf,
    all_of,
    const,
    promoted,
)

Torch = Any  # the module, or its tensors
Checks = tuple[tuple[Step, ...], ...]
Span = tuple[float, float]
Shows = tuple[tuple[int, str], ...]  # variants whose formulas a page has, and when they hold

FLOATS = (FLOAT, FLOAT16, BF16)
TABLE = (FLOAT, FLOAT16, NEW_BF16)
WORDS = ("none", "mean", "sum")
NONE, MEAN = equals("reduction", 0), equals("reduction", 1)
REDUCED = equals("reduction", 1, 2)
REDUCTION = Choice("reduction", "0 none, 1 mean, 2 sum.", words=WORDS, default="mean")
KNOWN_REDUCTION = one_of("reduction", 0, 1, 2, meaning="0 for none, 1 for mean, 2 for sum")
AS_GIVEN = ValueOf("reduction")
PROBABILITY: Span = (0.0, 1.0)
_SMALL = 2.0**-80  # subnormal factors of larger gradients have lost bits
SHAPES = ((2, 1, 3), (4, 1), (1,))  # of a sample that broadcasts

_DOCS = {
    "self": "Input.",
    "input": "Input.",
    "x": "Input of the forward operator.",
    "target": "What the input is compared with.",
    "weight": "Factor of each element's loss.",
    "weightOptional": "Factor of each element's loss.",
    "posWeightOptional": "Factor of the loss where target is 1.",
    "gradOutput": "Gradient of the loss.",
    "dy": "Gradient of the result.",
    "out": "Result.",
    "gradInput": "Gradient of self.",
    "gradTarget": "Gradient of target.",
}


def mean_share(name: str, count: Term) -> NumberFrom:
    """What the gradient of a mean is divided by: the count, else 1."""
    return NumberFrom(name, value=If(In(ValueOf("reduction"), (1,)), count, const(1)))


def formula_of(kernel: Pointwise, shown: Shows) -> str:
    """Some of the variants, one after the other."""
    return "; ".join(f"{kernel.formula(number)}{when}" for number, when in shown)


def params_of(
    name: str, out: str, shape: ShapeTerm, dtype: Term, others: Mapping[str, Parameter]
) -> tuple[Parameter, ...]:
    """The parameters as the catalogue has them; tensors that may be left out end in Optional."""
    known = catalogue.operator(name)
    assert known is not None, name
    found: list[Parameter] = []
    for each in known.params:
        is_const = each.c_type.startswith("const")
        if each.name in others:
            found.append(others[each.name])
        elif each.name == out:
            result = TensorOut(out, _DOCS[out], shape=shape, dtype=dtype, is_const=is_const)
            found.append(result)
        else:
            optional = each.name.startswith(("weight", "posWeight"))
            found.append(TensorIn(each.name, _DOCS[each.name], optional, is_const))
    return tuple(found)


def loss(
    name: str,
    summary: str,
    function: Callable[..., Element],
    checks: Checks,
    reference: Callable[..., Any],
    *,
    inputs: tuple[str, ...] = ("self", "target"),
    computed: Term | None = None,
    results: Term | None = None,
    dtype: Term | None = None,
    dtypes: tuple[DataType, ...] = FLOATS,
    spans: Mapping[str, Span] | None = None,
    variants: tuple[Callable[..., Element], ...] = (),
    variant: Term | None = None,
    shape: ShapeTerm | None = None,
    reduction: Term = AS_GIVEN,
    share: NumberFrom | None = None,
    others: tuple[Parameter, ...] = (REDUCTION,),
    shapes: tuple[tuple[int, ...], ...] = SHAPES,
    shown: Shows = ((0, ""),),
    ulps: float = 2,
    notes: tuple[str, ...] = (),
) -> Operator:
    """A loss of elements, with their mean or sum; `shape` is that of a reduced result."""
    common = computed or promoted(*inputs)
    result = ShapeIf(In(AS_GIVEN, (0,)), Broadcast(inputs), shape or Rank0())
    params = params_of(name, "out", result, dtype or common, {each.name: each for each in others})
    kernel = Pointwise(
        inputs, ("out",), (share,) if share else (), common, function, dtypes, variants=variants,
        variant=variant, results=results, reduction=reduction,
    )  # fmt: skip
    formula = f"{formula_of(kernel, shown)}; then nothing, the mean or the sum"
    op = pointwise_operator(
        name, summary, params, checks, kernel, reference=reference, ulps=ulps, notes=notes,
        formula=formula, shapes=shapes,
    )  # fmt: skip
    return _with_samples(op, spans or {})


def loss_backward(
    name: str,
    summary: str,
    function: Callable[..., Element],
    checks: Checks,
    reference: Callable[..., Any],
    *,
    out: str,
    inputs: tuple[str, ...] = ("gradOutput", "self", "target"),
    computed: Term | None = None,
    dtype: Term | None = None,
    spans: Mapping[str, Span] | None = None,
    variants: tuple[Callable[..., Element], ...] = (),
    variant: Term | None = None,
    shape: ShapeTerm | None = None,
    share: NumberFrom | None = None,
    sums: bool = False,
    flags: tuple[Flag, ...] = (),
    reduction: Choice = REDUCTION,
    shapes: tuple[tuple[int, ...], ...] = SHAPES,
    shown: Shows = ((0, ""),),
    gradient: Gradient | None = None,
    ulps: float = 3,
    notes: tuple[str, ...] = (),
) -> Operator:
    """A gradient: a function of the inputs and of the count that a mean divides by."""
    common = computed or promoted(*inputs)
    count = share or mean_share("count", ElementsOf(shape or Broadcast(inputs)))
    kernel = Pointwise(
        inputs, (out,), (count,), common, function, FLOATS, variants=variants, variant=variant,
        reduction=const(2) if sums else None,
    )  # fmt: skip
    others: dict[str, Parameter] = {"reduction": reduction, **{flag.name: flag for flag in flags}}
    params = params_of(name, out, shape or Broadcast(inputs), dtype or common, others)
    notes = (*notes, "count is the number of elements with mean, else 1.")
    op = pointwise_operator(
        name, summary, params, checks, kernel, reference=reference, ulps=ulps, ulps_from=_SMALL,
        gradient=gradient, formula=formula_of(kernel, shown), notes=notes, shapes=shapes,
    )  # fmt: skip
    return _with_samples(op, spans or {})


def _with_samples(op: Operator, spans: Mapping[str, Span]) -> Operator:
    """The operator with samples without reduction and with a sum."""
    for number in (0, 2):
        op = with_sample(op, partial(Call.passing, reduction=number))
    return with_spans(op, spans)


def with_spans(op: Operator, spans: Mapping[str, Span]) -> Operator:
    """The operator with samples whose inputs are drawn from ranges."""
    if not spans:
        return op

    def spanned(call: Call) -> Call:
        for name, span in spans.items():
            if call.arguments[name] is not None:
                call = call.changing((name,), span=span)
        return call

    return replace(op, samples=LateSamples(lambda: tuple(map(spanned, op.samples))))


def whole_shape(out: str, *inputs: str) -> tuple[Rule, ...]:
    """The result has the shape that the inputs broadcast to."""
    return shape_is(out, Broadcast(inputs), f"that {listing(inputs, 'and')} broadcast to")


def out_shape(*inputs: str, otherwise: Condition = REDUCED) -> tuple[Rule, ...]:
    """The result has the broadcast shape, or rank 0."""
    return (
        *when(NONE, whole_shape("out", *inputs)),
        *when(otherwise, shape_is("out", Rank0(), "of rank 0")),
    )


def broadcasts_to(name: str, other: str) -> tuple[Rule, ...]:
    """The tensor broadcasts to another's shape, which stays as it is."""
    both = (other, name)
    holds = all_of(Broadcastable(both), SameShape(Broadcast(both), ShapeOf(other)))
    shapes = Shown("shape", ShapeOf(name)), " and ", Shown("shape", ShapeOf(other))
    advice = "Aligned at the right, its dimensions must be equal to the other's or 1."
    text = f"{name} must broadcast to the shape of {other}"
    return requires("broadcasts_to", name, holds, text, shapes, advice)


def promoted_with(optional: tuple[str, ...], *inputs: str) -> Term:
    """The common dtype of tensors some of which may be left out."""
    common = promoted(*inputs)
    for name in optional:
        common = If(Present(name), Promote(common, DtypeOf(name)), common)
    return common


def presence(*optional: str) -> Term:
    """Which of some tensors are there: 1 for the first, 2 for the second, and so on."""
    total: Term = const(0)
    for position, name in enumerate(optional):
        total = Sum(total, If(Present(name), const(1 << position), const(0)))
    return total


def broadcasting(*inputs: str) -> tuple[Rule, ...]:
    """At most eight dimensions each, and from left to right they fit."""
    pairs = ((inputs[i], inputs[:i]) for i in range(1, len(inputs)))
    fits = (rule for name, others in pairs for rule in broadcastable(name, *others))
    return (*ranks(*inputs), *fits)


def random_dtype(random: Random) -> DataType:
    """One of the floating dtypes of the default product."""
    return random.choice(FLOATS)

# SPDX-License-Identifier: Apache-2.0
"""Gated units: the halves of a tensor along a dimension, one of them the other's gate.

What they share, so that each is a row: the traced function is one of the halves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.spec import catalogue, math, products
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.expression import Element
from aclhost.spec.family import LateSamples, derived_samples, with_results
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, Parameter, TensorIn, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import Rule, Step, divisible, only_on, shape_is, supported_on
from aclhost.spec.shapes import AxisDivided
from aclhost.spec.terms import Const, DtypeOf, Term, ValueOf
from aclhost.spec.views import Views

FLOATS = (FLOAT16, FLOAT, BF16)
NEW_BF16 = only_on(BF16, A950, A3, A2)
LAST = Const(-1)
DIM = ValueOf("dim")
HALVED = Int("dim", "Dimension that is halved.", default=-1)
LEFT = Flag("activateLeft", "Whether the gate is the first half.", default=False)

NOT_COMPARED = (
    "Upstream does not compare the shape of the result, its document demands it; so does aclhost.",
)

Attributes = dict[str, tuple[Argument, ...]]  # by name, values to draw from


def sigmoid_and_rest(x: Element) -> tuple[Element, Element]:
    """sigmoid(x) and 1 - sigmoid(x), from one exponential and without cancellation."""
    small = math.exp(-abs(x))
    large = 1 / (1 + small)
    return math.where(x < 0, small * large, large), math.where(x < 0, large, small * large)


def halved(tensor: str, dim: Term = DIM) -> tuple[Rule, ...]:
    """The dimension can be halved."""
    return divisible(tensor, dim, 2, "dimension dim" if dim == DIM else "the last dimension")


def half_shape(name: str, of: str, dim: Term = DIM) -> tuple[Rule, ...]:
    """The tensor is as large as one of the halves."""
    which = "dim" if dim == DIM else "the last dimension"
    return shape_is(name, AxisDivided(of, dim, 2), f"of {of} with {which} halved")


def supported(name: str) -> tuple[Rule, ...]:
    """The product is one that the document lists."""
    known = catalogue.operator(name)
    assert known is not None, name
    return supported_on(*known.products)


def half(
    name: str, of: str, doc: str = "Result.", dim: Term = DIM, *, is_const: bool = True
) -> TensorOut:
    """A result as large as one of the halves."""
    return TensorOut(name, doc, shape=AxisDivided(of, dim, 2), dtype=DtypeOf(of), is_const=is_const)


@dataclass(frozen=True)
class Gated:
    """What is special about an operator on halves."""

    name: str
    summary: str
    params: tuple[Parameter, ...]
    checks: tuple[tuple[Step, ...], ...]
    function: Callable[..., Any]  # of inputs, then numbers
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    views: Views
    reference: Callable[..., Any]  # of torch and all arguments by Python names
    halved: str = "x"  # the tensor whose halves are meant
    dim: Term = DIM
    words: str = ""  # what the names of the halves mean
    numbers: tuple[str, ...] = ()
    single: tuple[str, ...] = ()  # tensors of one element
    dtypes: tuple[DataType, ...] = FLOATS
    variants: tuple[Callable[..., Any], ...] = ()
    variant: Term | None = None
    attributes: Attributes = field(default_factory=dict)
    gradient: Gradient | None = None
    ulps: float = 4
    ulps_from: float = 0.0
    notes: tuple[str, ...] = ()

    def operator(self) -> Operator:
        """The declaration, with samples and random calls."""
        kernel = Pointwise(
            self.inputs, self.outputs, tuple(map(NumberFrom, self.numbers)),
            DtypeOf(self.halved), self.function, self.dtypes,
            variants=self.variants, variant=self.variant, views=self.views,
        )  # fmt: skip
        plain = pointwise_operator(
            self.name, self.summary, self.params, self.checks, kernel,
            reference=self.reference, ulps=self.ulps, ulps_from=self.ulps_from,
            notes=self.notes, formula=self._formula(kernel), gradient=self.gradient,
        )  # fmt: skip
        op: Operator = replace(
            plain,
            samples=LateSamples(lambda: self._samples(op)),
            draw=lambda rng: self._draw(op, rng),
            typical=lambda n: self._with_tensors(op.samples[0], (max(n // 1024, 1), 1024), -1),
        )
        return op

    def _formula(self, kernel: Pointwise) -> str:
        lines = [kernel.formula(variant) for variant in range(len(kernel.functions))]
        return f"{'; or '.join(dict.fromkeys(lines))}. {self.words}"

    def _samples(self, op: Operator) -> tuple[Call, ...]:
        shapes = {p.name: (2, 6 if p.name == self.halved else 3) for p in self._inputs()}
        calls = derived_samples(op, own_shapes={**shapes, **dict.fromkeys(self.single, (1,))})
        first = calls[0]
        more = [first.passing(**{name: value})
                for name, values in self.attributes.items() for value in values]  # fmt: skip
        if self.dim == DIM:
            more += [self._with_tensors(first, (4, 3), 0), self._with_tensors(first, (2, 6, 5), 1)]
        return (*calls, *(with_results(op, call) for call in more))

    def _inputs(self) -> list[Parameter]:
        """The tensors that are halved, or as large as a half."""
        return [p for p in self.params if isinstance(p, TensorIn) and p.name not in self.single]

    def _with_tensors(self, call: Call, shape: tuple[int, ...], dim: int) -> Call:
        """The same call on other shapes, halved along another dimension."""
        small = list(shape)
        small[dim] //= 2
        for param in self.params:
            if isinstance(call.arguments[param.name], TensorArg) and param.name not in self.single:
                whole = param.name == self.halved or getattr(param, "like", "") == self.halved
                call = call.reshaped(shape if whole else tuple(small), param.name)
        return call.passing(dim=dim) if self.dim == DIM else call

    def _draw(self, op: Operator, rng: Random) -> Call:
        while True:
            rank = rng.randint(1, 4)
            dim = rng.randrange(-rank, rank) if self.dim == DIM else -1
            shape = [rng.randint(1, 5) for _ in range(rank)]
            shape[dim] = 2 * rng.choice((0, 1, 2, 3, 8, 32, 64))
            call = self._with_tensors(rng.choice(op.samples), tuple(shape), dim)
            drawn = {name: rng.choice(values) for name, values in self.attributes.items()}
            call = call.passing(**drawn).on(rng.choice(products.ALL))
            if evaluate(op, call).rule is None:
                return call


def operators(*rows: Gated) -> tuple[Operator, ...]:
    """All of them."""
    return tuple(row.operator() for row in rows)

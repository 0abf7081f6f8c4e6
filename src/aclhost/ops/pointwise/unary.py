# SPDX-License-Identifier: Apache-2.0
"""How functions of one tensor are put together, each with its in-place twin.

Names of parameters, the prototypes and the supported products come from the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.ops.pointwise.deduction import floating_or_float, is_complex, is_floating
from aclhost.spec import catalogue, dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.catalogue import KnownOperator
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator, Reference
from aclhost.spec.params import Parameter, TensorIn, TensorInOut, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.products import A2, A950
from aclhost.spec.rules import Rule, Step, done_when_empty, dtype_in, inside_storage, supported_on
from aclhost.spec.rules import not_null as not_null_161001
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import SameShape
from aclhost.spec.terms import CanCast, DtypeOf, Equal, If, Or, Term

Dtypes = tuple[DataType | Limited, ...]
Checks = Callable[[str, str], tuple[Step, ...]]  # of the names of the tensor and of the result
Deduction = Callable[[Term, Term], Term]  # from the dtypes of the tensor and of the result

_DTYPE_RULES = ("dtype_in", "castable", "same_dtype", "dtype_is")


def own_or_float(x: Term, out: Term) -> Term:
    """The tensor's dtype, FLOAT for integers and BOOL."""
    return floating_or_float(x)


def own(x: Term, out: Term) -> Term:
    """The tensor's dtype."""
    return x


def own_or_result(x: Term, out: Term) -> Term:
    """The tensor's dtype, that of the result for integers and BOOL."""
    return If(Or(is_floating(x), is_complex(x)), x, out)


def nothing(x: str, out: str) -> tuple[Step, ...]:
    """No checks."""
    return ()


def _done_when_empty(x: str, out: str) -> tuple[Step, ...]:
    return done_when_empty(x)


@dataclass(frozen=True)
class Unary:
    """A function of one tensor; the catalogue tells whether there is a twin, or we do."""

    name: str
    summary: str
    function: Callable[..., Any]
    checks: Checks  # what phase 1 looks at after null pointers
    reference: str | Callable[..., Any]  # a name in torch, or of torch, the tensor and the numbers
    computed: Deduction = own_or_float
    rounded: Deduction | None = None  # what a result is rounded to; None: what is computed in
    result: Deduction = own_or_float  # the dtype of a new result in Python
    twin: Dtypes = ()  # what the twin's dtype is checked for first; empty: it has no such list
    early: int = 0  # checks of upstream's twin before it calls the other one's phase 1
    numbers: tuple[Parameter, ...] = ()
    late: Checks = nothing  # what the last steps of phase 1 refuse
    not_null: Callable[..., tuple[Rule, ...]] = not_null_161001
    is_done: Checks = _done_when_empty
    checks_product: bool = False  # whether `checks` refuse unsupported products
    variants: tuple[Callable[..., Any], ...] = ()
    variant: Term | None = None
    shapes: tuple[tuple[int, ...], ...] = ()  # of a further sample
    more: tuple[DataType, ...] = ()  # that only lists of tensors have
    ulps: float = 2
    ulps_from: float = 0.0
    notes: tuple[str, ...] = ()
    notes_on_out: tuple[str, ...] = ()  # that the twin has no use for

    def operators(self) -> tuple[Operator, ...]:
        """The operator and its twin."""
        inplace = self.name.replace("aclnn", "aclnnInplace")
        known, twin = catalogue.operator(self.name), catalogue.operator(inplace)
        if known is None:
            known = catalogue.own_operator(self.name, "self", "out")
            twin = catalogue.own_operator(inplace, "selfRef")
        return (self._plain(known), *([self._inplace(twin)] if twin else []))

    def _plain(self, known: KnownOperator) -> Operator:
        x, out = known.params[0].name, known.params[-1]
        params = (
            TensorIn(x, "Input."),
            *self.numbers,
            TensorOut(
                out.name,
                "Result.",
                like=x,
                dtype=self.result(DtypeOf(x), DtypeOf(x)),
                is_const=out.c_type.startswith("const"),
            ),
        )
        steps = (
            *self.not_null(x, out.name),
            *self.checks(x, out.name),
            *self._last_steps(known, x, out.name),
            *self.late(x, out.name),
        )
        return self._operator(known, params, steps, (*self.notes, *self.notes_on_out))

    def _inplace(self, known: KnownOperator) -> Operator:
        ref = known.params[0]
        is_const = ref.c_type.startswith("const")
        tensor = TensorInOut(ref.name, "Input, replaced by the result.", is_const=is_const)
        checks = _without_comparisons_with_itself(self.checks(ref.name, ref.name))
        if self.twin:
            others = (step for step in checks if getattr(step, "id", "") not in _DTYPE_RULES)
            checks = (*dtype_in(ref.name, *self.twin), *others)
        steps = (*self.not_null(ref.name), *checks, *self._last_steps(known, ref.name, ref.name))
        twin = self._operator(known, (tensor, *self.numbers), steps, self.notes)
        return replace(twin, early=self.early)

    def _last_steps(self, known: KnownOperator, x: str, out: str) -> tuple[Step, ...]:
        supported = () if self.checks_product else supported_on(*known.products)
        return (*self.is_done(x, out), *supported, *inside_storage(x))

    def _operator(
        self,
        known: KnownOperator,
        params: tuple[Parameter, ...],
        steps: tuple[Step, ...],
        notes: tuple[str, ...],
    ) -> Operator:
        x = params[0].name
        out = x if isinstance(params[0], TensorInOut) else params[-1].name
        computed = self.computed(DtypeOf(x), DtypeOf(out))
        kernel = Pointwise(
            (x,),
            (out,),
            tuple(NumberFrom(number.name) for number in self.numbers),
            computed,
            self.function,
            (*self._values_of(computed, x, out, steps), *self.more),
            results=self.rounded(DtypeOf(x), DtypeOf(out)) if self.rounded else None,
            variants=self.variants,
            variant=self.variant,
        )
        return pointwise_operator(
            known.name,
            self.summary,
            params,
            (steps,),
            kernel,
            reference=self._reference(params[0]),
            ulps=self.ulps,
            ulps_from=self.ulps_from,
            notes=notes,
            shapes=self.shapes,
        )

    def _values_of(
        self, term: Term, x: str, out: str, steps: tuple[Step, ...]
    ) -> tuple[DataType, ...]:
        """Every dtype that a deduction gives for dtypes that the checks list."""
        rules = [step for step in steps if isinstance(step, Rule)]
        lists = {rule.parameter: allowed for rule in rules if (allowed := rule.dtypes())}
        results = lists.get(out, lists[x]) if _depends_on(term, out) else lists[x][:1]
        numbers = {number.name: getattr(number, "default", None) for number in self.numbers}
        calls = (
            Call({out: TensorArg((), delivered), x: TensorArg((), taken), **numbers}, product)
            for taken in lists[x]
            for delivered in results
            for product in (A2, A950)
        )
        return tuple(dict.fromkeys(dtypes.BY_VALUE[term.evaluate(call)] for call in calls))

    def _reference(self, tensor: Parameter) -> Reference:
        function = self.reference
        if isinstance(function, str):
            return function
        names = (tensor.python_name, *(number.python_name for number in self.numbers))
        return lambda torch, **arguments: function(torch, *(arguments[name] for name in names))


def _without_comparisons_with_itself(steps: Iterable[Step]) -> tuple[Step, ...]:
    """What is left of checks where tensor and result are one."""

    def is_trivial(step: Step) -> bool:
        holds = step.holds if isinstance(step, Rule) else None
        if isinstance(holds, CanCast):
            return holds.source == holds.target
        return isinstance(holds, Equal | SameShape) and holds.first == holds.second

    return tuple(step for step in dict.fromkeys(steps) if not is_trivial(step))


def _depends_on(term: Term, name: str) -> bool:
    values = [getattr(term, each.name) for each in fields(term)]
    return name in values or any(_depends_on(v, name) for v in values if isinstance(v, Term))


def operators(*functions: Unary) -> tuple[Operator, ...]:
    """All of them, each followed by its twin."""
    return tuple(op for function in functions for op in function.operators())

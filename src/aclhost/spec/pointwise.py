# SPDX-License-Identifier: Apache-2.0
"""The kernel of a point-wise operator: a function of elements, and in which types it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from aclhost.spec import dtypes
from aclhost.spec.dtypes import DataType
from aclhost.spec.expression import (
    Call,
    Constant,
    Domain,
    Element,
    Expression,
    Input,
    Kind,
    Number,
    domain_of,
    parts,
    walk,
)
from aclhost.spec.formula import formula
from aclhost.spec.terms import Const, Term, const
from aclhost.spec.trace import trace
from aclhost.spec.views import Views, ViewTerm

if TYPE_CHECKING:
    from aclhost.spec import call as described
    from aclhost.spec.golden import Array

# The type a loop computes in; others in their own.
_LOOP_DTYPES = {
    dtypes.FLOAT16: dtypes.FLOAT,
    dtypes.BF16: dtypes.FLOAT,
    dtypes.COMPLEX32: dtypes.COMPLEX64,
}
_TRUTH = Kind(Domain.BOOL)
_TITLES = {
    Domain.REAL: "floating-point types",
    Domain.COMPLEX: "complex types",
    Domain.INTEGER: "signed integers",
    Domain.UNSIGNED: "unsigned integers",
    Domain.BOOL: "BOOL",
}


def loop_dtype(dtype: DataType) -> DataType:
    """FLOAT for the 16-bit floats, COMPLEX64 for COMPLEX32, else the type itself."""
    return _LOOP_DTYPES.get(dtype, dtype)


def stored_dtype(kind: Kind, computed: DataType) -> DataType:
    """What a loop that computes in a dtype stores for a result of this kind."""
    if kind.domain is Domain.BOOL or kind.dtype is not None:
        return kind.dtype or dtypes.BOOL
    own = loop_dtype(computed)
    wide = own in (dtypes.DOUBLE, dtypes.COMPLEX128)
    if kind.domain is Domain.REAL and domain_of(own) is not Domain.REAL:
        return dtypes.DOUBLE if wide else dtypes.FLOAT
    if kind.domain is Domain.COMPLEX and domain_of(own) is not Domain.COMPLEX:
        return dtypes.COMPLEX128 if wide else dtypes.COMPLEX64
    return own


@dataclass(frozen=True)
class NumberFrom:
    """A number of the function: an aclScalar or a plain attribute, converted once for a call.

    Or an integer that follows from the call: `value`, and `parameter` is what formulas call it.
    """

    parameter: str
    dtype: Term | None = None  # what it is converted to; None: what the loop computes in
    absent: str = ""  # what stands for a null pointer: "least" or "most" of the type, or nothing
    value: Term | None = None

    @property
    def kind(self) -> Kind | None:
        """What the function sees; None: as what is computed."""
        return _stated_kind(self.dtype)


@dataclass(frozen=True)
class Pointwise:
    """outputs = function(*inputs, *numbers) for each element, broadcast.

    Inputs are cast to `computed`, or to their own dtype in `input_dtypes`. Each result is rounded
    to `results`, then cast to the output's dtype. Terms of inputs and numbers that are no constants
    must give dtypes of the loop that `computed` has, those of results what the function returns.

    With a reduction, the only result is summed over the dimensions that the output, aligned at the
    right of what the inputs broadcast to, lacks or has with length 1.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    numbers: tuple[NumberFrom, ...]
    computed: Term
    function: Callable[..., Any]
    dtypes: tuple[DataType, ...]  # those that `computed` can have
    results: Term | tuple[Term | None, ...] | None = None  # for all outputs or each; None: computed
    input_dtypes: tuple[Term | None, ...] = ()  # None: computed
    variants: tuple[Callable[..., Any], ...] = ()  # further functions of the same arguments
    variant: Term | None = None  # which one: 0 is `function`
    views: Views = ()  # inputs and outputs that are views of parameters instead of them
    reduction: Term | None = None  # 0: none, 1: the mean, 2: the sum

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.function, *self.variants)

    @property
    def loop_dtypes(self) -> tuple[DataType, ...]:
        """One for each loop, in the order of the dtypes."""
        return tuple(dict.fromkeys(loop_dtype(dtype) for dtype in self.dtypes))

    @property
    def narrow_dtypes(self) -> tuple[DataType, ...]:
        """Of 16 bits, with loops of their own: the functions look at bits only."""
        return self._halves if self._halves and all(map(_of_bits, self._of_reals)) else ()

    @property
    def half_dtypes(self) -> tuple[DataType, ...]:
        """Of 16 bits, with loops that convert on the way, for some of the functions."""
        variants = range(len(self.functions))
        brief = not self.narrow_dtypes and any(map(self.is_brief, variants))
        return self._halves if brief else ()

    def is_brief(self, variant: int = 0) -> bool:
        """Whether conversions between 16-bit floats and float count beside the rest of the work.

        Of a function whose inputs and results are all of what is computed in.
        """
        stated = any(_stated_kind(self.input_dtype(i)) for i in range(len(self.inputs)))
        if not self._halves or not self.inputs or stated:
            return False
        results = self.expressions(Domain.REAL, variant)
        calls = (node for node in walk(results) if isinstance(node, Call))
        return all(each.kind == Kind(Domain.REAL) for each in results) and all(
            map(_is_brief, calls)
        )

    @property
    def _halves(self) -> tuple[DataType, ...]:
        halves = tuple(dtype for dtype in self.dtypes if dtype in (dtypes.FLOAT16, dtypes.BF16))
        return halves if self.reduction is None else ()

    @property
    def _of_reals(self) -> tuple[tuple[Expression, ...], ...]:
        variants = range(len(self.functions)) if self._halves else ()
        return tuple(self.expressions(Domain.REAL, variant) for variant in variants)

    def keeps(self, dtype: DataType, variant: int = 0) -> bool:
        """Whether integers, computed in a dtype, stay what they are, where they are."""
        domain = domain_of(dtype)
        if domain not in (Domain.INTEGER, Domain.UNSIGNED) or self.inputs != self.outputs:
            return False
        (result, *others) = self.expressions(domain, variant)
        return not others and isinstance(result, Input) and result.kind == Kind(domain)

    @property
    def domains(self) -> tuple[Domain, ...]:
        return tuple(dict.fromkeys(domain_of(dtype) for dtype in self.dtypes))

    def view_of(self, name: str) -> ViewTerm | None:
        """What an input or an output is a view of; None: a parameter of the same name."""
        return dict(self.views).get(name)

    def parameter_of(self, name: str) -> str:
        view = self.view_of(name)
        return view.parameter if view else name

    @property
    def written(self) -> tuple[str, ...]:
        """The parameters that outputs are, or are views of."""
        return tuple(dict.fromkeys(map(self.parameter_of, self.outputs)))

    @property
    def elementwise(self) -> tuple[str, ...]:
        """Inputs whose elements count for results at the same place only: those without views."""
        apart = self.reduction is not None or any(map(self.view_of, self.outputs))
        named = () if apart else self.inputs
        viewed = {self.parameter_of(name) for name in named if self.view_of(name)}
        return tuple(name for name in named if name not in viewed)

    def first_output(self, parameter: str) -> int:
        """The position of the first output that is the parameter, or a view of it."""
        return [self.parameter_of(name) for name in self.outputs].index(parameter)

    def read(self, call: described.Call, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs by their names, from arrays by the parameters'; None stays None."""
        found = {}
        for name in self.inputs:
            view, array = self.view_of(name), arrays[self.parameter_of(name)]
            found[name] = array if view is None or array is None else view.of(call, array)
        return found

    def joined(self, call: described.Call, results: tuple[Array, ...]) -> tuple[Array, ...]:
        """Arrays for the written parameters, from those for the outputs."""
        if not any(self.view_of(name) for name in self.outputs):
            return results
        return tuple(self._join(call, parameter, results) for parameter in self.written)

    def _join(self, call: described.Call, parameter: str, results: tuple[Array, ...]) -> Array:
        import numpy as np

        parts = [
            (self.view_of(name), result)
            for name, result in zip(self.outputs, results, strict=True)
            if self.parameter_of(name) == parameter
        ]
        whole = np.zeros(call.shape(parameter), np.result_type(*(part for _, part in parts)))
        for view, part in parts:
            (whole if view is None else view.of(call, whole))[...] = part
        return whole

    def input_dtype(self, position: int) -> Term | None:
        return self.input_dtypes[position] if self.input_dtypes else None

    def result_dtype(self, position: int) -> Term | None:
        """What a result is rounded to; tests are BOOL without being told. None: computed."""
        stated = self.results[position] if isinstance(self.results, tuple) else self.results
        kinds = {self.expressions(domain)[position].kind for domain in self.domains}
        return const(dtypes.BOOL) if stated is None and kinds == {_TRUTH} else stated

    def check(self) -> None:
        """Raises where a loop would store another type than `results` says."""
        for variant, dtype in product(range(len(self.functions)), self.loop_dtypes):
            for position, result in enumerate(self.expressions(domain_of(dtype), variant)):
                stored, wanted = stored_dtype(result.kind, dtype), self._result_in(position, dtype)
                if wanted is not None and loop_dtype(wanted) is not stored:
                    raise ValueError(
                        f"{self.outputs[position]} computed in {dtype} is {stored}, "
                        f"not {wanted}: say so in results"
                    )

    def _result_in(self, position: int, computed: DataType) -> DataType | None:
        """What a result is rounded to where that does not depend on the call."""
        stated = self.result_dtype(position)
        if stated is None:
            return computed
        return dtypes.BY_VALUE[stated.number] if isinstance(stated, Const) else None

    def expressions(self, domain: Domain, variant: int = 0) -> tuple[Expression, ...]:
        """What the function is in one of the domains."""
        if (domain, variant) not in self._traced:
            self._traced[domain, variant] = _expressions(self, domain, variant)
        return self._traced[domain, variant]

    @cached_property
    def _traced(self) -> dict[tuple[Domain, int], tuple[Expression, ...]]:
        return {}

    def inputs_read(self, domain: Domain, variant: int = 0) -> int:
        """How many of the inputs, from the first one on, a loop has to get."""
        nodes = walk(self.expressions(domain, variant))
        return max((node.position + 1 for node in nodes if isinstance(node, Input)), default=0)

    def formula(self, variant: int = 0) -> str:
        """Markdown: the expression, or a line for each kind of types that has its own."""
        by_text: dict[str, list[Domain]] = {}
        for domain in sorted(self.domains, reverse=True, key=lambda d: (d is Domain.REAL, d)):
            text = self._lines(domain, variant)
            by_text.setdefault(text, []).append(domain)
        if len(by_text) == 1:
            return next(iter(by_text))
        return "\n".join(
            f"- {', '.join(_TITLES[domain] for domain in domains)}: {text}"
            for text, domains in by_text.items()
        )

    def _lines(self, domain: Domain, variant: int) -> str:
        texts = formula(self.expressions(domain, variant))
        return ", ".join(
            f"`{name} = {text}`" for name, text in zip(self.outputs, texts, strict=True)
        )

    def golden(
        self, values: Mapping[str, Element], computed: DataType, variant: int = 0
    ) -> tuple[Array, ...]:
        """The results of NumPy arrays and numbers by the parameters' names, computed in a dtype.

        Reals come as float64 whatever the dtype; integers are exact in theirs.
        """
        from aclhost.spec.numpy_evaluation import evaluate

        domain = domain_of(computed)
        integers = computed.numpy if domain in (Domain.INTEGER, Domain.UNSIGNED) else "int64"
        return evaluate(self.expressions(domain, variant), values, integers)


def _expressions(kernel: Pointwise, domain: Domain, variant: int) -> tuple[Expression, ...]:
    same = Kind(domain)
    inputs = [
        (name, _stated_kind(kernel.input_dtype(i)) or same) for i, name in enumerate(kernel.inputs)
    ]
    numbers = [(number.parameter, number.kind or same) for number in kernel.numbers]
    results = trace(kernel.functions[variant], domain, inputs, numbers)
    if len(results) != len(kernel.outputs):
        raise ValueError(f"{len(results)} results for the outputs {', '.join(kernel.outputs)}")
    return results


def _of_bits(results: tuple[Expression, ...]) -> bool:
    """Whether real inputs are tested or change their signs, and nothing else is there."""
    for node in walk(results):
        is_truth = node.kind.domain is Domain.BOOL
        if not (is_truth or node.kind == Kind(Domain.REAL)) or isinstance(node, Number | Constant):
            return False
        on_truth = all(part.kind.domain is Domain.BOOL for part in parts(node))
        if isinstance(node, Call) and not (node.operation.of_bits or on_truth):
            return False
    return True


def _is_brief(call: Call) -> bool:
    """A power is where it is a product."""
    exponent = call.arguments[-1]
    if call.operation.numpy == "power" and isinstance(exponent, Constant):
        return exponent.value in (2, 3)
    return call.operation.brief or bool(call.operation.half_cpp)


def _stated_kind(dtype: Term | None) -> Kind | None:
    if not isinstance(dtype, Const):
        return None
    stated = dtypes.BY_VALUE[dtype.number]
    return Kind(domain_of(stated), loop_dtype(stated))

# SPDX-License-Identifier: Apache-2.0
"""An operator: everything there is to know about one aclnn function pair."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

from aclhost.spec import catalogue, products, workspace
from aclhost.spec.call import Call
from aclhost.spec.each import Each
from aclhost.spec.formats import ND, Format, of_rank
from aclhost.spec.functions import Function, phases
from aclhost.spec.functions import Parameter as CParameter
from aclhost.spec.gradient import Gradient
from aclhost.spec.params import (
    TENSORS,
    Parameter,
    TensorIn,
    TensorInOut,
    TensorList,
    TensorListOut,
    TensorOut,
)
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.products import Product
from aclhost.spec.python_names import snake_case
from aclhost.spec.rules.base import Rule, Step
from aclhost.spec.terms import DtypeOf, Equal, ProductIn

# A name in torch, or a function of torch and the arguments by Python names.
Reference: TypeAlias = str | Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Operator:
    """The declaration from which headers, checks, bindings, pages and negative tests follow."""

    name: str  # upstream's, with the aclnn prefix
    summary: str
    formula: str  # Markdown
    params: tuple[Parameter, ...]
    checks: tuple[tuple[Step, ...], ...]  # groups as written; the first failure decides
    samples: Sequence[Call]
    golden: Callable[..., Any] | None = (
        None  # NumPy, float64 in and out; parameters by Python names
    )
    kernel: Pointwise | None = None  # None: native/kernels has a function run(const <name>Args&)
    each: Each | None = None  # instead: lists whose members go through another operator's kernel
    reference: Reference = ""  # torch's function of the same arguments; NotImplemented: differs
    peer: Reference = ""  # torch's function that does the same with other numbers: benchmarks
    ulps: float = 2  # how far FLOAT and DOUBLE results may be off; one for rounding included
    ulps_from: float = 0.0  # ulps of results below are those of this number: there are roots
    early: int = 0  # so many checks come before phase 1 looks at where to put its results
    launch_checks: tuple[tuple[Rule, ...], ...] = ()  # failures that only phase 2 reports
    summed: tuple[str, ...] = ()  # inputs whose sums the result consists of
    terms: Callable[..., Any] | None = None  # golden that adds up magnitudes: factors have signs
    gradient: Gradient | None = None  # whose derivative this is
    draw: Callable[[Random], Call] | None = None  # a small valid call with random attributes
    typical: Callable[[int], Call] | None = None  # a common call on about that many elements
    elementwise: tuple[str, ...] = ()  # inputs that an output may replace element by element
    labelled: bool = False  # an array from Python carries the label of its rank, not ND
    blocked: str = ""  # the weight that phase 1 labels FRACTAL_NZ, as lying in blocks
    formats: str = "Any format label is accepted and ignored."
    determinism: str = "Deterministic: the same bits for every run and thread count."
    workspace: int | None = None  # bytes that phase 1 asks for; None: as its family
    notes: tuple[str, ...] = ()  # documented limits nobody enforces, differences from upstream
    source: str = field(default_factory=lambda: _declaring_file())  # noqa: PLW0108

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("aclnn")

    @property
    def snake_name(self) -> str:
        return snake_case(self.short_name)

    @property
    def page(self) -> str:
        """The file of its page; index.md is the table of all."""
        return "aclnn_index.md" if self.snake_name == "index" else f"{self.snake_name}.md"

    @property
    def header(self) -> str:
        known = catalogue.operator(self.name)
        return known.header if known else f"aclnn_{self.snake_name}.h"

    @property
    def functions(self) -> tuple[Function, Function]:
        """The two C functions."""
        known = catalogue.operator(self.name)
        types = {param.name: param.c_type for param in known.params} if known else {}
        return phases(
            self.name,
            tuple(CParameter(types.get(p.name, p.c_type), p.name) for p in self.params),
            f"aclnnop/{self.header}",
            (
                f"{self.summary} Phase 1: checks the arguments and prepares the work.",
                "Phase 2: queues the prepared work on the stream.",
            ),
        )

    @property
    def family(self) -> str:
        """The folder, or the file, of src/aclhost/ops that declares it."""
        return self.source.removeprefix("src/aclhost/ops/").split("/")[0].removesuffix(".py")

    @property
    def workspace_bytes(self) -> int:
        """What phase 1 asks for; where a tensor is empty, it asks for nothing."""
        return workspace.of_family(self.family) if self.workspace is None else self.workspace

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for group in self.checks for step in group)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule in order: those of phase 1, then those that phase 2 reports."""
        return (*(step for step in self.steps if isinstance(step, Rule)), *self.late_rules)

    @cached_property
    def late_rules(self) -> tuple[Rule, ...]:
        return tuple(rule for group in self.launch_checks for rule in group)

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        """Single ones; lists are apart."""
        return tuple(
            param
            for param in self.params
            if isinstance(param, TENSORS) and not isinstance(param, TensorListOut)
        )

    @cached_property
    def outputs(self) -> tuple[TensorOut, ...]:
        return tuple(param for param in self.params if isinstance(param, TensorOut))

    @property
    def products(self) -> tuple[Product, ...]:
        """Those that no check excludes as a whole."""
        return _admitted_by(self.rules)

    def python_label(self, rank: int) -> Format:
        """What an array of that rank from Python is labelled as."""
        return of_rank(rank) if self.labelled else ND

    def parameter(self, name: str) -> Parameter:
        return next(param for param in self.params if param.name == name)

    def python_params(self) -> tuple[Parameter, ...]:
        """Python's order: required parameters as in C, then those with defaults; outputs apart."""
        given = [param for param in self.params if not isinstance(param, TensorOut)]
        required = [param for param in given if param.python_default is None]
        return (*required, *(param for param in given if param.python_default is not None))

    def dtype_rule(self, name: str) -> Rule | None:
        """The rule that lists the parameter's dtypes, directly or through one it must equal."""
        names = {name} | {
            rule.holds.second.parameter
            for rule in self.rules
            if rule.id == "same_dtype"
            and rule.parameter == name
            and isinstance(rule.holds, Equal)
            and isinstance(rule.holds.second, DtypeOf)
        }
        return next(
            (rule for rule in self.rules if rule.parameter in names and rule.dtypes() is not None),
            None,
        )

    def is_elementwise(self, param: Parameter) -> bool:
        """Whether an output may lie where this input does: each element counts for its own only."""
        if self.kernel is None:
            return param.name in self.elementwise
        return param.name in self.kernel.elementwise

    def reads(self, param: Parameter) -> bool:
        return isinstance(param, TensorIn | TensorList) or (
            isinstance(param, TensorInOut) and param.reads
        )

    def reads_all(self, param: Parameter) -> bool:
        """Whether every element is read, so that strict mode may ask who wrote it."""
        return self.reads(param) and not (isinstance(param, TensorIn) and param.chosen)


def _admitted_by(rules: Iterable[Rule]) -> tuple[Product, ...]:
    admitted: tuple[Product, ...] = products.ALL
    for rule in rules:
        if isinstance(rule.holds, ProductIn) and rule.condition is None:
            on = rule.holds.on
            admitted = tuple(product for product in admitted if product in on)
        elif rule.dtypes() is not None:
            admitted = tuple(product for product in admitted if rule.dtypes(product))
    return admitted


def _declaring_file() -> str:
    """The file whose module level builds the Operator, as a path in the repository.

    No line: a declaration that merely moved must not compile anything again.
    """
    frame = inspect.currentframe()
    while frame is not None:
        _, inside, path = frame.f_code.co_filename.rpartition("aclhost/ops/")
        if inside and frame.f_code.co_name == "<module>":
            return f"src/aclhost/ops/{path}"
        frame = frame.f_back
    return ""

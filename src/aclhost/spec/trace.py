# SPDX-License-Identifier: Apache-2.0
"""Point-wise functions traced into expressions.

A function of a declaration is called once for each domain with symbols instead of numbers; what it
does with them is recorded. It may ask a symbol for its domain and branch (`if x.is_integer:`), but
not for its value: that is `where`.

Integers wrap in the type they are computed in. Where an integer meets a real number, or is divided
with `/`, the result is real. BOOL adds as or, multiplies as and, subtracts as exclusive or.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass

from aclhost.spec import dtypes
from aclhost.spec import operations as op
from aclhost.spec.dtypes import DataType
from aclhost.spec.expression import (
    Domain,
    Element,
    Expression,
    Input,
    Kind,
    Number,
    Operation,
    Plain,
    call,
    constant,
    convert,
)

# The domain of the trace that is going on: constants alone do not say in what they are computed.
_computing: ContextVar[Domain] = ContextVar("computing", default=Domain.REAL)


@dataclass(frozen=True, eq=False)
class Symbol:
    """Stands for a value while a function is traced."""

    expression: Expression

    @property
    def domain(self) -> Domain:
        return self.expression.kind.domain

    @property
    def is_bool(self) -> bool:
        return self.domain is Domain.BOOL

    @property
    def is_integer(self) -> bool:
        """Signed or unsigned."""
        return self.domain in (Domain.INTEGER, Domain.UNSIGNED)

    @property
    def is_unsigned(self) -> bool:
        return self.domain is Domain.UNSIGNED

    @property
    def is_real(self) -> bool:
        """Of a floating type."""
        return self.domain is Domain.REAL

    @property
    def is_complex(self) -> bool:
        return self.domain is Domain.COMPLEX

    def __bool__(self) -> bool:
        raise TypeError("a symbol has no value while it is traced; choose with where()")

    def __add__(self, other: Element) -> Symbol:
        return apply(op.ADD, self, other)

    def __radd__(self, other: Element) -> Symbol:
        return apply(op.ADD, other, self)

    def __sub__(self, other: Element) -> Symbol:
        return apply(op.SUBTRACT, self, other)

    def __rsub__(self, other: Element) -> Symbol:
        return apply(op.SUBTRACT, other, self)

    def __mul__(self, other: Element) -> Symbol:
        return apply(op.MULTIPLY, self, other)

    def __rmul__(self, other: Element) -> Symbol:
        return apply(op.MULTIPLY, other, self)

    def __truediv__(self, other: Element) -> Symbol:
        return apply(op.DIVIDE, self, other)

    def __rtruediv__(self, other: Element) -> Symbol:
        return apply(op.DIVIDE, other, self)

    def __floordiv__(self, other: Element) -> Symbol:
        return apply(op.FLOOR_DIVIDE, self, other)

    def __rfloordiv__(self, other: Element) -> Symbol:
        return apply(op.FLOOR_DIVIDE, other, self)

    def __mod__(self, other: Element) -> Symbol:
        return apply(op.REMAINDER, self, other)

    def __rmod__(self, other: Element) -> Symbol:
        return apply(op.REMAINDER, other, self)

    def __pow__(self, other: Element) -> Symbol:
        return apply(op.POWER, self, other)

    def __rpow__(self, other: Element) -> Symbol:
        return apply(op.POWER, other, self)

    def __neg__(self) -> Symbol:
        return apply(op.NEGATIVE, self)

    def __abs__(self) -> Symbol:
        return self if self.domain < Domain.INTEGER else apply(op.ABSOLUTE, self)

    def __invert__(self) -> Symbol:
        return apply(op.INVERT, self)

    def __and__(self, other: Element) -> Symbol:
        return apply(op.BITWISE_AND, self, other)

    def __or__(self, other: Element) -> Symbol:
        return apply(op.BITWISE_OR, self, other)

    def __xor__(self, other: Element) -> Symbol:
        return apply(op.BITWISE_XOR, self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, other: Element) -> Symbol:
        return apply(op.SHIFT_LEFT, self, other)

    def __rlshift__(self, other: Element) -> Symbol:
        return apply(op.SHIFT_LEFT, other, self)

    def __rshift__(self, other: Element) -> Symbol:
        return apply(op.SHIFT_RIGHT, self, other)

    def __rrshift__(self, other: Element) -> Symbol:
        return apply(op.SHIFT_RIGHT, other, self)

    def __lt__(self, other: Element) -> Symbol:
        return apply(op.LESS, self, other)

    def __le__(self, other: Element) -> Symbol:
        return apply(op.LESS_EQUAL, self, other)

    def __gt__(self, other: Element) -> Symbol:
        return apply(op.GREATER, self, other)

    def __ge__(self, other: Element) -> Symbol:
        return apply(op.GREATER_EQUAL, self, other)

    def __eq__(self, other: object) -> Symbol:  # type: ignore[override]
        return apply(op.EQUAL, self, other)

    def __ne__(self, other: object) -> Symbol:  # type: ignore[override]
        return apply(op.NOT_EQUAL, self, other)

    __hash__ = object.__hash__


def apply(operation: Operation, *values: Element) -> Symbol:
    """The operation on symbols and numbers, which are brought to a common kind."""
    chosen = operation.result == "select"
    condition, values = (values[:1], values[1:]) if chosen else ((), values)
    kind = _common_kind(values)
    if operation.result == "float" and kind.domain < Domain.REAL:
        kind = Kind(Domain.REAL)
    if kind.domain is Domain.BOOL and operation.of_bools is not None:
        operation = operation.of_bools
    if kind.domain.name[0].lower() not in operation.on:
        raise TypeError(f"{operation.name} is not defined for {kind.domain.name.lower()} values")
    operands = tuple(convert(_lifted(value, kind), kind) for value in values)
    if condition:
        truth = Kind(Domain.BOOL)
        operands = (convert(_lifted(condition[0], truth), truth), *operands)
    return Symbol(call(operation, _result_kind(operation, kind), *operands))


_PARTS: dict[DataType | None, DataType | None] = {
    None: None,
    dtypes.COMPLEX64: dtypes.FLOAT,
    dtypes.COMPLEX128: dtypes.DOUBLE,
}


def _result_kind(operation: Operation, kind: Kind) -> Kind:
    if operation.result == "bool":
        return Kind(Domain.BOOL)
    if operation.result == "part" and kind.domain is Domain.COMPLEX:
        return Kind(Domain.REAL, _PARTS[kind.dtype])
    return Kind(Domain.COMPLEX) if operation.result == "complex" else kind


def _lifted(value: Element, kind: Kind) -> Expression:
    return value.expression if isinstance(value, Symbol) else constant(value, kind)


def _common_kind(values: tuple[Element, ...]) -> Kind:
    """The greatest domain; in it the type that is computed in goes before stated ones."""
    plain = [value for value in values if not isinstance(value, Symbol)]
    kinds = [value.expression.kind for value in values if isinstance(value, Symbol)]
    computing = _computing.get()
    kinds = kinds or [Kind(computing)]
    domain = max(kind.domain for kind in kinds)
    least = max((_domain_of_plain(value) for value in plain), default=Domain.BOOL)
    if least > domain:
        return Kind(max(least, computing))
    candidates = [kind for kind in kinds if kind.domain is domain]
    if any(kind.dtype is None for kind in candidates):
        return Kind(domain)
    return max(candidates, key=lambda kind: kind.dtype.bits if kind.dtype else 0)


def _domain_of_plain(value: Plain) -> Domain:
    """The least domain that holds a constant; 0 and 1 are BOOL as well."""
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return Domain.BOOL
    if isinstance(value, int):
        return Domain.UNSIGNED
    return Domain.REAL if isinstance(value, float) else Domain.COMPLEX


@dataclass(frozen=True)
class Function(Operation):
    """An operation that declarations call by its name, with symbols or with arrays."""

    def __call__(self, *values: Element) -> Element:
        if any(isinstance(value, Symbol) for value in values):
            return apply(self, *values)
        from aclhost.spec import numpy_functions

        return numpy_functions.call(self.numpy, *values)


def trace(
    function: Callable[..., Element],
    domain: Domain,
    inputs: Iterable[tuple[str, Kind]],
    numbers: Iterable[tuple[str, Kind]] = (),
) -> tuple[Expression, ...]:
    """What a function of the elements, then the numbers, returns: one expression a result."""
    symbols = [Symbol(Input(kind, name, i)) for i, (name, kind) in enumerate(inputs)]
    symbols += [Symbol(Number(kind, name, i)) for i, (name, kind) in enumerate(numbers)]
    before = _computing.set(domain)
    try:
        results = function(*symbols)
        many = results if isinstance(results, tuple) else (results,)
        kind = Kind(domain)
        return tuple(_lifted(result, kind) for result in many)
    finally:
        _computing.reset(before)

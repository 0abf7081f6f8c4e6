# SPDX-License-Identifier: Apache-2.0
"""Terms that are dtypes, and what can be said about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aclhost.spec import dtypes, products
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import Category, DataType
from aclhost.spec.terms.base import Term


@dataclass(frozen=True)
class DtypeOf(Term):
    """The dtype of a tensor, of a scalar, or of a list's first member."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        if isinstance(argument, TensorArg | ScalarArg):
            return argument.dtype.value
        return dtypes.UNDEFINED.value


@dataclass(frozen=True)
class DtypeAllowed(Term):
    """A dtype is one of a list for each product, in the order of products.ALL."""

    dtype: Term
    lists: tuple[tuple[DataType, ...], ...]

    def evaluate(self, call: Call) -> int:
        return int(self.dtype.evaluate(call) in self._values[call.product.key])

    @cached_property
    def _values(self) -> dict[str, frozenset[int]]:
        lists = zip(products.ALL, self.lists, strict=True)
        return {product.key: frozenset(dtype.value for dtype in each) for product, each in lists}


@dataclass(frozen=True)
class InCategory(Term):
    """A dtype is floating, an integer, complex or BOOL."""

    dtype: Term
    category: Category

    def evaluate(self, call: Call) -> int:
        return int(dtypes.BY_VALUE[self.dtype.evaluate(call)].category is self.category)


@dataclass(frozen=True)
class Promote(Term):
    """The common dtype of two."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        first = dtypes.BY_VALUE[self.first.evaluate(call)]
        return dtypes.promote(first, dtypes.BY_VALUE[self.second.evaluate(call)]).value


@dataclass(frozen=True)
class CanCast(Term):
    """The conversion is not prohibited."""

    source: Term
    target: Term

    def evaluate(self, call: Call) -> int:
        source = dtypes.BY_VALUE[self.source.evaluate(call)]
        return int(dtypes.can_cast(source, dtypes.BY_VALUE[self.target.evaluate(call)]))


@dataclass(frozen=True)
class CastExists(Term):
    """The product has the conversion; some that are permitted have no kernel."""

    source: Term
    target: Term

    def evaluate(self, call: Call) -> int:
        source = dtypes.BY_VALUE[self.source.evaluate(call)]
        target = dtypes.BY_VALUE[self.target.evaluate(call)]
        if target is dtypes.COMPLEX32:
            return int(source is dtypes.FLOAT16 and call.product is products.A950)
        return int(target in dtypes.CAST_TARGETS)


def promoted(*parameters: str) -> Term:
    """The common dtype of several tensors, from left to right."""
    *others, last = parameters
    return Promote(promoted(*others), DtypeOf(last)) if others else DtypeOf(last)

# SPDX-License-Identifier: Apache-2.0
"""A call as data: what samples are made of, and what a rule changes in order to break itself."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aclhost.spec import products
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, Category, DataType
from aclhost.spec.formats import ND, Format
from aclhost.spec.products import Product

# Bits of the significand, and the exponents of the least number and of the first that is infinite.
_FLOATING = {FLOAT: (24, -149, 128), FLOAT16: (11, -24, 16), BF16: (8, -133, 128)}


@dataclass(frozen=True)
class TensorArg:
    """A tensor description; strides and storage default to row-major."""

    shape: tuple[int, ...]
    dtype: DataType = FLOAT
    values: tuple[float, ...] | None = None  # None: whoever runs the call fills it
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: int | None = None  # elements; None: as many as the view reaches
    format: Format = ND
    backed: bool = True  # False: described only, without memory behind it
    span: tuple[float, float] | None = None  # whoever fills it draws from [first, last)

    @property
    def row_major(self) -> tuple[int, ...]:
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))

    @property
    def element_strides(self) -> tuple[int, ...]:
        return self.row_major if self.strides is None else self.strides

    def reach(self) -> tuple[int, int]:
        """First and last element of the storage that the view touches, unless it is empty."""
        axes = [
            (size - 1) * step for size, step in zip(self.shape, self.element_strides, strict=True)
        ]
        return (
            self.offset + sum(extent for extent in axes if extent < 0),
            self.offset + sum(extent for extent in axes if extent > 0),
        )

    @property
    def storage_elements(self) -> int:
        if self.storage is not None:
            return self.storage
        return 0 if 0 in self.shape else self.reach()[1] + 1

    @property
    def contiguous(self) -> bool:
        """Dense and row-major; dimensions of length 1 may have any stride."""
        expected = 1
        for length, step in zip(self.shape[::-1], self.element_strides[::-1], strict=True):
            if length == 1:
                continue
            if step != expected:
                return self.format.private or math.prod(self.shape) <= 1
            expected *= length
        return True

    @property
    def inside_storage(self) -> bool:
        first, last = self.reach()
        return 0 in self.shape or 0 <= first <= last < self.storage_elements


@dataclass(frozen=True)
class ScalarArg:
    """An aclScalar: a value and the dtype it is handed over in."""

    value: complex | float
    dtype: DataType = FLOAT

    @property
    def as_float(self) -> float:
        """The value in single precision; complex numbers have none and give 0."""
        if isinstance(self.value, complex) or self.dtype.category is Category.COMPLEX:
            return 0.0
        try:
            return float(struct.unpack("f", struct.pack("f", self.value))[0])
        except OverflowError:
            return math.copysign(math.inf, self.value)

    @property
    def as_double(self) -> float:
        """The value itself; complex numbers give 0."""
        wide = self.dtype is DOUBLE or self.dtype.category is Category.INTEGER
        return float(self.value.real) if wide else self.as_float

    def rounded_to(self, dtype: DataType) -> float:
        """The nearest number of a floating dtype, a tie to even."""
        value = self.as_double
        if dtype not in _FLOATING or not math.isfinite(value):
            return value
        bits, least, infinite = _FLOATING[dtype]
        exponent = max(math.frexp(value)[1] - bits, least)
        nearest = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
        return nearest if abs(nearest) < 2.0**infinite else math.copysign(math.inf, value)


# A tuple is an array of numbers, or a list of tensors or scalars.
Member = TensorArg | ScalarArg | int | float | None
Argument = Member | tuple[Member, ...] | bool | str | DataType


@dataclass(frozen=True)
class Call:
    """Arguments by upstream's parameter names; None stands for a null pointer."""

    arguments: Mapping[str, Argument]
    product: Product = products.DEFAULT
    note: str = field(default="", compare=False)
    position: int = field(default=0, compare=False)  # of a list's member that is looked at or made

    def tensor(self, name: str) -> TensorArg:
        argument = self.arguments[name]
        assert isinstance(argument, TensorArg), name
        return argument

    def first(self, name: str) -> Argument:
        """The argument, or the first member of a list."""
        argument = self.arguments[name]
        if isinstance(argument, tuple):
            return argument[0] if argument else None
        return argument

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor; a null pointer has none."""
        argument = self.first(name)
        return argument.shape if isinstance(argument, TensorArg) else ()

    def integers(self, name: str) -> tuple[int, ...]:
        """The values of an array; a null pointer has none."""
        argument = self.arguments[name]
        values = argument if isinstance(argument, tuple) else ()
        return tuple(value for value in values if isinstance(value, int))

    def real(self, name: str) -> float:
        """A float or a double as it is, a scalar as float."""
        argument = self.arguments[name]
        if isinstance(argument, ScalarArg):
            return argument.as_float
        return float(argument) if isinstance(argument, int | float) else 0.0

    def on(self, product: Product) -> Call:
        """The same call on another product."""
        return Call(self.arguments, product, self.note, self.position)

    def passing(self, /, **changes: Argument) -> Call:
        """The same call with some arguments exchanged."""
        arguments = {**self.arguments, **changes}
        return Call(arguments, self.product, self.note, self.position)

    def changing(self, names: tuple[str, ...], **changes: Any) -> Call:  # noqa: ANN401
        """The same call with some fields of some tensors exchanged."""
        return self.passing(**{name: replace(self.tensor(name), **changes) for name in names})

    def reshaped(self, shape: tuple[int, ...], *names: str) -> Call:
        """With dense tensors of another shape, whose values are left to the runner."""
        return self.changing(names, shape=shape, values=None, strides=None, offset=0, storage=None)

    def relabelled(self, format: Format, *names: str) -> Call:
        """With other formats."""
        return self.changing(names, format=format)

    def without_memory(self, *names: str) -> Call:
        """With tensors that nobody could allocate."""
        return self.changing(names, backed=False)

    def retyped(self, dtype: DataType, *names: str) -> Call:
        """With other dtypes."""
        return self.changing(names, dtype=dtype)

# SPDX-License-Identifier: Apache-2.0
"""A call as data: what samples are made of, and what a rule changes in order to break itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aclhost.spec import products
from aclhost.spec.dtypes import FLOAT, DataType
from aclhost.spec.formats import ND, Format
from aclhost.spec.products import Product


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

    @property
    def row_major(self) -> tuple[int, ...]:
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))

    @property
    def element_strides(self) -> tuple[int, ...]:
        return self.row_major if self.strides is None else self.strides

    def _reach(self) -> tuple[int, int]:
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
        return 0 if 0 in self.shape else self._reach()[1] + 1

    @property
    def inside_storage(self) -> bool:
        first, last = self._reach()
        return 0 in self.shape or 0 <= first <= last < self.storage_elements


@dataclass(frozen=True)
class ScalarArg:
    """An aclScalar: a value and the dtype it is handed over in."""

    value: complex | float
    dtype: DataType = FLOAT


Argument = TensorArg | ScalarArg | tuple[int, ...] | bool | int | float | None


@dataclass(frozen=True)
class Call:
    """Arguments by upstream's parameter names; None stands for a null pointer."""

    arguments: Mapping[str, Argument]
    product: Product = products.DEFAULT
    note: str = field(default="", compare=False)

    def tensor(self, name: str) -> TensorArg:
        argument = self.arguments[name]
        assert isinstance(argument, TensorArg), name
        return argument

    def array(self, name: str) -> tuple[int, ...]:
        argument = self.arguments[name]
        assert isinstance(argument, tuple), name
        return argument

    def on(self, product: Product) -> Call:
        """The same call on another product."""
        return replace(self, product=product)

    def passing(self, /, **changes: Argument) -> Call:
        """The same call with some arguments exchanged."""
        return replace(self, arguments={**self.arguments, **changes})

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

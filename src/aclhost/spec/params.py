# SPDX-License-Identifier: Apache-2.0
"""Parameters of an operator: what stands in the C prototype, in the Args struct and in Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar


def snake_case(name: str) -> str:
    """`selfOrResult` -> `self_or_result`; `SmoothL1Loss` -> `smooth_l1_loss`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@dataclass(frozen=True)
class Parameter:
    """One parameter with upstream's spelling."""

    name: str
    doc: str

    c_type: ClassVar[str]
    field_type: ClassVar[str]  # in the generated Args struct
    python_type: ClassVar[str]
    two_phase_type: ClassVar[str] = "int | None"  # a handle
    resolve: ClassVar[str] = ""  # member of Arguments that reads the handle; "" for plain values
    binding_fill: ClassVar[str]  # member of Invocation that reads the Python object

    @property
    def binding_extra(self) -> tuple[str, ...]:
        """C++ arguments of that member between the object and the field."""
        return ()

    @property
    def python_name(self) -> str:
        return snake_case(self.name)

    @property
    def c_declaration(self) -> str:
        return f"{self.c_type} {self.name}"

    @property
    def python_default(self) -> str | None:
        """Source text of the default in Python; None for a required parameter."""
        return None


@dataclass(frozen=True)
class TensorIn(Parameter):
    """A tensor that is read."""

    c_type = "const aclTensor*"
    field_type = "TensorView"
    python_type = "ArrayT"
    resolve = "tensor"
    binding_fill = "input"


@dataclass(frozen=True)
class TensorOut(Parameter):
    """A tensor that is written; Python allocates it unless the caller passes one."""

    like: str = ""  # the tensor whose shape and dtype a new result takes
    shape: str = ""  # C++ expression for the shape where it is another one
    dtype: str = ""  # C++ expression for the dtype where it is another one

    c_type = "aclTensor*"
    field_type = "TensorView"
    python_type = "ArrayT | None"
    resolve = "tensor"
    binding_fill = "output"

    @property
    def shape_cpp(self) -> str:
        """C++ expression for the shape of a new result."""
        return self.shape or f"shape_of(a.{self.like})"

    @property
    def dtype_cpp(self) -> str:
        """C++ expression for the dtype of a new result."""
        return self.dtype or f"a.{self.like}.dtype"


@dataclass(frozen=True)
class TensorInOut(Parameter):
    """A tensor that is read and overwritten."""

    c_type = "aclTensor*"
    field_type = "TensorView"
    python_type = "ArrayT"
    resolve = "tensor"
    binding_fill = "in_out"


@dataclass(frozen=True)
class Scalar(Parameter):
    """A host value with a dtype of its own."""

    default: float | None = None

    c_type = "const aclScalar*"
    field_type = "ScalarValue"
    python_type = "ScalarLike"
    resolve = "scalar"
    binding_fill = "scalar"

    @property
    def python_default(self) -> str | None:
        return None if self.default is None else repr(self.default)


@dataclass(frozen=True)
class Flag(Parameter):
    """A bool."""

    default: bool | None = None

    c_type = "bool"
    field_type = "bool"
    python_type = "bool"
    two_phase_type = "bool"
    binding_fill = "flag"

    @property
    def python_default(self) -> str | None:
        return None if self.default is None else repr(self.default)


@dataclass(frozen=True)
class IntArray(Parameter):
    """A few host integers; Python takes one integer where all of them are equal."""

    length: int = 3  # of the array that one integer stands for
    default: int | tuple[int, ...] | None = None

    c_type = "const aclIntArray*"
    field_type = "IntArrayView"
    python_type = "int | Sequence[int]"
    resolve = "int_array"
    binding_fill = "int_array"

    @property
    def binding_extra(self) -> tuple[str, ...]:
        return (str(self.length),)

    @property
    def python_default(self) -> str | None:
        return None if self.default is None else repr(self.default)


@dataclass(frozen=True)
class Choice(Parameter):
    """An int64_t that stands for one of a few words; Python takes the word or the number."""

    words: tuple[str, ...]
    default: str

    c_type = "int64_t"
    field_type = "int64_t"
    python_type = "str | int"
    two_phase_type = "int"
    binding_fill = "choice"

    @property
    def binding_extra(self) -> tuple[str, ...]:
        words = ", ".join(f'"{word}"' for word in self.words)
        return (f"{{{words}}}",)

    @property
    def python_default(self) -> str | None:
        return repr(self.default)


@dataclass(frozen=True)
class Float(Parameter):
    """A float."""

    default: float

    c_type = "float"
    field_type = "float"
    python_type = "float"
    two_phase_type = "float"
    binding_fill = "number"

    @property
    def python_default(self) -> str | None:
        return repr(self.default)


@dataclass(frozen=True)
class Double(Float):
    """A double."""

    c_type = "double"
    field_type = "double"


TENSORS = (TensorIn, TensorOut, TensorInOut)

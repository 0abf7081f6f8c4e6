# SPDX-License-Identifier: Apache-2.0
"""Parameters of an operator: what stands in the C prototype, in kernels and in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aclhost.spec.dtypes import DataType
from aclhost.spec.python_names import not_keyword, snake_case
from aclhost.spec.shapes import ShapeOf, ShapeTerm
from aclhost.spec.terms import Const, DtypeOf, Term

NEVER = Const(0)  # of a tensor that is only overwritten in part, see TensorInOut.read_if


@dataclass(frozen=True)
class Parameter:
    """One parameter with upstream's spelling."""

    name: str
    doc: str

    c_type: ClassVar[str]
    kind: ClassVar[str]  # in native/operator/descriptor.h
    field_type: ClassVar[str]  # what a kernel's own Args struct has
    python_type: ClassVar[str]
    two_phase_type: ClassVar[str] = "int | None"  # a handle

    @property
    def python_name(self) -> str:
        return not_keyword(snake_case(self.name))

    @property
    def c_declaration(self) -> str:
        return f"{self.c_type} {self.name}"

    @property
    def python_default(self) -> str | None:
        """Source text of the default in Python; None for a required parameter."""
        default = getattr(self, "default", None)
        return None if default is None else repr(default)

    @property
    def is_optional(self) -> bool:
        """Whether a null pointer is an argument like others."""
        return bool(getattr(self, "optional", False))


@dataclass(frozen=True)
class TensorIn(Parameter):
    """A tensor that is read; an optional one may be a null pointer."""

    optional: bool = False
    is_const: bool = True  # whether upstream's prototype says so
    chosen: bool = False  # only elements that other inputs choose are read

    kind = "kTensorIn"
    field_type = "const TensorView&"
    python_type = "ArrayT"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclTensor*" if self.is_const else "aclTensor*"

    @property
    def python_default(self) -> str | None:
        return "None" if self.optional else None


@dataclass(frozen=True)
class TensorOut(Parameter):
    """A tensor that is written; Python allocates it unless the caller passes one."""

    like: str = ""  # the tensor whose shape and dtype a new result takes
    shape: ShapeTerm | None = None  # where it is another one
    dtype: Term | None = None  # where it is another one
    is_const: bool = False  # whether upstream's prototype says so
    optional: bool = False
    made_if: Term | None = None  # otherwise Python passes a null pointer and returns None

    kind = "kTensorOut"
    field_type = "const TensorView&"
    python_type = "ArrayT | None"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclTensor*" if self.is_const else "aclTensor*"

    @property
    def can_be_made(self) -> bool:
        """Whether other arguments tell what a new result is like; else Python needs `out`."""
        return bool(self.shape or self.like)

    @property
    def shape_term(self) -> ShapeTerm:
        """The shape of a new result."""
        return self.shape or ShapeOf(self.like)

    @property
    def dtype_term(self) -> Term:
        """The dtype of a new result."""
        return self.dtype or DtypeOf(self.like)


@dataclass(frozen=True)
class SizedTensorOut(TensorOut):
    """A tensor for as many elements as there may be; only the data tell how many there are."""

    field_type = "SizedResult"


@dataclass(frozen=True)
class TensorInOut(Parameter):
    """A tensor that is read and overwritten, or overwritten only."""

    is_const: bool = False  # whether upstream's prototype says so
    reads: bool = True
    read_if: Term | None = None  # else elements are only overwritten or left as they are
    optional: bool = False

    kind = "kTensorInOut"
    field_type = "const TensorView&"
    python_type = "ArrayT"

    @property
    def python_default(self) -> str | None:
        return "None" if self.optional else None

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclTensor*" if self.is_const else "aclTensor*"


@dataclass(frozen=True)
class TensorList(Parameter):
    """Tensors that are read."""

    optional: bool = False
    is_const: bool = True  # whether upstream's prototype says so

    kind = "kTensorList"
    field_type = "ListView<TensorView>"
    python_type = "Sequence[ArrayT]"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclTensorList*" if self.is_const else "aclTensorList*"

    @property
    def python_default(self) -> str | None:
        return "None" if self.optional else None


@dataclass(frozen=True)
class TensorListInOut(TensorList):
    """Tensors that are read and overwritten."""

    kind = "kTensorListOut"  # with a place among Python's parameters


@dataclass(frozen=True)
class TensorListOut(TensorOut):
    """Tensors that are written; terms of a new one may ask for its Position."""

    count: Term | None = None  # how many new ones there are

    kind = "kTensorListOut"
    field_type = "ListView<TensorView>"
    python_type = "Sequence[ArrayT] | None"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclTensorList*" if self.is_const else "aclTensorList*"

    @property
    def can_be_made(self) -> bool:
        return self.count is not None


@dataclass(frozen=True)
class Scalar(Parameter):
    """A host value with a dtype of its own."""

    default: float | None = None
    optional: bool = False
    is_const: bool = True  # whether upstream's prototype says so

    kind = "kScalar"
    field_type = "const ScalarValue&"
    python_type = "ScalarLike"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclScalar*" if self.is_const else "aclScalar*"

    @property
    def python_default(self) -> str | None:
        return "None" if self.optional and self.default is None else super().python_default


@dataclass(frozen=True)
class ScalarList(Parameter):
    """Host values, each with a dtype of its own."""

    c_type = "const aclScalarList*"
    kind = "kScalarList"
    field_type = "ListView<ScalarValue>"
    python_type = "Sequence[ScalarLike]"


@dataclass(frozen=True)
class Flag(Parameter):
    """A bool."""

    default: bool | None = None
    is_const: bool = False  # whether upstream's prototype says so

    kind = "kFlag"
    field_type = "bool"
    python_type = "bool"
    two_phase_type = "bool"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const bool" if self.is_const else "bool"


@dataclass(frozen=True)
class IntArray(Parameter):
    """A few host integers; Python takes one integer where all of them are equal."""

    length: int = 3  # of the array that one integer stands for; 0: as many as there are axes
    default: int | tuple[int, ...] | None = None
    optional: bool = False

    c_type = "const aclIntArray*"
    kind = "kIntArray"
    field_type = "ListView<int64_t>"
    python_type = "int | Sequence[int]"

    def length_for(self, rank: int) -> int:
        """The same where the first tensor has this rank; its axes come after two dimensions."""
        return self.length or max(rank - 2, 1)


@dataclass(frozen=True)
class FloatArray(Parameter):
    """A few host floats."""

    optional: bool = False

    c_type = "const aclFloatArray*"
    kind = "kFloatArray"
    field_type = "ListView<float>"
    python_type = "Sequence[float]"


@dataclass(frozen=True)
class BoolArray(Parameter):
    """A few host bools."""

    optional: bool = False

    c_type = "const aclBoolArray*"
    kind = "kBoolArray"
    field_type = "ListView<char>"
    python_type = "Sequence[bool]"


@dataclass(frozen=True)
class Int(Parameter):
    """An integer of some width."""

    default: int | None = None
    bits: int = 64
    signed: bool = True
    spelling: str = ""  # where upstream's prototype has another word for the type

    kind = "kInt"
    field_type = "int64_t"
    python_type = "int"
    two_phase_type = "int"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return self.spelling or f"{'' if self.signed else 'u'}int{self.bits}_t"


@dataclass(frozen=True)
class Choice(Parameter):
    """An integer that stands for one of a few words; Python takes the word or the number."""

    words: tuple[str, ...]
    default: str
    c_integer: str = "int64_t"

    kind = "kInt"
    field_type = "int64_t"
    python_type = "str | int"
    two_phase_type = "int"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return self.c_integer


@dataclass(frozen=True)
class Text(Parameter):
    """A text; a null pointer where it may be left out."""

    default: str | None = None
    is_const: bool = False
    optional: bool = False

    kind = "kText"
    field_type = "const char*"
    python_type = "str"
    two_phase_type = "bytes | None"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const char*" if self.is_const else "char*"


@dataclass(frozen=True)
class Dtype(Parameter):
    """A data type by its number; Python takes anything that NumPy reads as a dtype."""

    default: DataType | None = None
    is_const: bool = False  # whether upstream's prototype says so

    kind = "kDtype"
    field_type = "aclDataType"
    python_type = "DTypeLike"
    two_phase_type = "int"

    @property
    def c_type(self) -> str:  # type: ignore[override]
        return "const aclDataType" if self.is_const else "aclDataType"

    @property
    def python_default(self) -> str | None:
        return None if self.default is None else repr(self.default.numpy)


@dataclass(frozen=True)
class Float(Parameter):
    """A float."""

    default: float | None = None

    c_type = "float"
    kind = "kFloat"
    field_type = "float"
    python_type = "float"
    two_phase_type = "float"


@dataclass(frozen=True)
class Double(Float):
    """A double."""

    c_type = "double"
    kind = "kDouble"
    field_type = "double"


TENSORS = (TensorIn, TensorOut, TensorInOut)

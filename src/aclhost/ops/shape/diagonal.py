# SPDX-License-Identifier: Apache-2.0
"""Triangles and diagonals of matrices."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    LIKE_SELF,
    NEW_BF16,
    NEWER,
    REALS,
    SELF,
    UNSIGNED,
    Dtypes,
    Rules,
    call_like,
    known_to_torch,
    some_shape,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX32,
    COMPLEX64,
    DOUBLE,
    FLOAT,
    INT8,
    INT32,
    INT64,
    UINT16,
    DataType,
)
from aclhost.spec.moved import DiagonalShape
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, Int, Parameter, TensorInOut, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910, Product
from aclhost.spec.rules import (
    Condition,
    done_when,
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown, Step
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Empty,
    Equal,
    In,
    Not,
    Or,
    RankOf,
    Times,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DIAGONAL = Int("diagonal", "0: the main one; above it is 1, below it -1.", default=0)
_TRIANGLE_DTYPES: Dtypes = (
    *REALS,
    *UNSIGNED,
    NEW_BF16,
    *(only_on(dtype, A950) for dtype in (COMPLEX64, COMPLEX32)),
)
_KEPT = {
    "Tril": ("on and below", "j <= i + diagonal"),
    "Triu": ("on and above", "j >= i + diagonal"),
}


def _two_dimensions(self: str) -> Rules:
    """Triu asks only of tensors with elements."""
    return when(Condition(Not(Empty(self)), f"{self} has elements"), rank_at_least(self, 2))


def _tril_checks(self: str, out: str | None) -> tuple[tuple[Step, ...], ...]:
    written = (
        (
            dtype_in(out, *_TRIANGLE_DTYPES),
            same_dtype(out, self),
            same_format(out, self),
        )
        if out
        else ()
    )
    shaped = (rank_at_most(out, 8), same_shape(out, self)) if out else ()
    return (
        not_null(*((self, out) if out else (self,))),
        dtype_in(self, *_TRIANGLE_DTYPES),
        *written,
        rank_at_least(self, 2),
        rank_at_most(self, 8),
        *shaped,
    )


def _triu_checks(self: str, out: str | None) -> tuple[tuple[Step, ...], ...]:
    written = (same_dtype(self, out), not_private(self), same_format(out, self)) if out else ()
    return (
        not_null(*((self, out) if out else (self,))),
        dtype_in(self, *_TRIANGLE_DTYPES),
        *(written or (not_private(self),)),
        rank_at_most(self, 8),
        _two_dimensions(self),
        *((same_shape(out, self),) if out else ()),
    )


def _tensor_of(arguments: dict[str, Any]) -> Any:  # noqa: ANN401
    """Whatever its name is."""
    return next(each for each in arguments.values() if hasattr(each, "shape"))


def _triangle_golden(name: str, **arguments: Any) -> Array:  # noqa: ANN401
    import numpy as np

    function = np.tril if name == "Tril" else np.triu
    array: Array = _tensor_of(arguments)
    return function(array, arguments["diagonal"]) if array.ndim > 1 else array


def _triangle_of_torch(name: str, torch: Any, **arguments: Any) -> Any:  # noqa: ANN401
    tensor = _tensor_of(arguments)
    if not known_to_torch(torch, tensor):
        return NotImplemented
    return (torch.tril if name == "Tril" else torch.triu)(tensor, arguments["diagonal"])


def _triangle(name: str, *, in_place: bool) -> Operator:
    """One of the four."""
    which, condition = _KEPT[name]
    self = "selfRef" if in_place else "self"
    out = None if in_place else "out"
    checks = _tril_checks if name == "Tril" else _triu_checks
    on: tuple[Product, ...] = (*NEWER, T910) if name == "Tril" else (*NEWER, P310P, T910)
    tensors: tuple[Parameter, ...] = (SELF, _DIAGONAL, LIKE_SELF)
    if in_place:
        doc = "Input, and where the result is put."
        tensors = (TensorInOut(self, doc, is_const=name == "Tril", read_if=NEVER), _DIAGONAL)

    def call(tensor: TensorArg, diagonal: int) -> Call:
        arguments: dict[str, Argument] = {self: tensor, "diagonal": diagonal}
        return call_like("" if in_place else "self", **arguments)

    def draw(rng: Random) -> Call:
        tensor = TensorArg(some_shape(rng, least=2), rng.choice((*REALS, BF16, *UNSIGNED)))
        return call(tensor, rng.randint(-6, 6))

    return Operator(
        f"aclnn{'Inplace' if in_place else ''}{name}",
        summary=f"The elements {which} a diagonal, and zeros.",
        formula=f"`out[..., i, j] = self[..., i, j]` where `{condition}`, else 0.".replace(
            "self", self
        ).replace("out", self if in_place else "out"),
        params=tensors,
        checks=(
            *checks(self, out),
            done_when_empty(self),
            supported_on(*on),
            inside_storage(self),
        ),
        golden=lambda **arguments: _triangle_golden(name, **arguments),
        reference=lambda torch, **arguments: _triangle_of_torch(name, torch, **arguments),
        samples=(
            call(TensorArg((3, 4)), 0),
            call(TensorArg((2, 3, 3), BF16), 1),
            call(TensorArg((4, 2), BOOL), -1),
            call(TensorArg((3, 3), UINT16), 5),
            call(TensorArg((0, 3), INT64), 0),
            call(TensorArg((2, 2), COMPLEX64), 0).on(A950),
        ),
        draw=draw,
        typical=lambda n: call(TensorArg(matrix_shape(n)), 0),
        formats="self and out carry the same label, which may be any."
        if name == "Tril"
        else "self and out carry the same label, which is no private one.",
        source="src/aclhost/ops/shape/diagonal.py",
    )


_OFFSET = ValueOf("diagonal")
_DIAG = DiagonalShape("self", _OFFSET)
_DIAG_FLAT = DiagonalShape("self", _OFFSET, always_matrix=1)
# Nothing is written for a self without elements, so there is nothing to make room for.
_DIAG_FLAT_NEW = ShapeIf(Empty("self"), Lengths((Const(0), Const(0))), _DIAG_FLAT)
_DIAG_DTYPES: Dtypes = (*REALS, COMPLEX64, NEW_BF16)
_JUST_OUTSIDE = And(
    Equal(RankOf("self"), Const(2)),
    And(
        Not(Equal(_OFFSET, Const(0))),
        Or(
            Equal(_OFFSET, DimOf("self", Const(1))),
            Equal(Times(_OFFSET, Const(-1)), DimOf("self", Const(0))),
        ),
    ),
)
_NOTHING = Condition(
    Or(And(Empty("self"), Equal(_OFFSET, Const(0))), _JUST_OUTSIDE),
    "`self` is empty and diagonal 0, or the diagonal lies just outside the matrix",
)
_EMPTY = Condition(Empty("self"), "self is empty")
_FULL = Condition(Not(Empty("self")), "self has elements")


def _diag(self: Array, diagonal: int) -> Array:
    import numpy as np

    return np.diag(self if self.ndim else self.reshape(1), diagonal)


def _diag_flat(self: Array, diagonal: int) -> Array:
    import numpy as np

    return np.diagflat(self, diagonal)


def _call(name: str, shape: tuple[int, ...], dtype: DataType, diagonal: int) -> Call:
    call = Call({"self": TensorArg(shape, dtype), "diagonal": diagonal})
    term = _DIAG if name == "Diag" else _DIAG_FLAT
    return call.passing(out=TensorArg(term.evaluate(call), dtype))


def _draw(name: str, rng: Random) -> Call:
    dtype = rng.choice((*REALS, COMPLEX64, BF16))
    shape = some_shape(rng, most=2 if name == "Diag" else 3)
    diagonal = rng.randint(-7, 7)
    if 0 in shape:
        diagonal = 0
    return _call(name, shape, dtype, diagonal)


DIAG = Operator(
    "aclnnDiag",
    summary="The diagonal of a matrix, or a matrix with a given diagonal.",
    formula=(
        "`out[i] = self[i, i + diagonal]` of a matrix, for a diagonal below 0 `self[i - diagonal, "
        "i]`; of a row, the same places of `out` are its elements, and the others 0."
    ),
    params=(SELF, _DIAGONAL, TensorOut("out", "Result.", shape=_DIAG, dtype=DtypeOf("self"))),
    checks=(
        not_null("self", "out"),
        dtype_in("self", *_DIAG_DTYPES),
        same_dtype("out", "self"),
        rank_at_most("self", 2),
        done_when(_NOTHING),
        when(
            _EMPTY,
            requires(
                "not_complex",
                "out",
                Not(In(DtypeOf("out"), (COMPLEX64,))),
                "out must not have dtype COMPLEX64",
                (Shown("dtype", DtypeOf("out")),),
                "Skip the call.",
            ),
        ),
        supported_on(*NEWER, P310P, T910),
        inside_storage("self"),
        when(_FULL, fits_shape("out", _DIAG, "of the diagonal or of its matrix, or one element")),
    ),
    golden=_diag,
    reference=lambda torch, self, diagonal: (
        torch.diag(self, diagonal)
        if self.dim() and 0 not in self.shape and abs(diagonal) < max(self.shape)
        else NotImplemented
    ),
    samples=(
        _call("Diag", (3,), FLOAT, 0),
        _call("Diag", (3,), BF16, -2),
        _call("Diag", (3, 4), INT32, 1),
        _call("Diag", (3, 4), BOOL, -1),
        _call("Diag", (2, 3), DOUBLE, 3),
        _call("Diag", (2, 3), DOUBLE, 9),
        _call("Diag", (0,), FLOAT, 2),
        _call("Diag", (), COMPLEX64, 1),
    ),
    draw=lambda rng: _draw("Diag", rng),
    typical=lambda n: _call("Diag", (int(n**0.5),), FLOAT, 0),
    notes=(
        "Of a self without elements every element of out becomes 0, whatever its shape is.",
        "A diagonal just outside the matrix leaves out as it is, whatever its shape is.",
    ),
)

DIAG_FLAT = Operator(
    "aclnnDiagFlat",
    summary="A matrix with all elements of a tensor in a diagonal.",
    formula=(
        "`out[i, i + diagonal]`, for a diagonal below 0 `out[i - diagonal, i]`, is element `i` of "
        "self as one row; the others are 0."
    ),
    params=(
        SELF,
        _DIAGONAL,
        TensorOut("out", "Result.", shape=_DIAG_FLAT_NEW, dtype=DtypeOf("self")),
    ),
    checks=(
        inner(not_null("self", "out")),
        dtype_in("self", *_DIAG_DTYPES),
        dtype_in("out", *_DIAG_DTYPES),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        done_when_empty("self"),
        supported_on(A3, A2, P310P, T910),
        inside_storage("self"),
        inner(fits_shape("out", _DIAG_FLAT, "of the matrix")),
    ),
    golden=_diag_flat,
    reference=lambda torch, self, diagonal: torch.diagflat(self, diagonal),
    samples=(
        _call("DiagFlat", (2, 2), FLOAT, 0),
        _call("DiagFlat", (3,), BF16, -2),
        _call("DiagFlat", (2, 1, 2), INT8, 1),
        _call("DiagFlat", (), COMPLEX64, 1),
        _call("DiagFlat", (0, 2), FLOAT, 0),
    ),
    draw=lambda rng: _draw("DiagFlat", rng),
    typical=lambda n: _call("DiagFlat", (int(n**0.5),), FLOAT, 0),
    notes=(
        "Elements are converted to the dtype of out.",
        "A self without elements leaves out as it is; torch gives zeros.",
    ),
)

OPS = (
    *(_triangle(name, in_place=in_place) for name in _KEPT for in_place in (False, True)),
    DIAG,
    DIAG_FLAT,
)

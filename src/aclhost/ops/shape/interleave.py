# SPDX-License-Identifier: Apache-2.0
"""Elements several times in a row, along a dimension or of the tensor as one row."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    NEW_BF16,
    NEWER,
    PLAIN,
    SAME_FORMAT,
    SELF,
    UNSIGNED,
    Dtypes,
    Rules,
    known_to_torch,
    some_shape,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, FLOAT16, INT8, INT32, INT64, UINT64, DataType
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Parameter, TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    at_least,
    axis_in_rank,
    done_when,
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown, Step
from aclhost.spec.shapes import Lengths, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Elements,
    Empty,
    Equal,
    Not,
    Or,
    RankOf,
    Term,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES: Dtypes = (*PLAIN, NEW_BF16, *(only_on(dtype, A950) for dtype in UNSIGNED))
_SIZE = Int("outputSize", "The length of the result along the dimension, or of the row.")
_WITH_DIM = Int("dim", "The dimension; below 0 from the end.")
_ROW = Lengths((Elements("self"),))
_NEW_ROW: ShapeTerm = Lengths((ValueOf("outputSize"),))
_NEW_AXIS: ShapeTerm = WithAxis(ShapeOf("self"), ValueOf("dim"), ValueOf("outputSize"))
_SUM = (
    "outputSize must be the sum of all repeats. What goes beyond it is left out, and a shorter sum "
    "leaves zeros behind; upstream checks neither."
)


def _once(*, with_dim: bool, integer: bool) -> Condition | None:
    """Where upstream copies without looking at repeats or at outputSize."""
    if integer:
        return Condition(Equal(ValueOf("repeats"), Const(1)), "repeats is 1")
    if with_dim:
        return None
    return Condition(
        And(
            Equal(ValueOf("outputSize"), Elements("self")),
            Equal(Elements("repeats"), Const(1)),
        ),
        "repeats is one value and outputSize the number of self's elements",
    )


def _repeats_size(length: Term, words: str) -> Rules:
    """One value for all, or one for each."""
    count = DimOf("repeats", Const(0))
    return requires(
        "repeats_size",
        "repeats",
        Or(
            Equal(RankOf("repeats"), Const(0)),
            Or(Equal(count, length), Equal(count, Const(1))),
        ),
        f"repeats must have one value, or one for each {words}",
        (Shown("shape", ShapeOf("repeats")), " for ", Shown("shape", ShapeOf("self"))),
        "Pass as many values.",
    )


def _checks(*, with_dim: bool, integer: bool) -> tuple[tuple[Step, ...], ...]:
    tensors = ("self", "out") if integer else ("self", "repeats", "out")
    new, old = (_NEW_AXIS, ShapeOf("self")) if with_dim else (_NEW_ROW, _ROW)
    length = DimOf("self", ValueOf("dim")) if with_dim else Elements("self")
    words = "index of self along dim" if with_dim else "element of self"
    once = _once(with_dim=with_dim, integer=integer)
    of_dim = (rank_at_least("self", 1), axis_in_rank("dim", "self")) if with_dim else ()
    about_repeats: tuple[Rules, ...] = (
        (at_least("repeats", 0), *of_dim)
        if integer
        else (rank_at_most("repeats", 1), *of_dim, _repeats_size(length, words))
    )
    no_size = Condition(
        Or(Empty("self"), Equal(ValueOf("outputSize"), Const(0))),
        "`self` is empty or outputSize 0",
    )
    otherwise = shape_is(
        "out", new, "of self with outputSize along dim" if with_dim else "of one length: outputSize"
    )
    return (
        not_null(*tensors),
        dtype_in("self", *_DTYPES),
        *(() if integer else (dtype_in("repeats", INT32, INT64),)),
        same_dtype("out", "self"),
        *about_repeats,
        rank_at_most("self", 8),
        done_when(no_size) if with_dim else done_when_empty("self", "out"),
        supported_on(*NEWER),
        inside_storage("self", *(() if integer else ("repeats",))),
        when(_unless(once), otherwise) if once else otherwise,
        when(once, inner(fits_shape("out", old, "of self" if with_dim else "of self as one row")))
        if once
        else (),
        same_format_unless_nd("out", "self") if with_dim else (),
    )


def _unless(condition: Condition) -> Condition:
    return Condition(Not(condition.term), f"not so that {condition.english}")


def _golden(self: Array, repeats: Any, output_size: int, dim: int | None = None) -> Array:  # noqa: ANN401
    import numpy as np

    return np.repeat(self, np.ravel(repeats), dim)[...]


def _torch(torch: Any, self: Any, repeats: Any, output_size: int, dim: int | None = None) -> Any:  # noqa: ANN401
    if not known_to_torch(torch, self) or 0 in self.shape:
        return NotImplemented
    if not isinstance(repeats, int) and repeats.dim() == 0:
        repeats = repeats.reshape(1)
    return torch.repeat_interleave(self, repeats, dim)


def _call(
    self: TensorArg,
    repeats: tuple[int, ...] | int,
    dim: int | None = None,
    kind: DataType = INT64,
) -> Call:
    """A tuple stands for a tensor, an empty one for one of rank 0 that holds 2."""
    count = prod(self.shape)
    along = count if dim is None else self.shape[dim]
    values = repeats if isinstance(repeats, tuple) else (repeats,)
    size = (values or (2,))[0] * along if len(values) < 2 else sum(values)
    given: Argument = repeats
    if isinstance(repeats, tuple):
        shape = (len(repeats),) if repeats else ()
        given = TensorArg(shape, kind, values=repeats or (2,))
    call = Call({"self": self, "repeats": given, "outputSize": size})
    if dim is not None:
        call = call.passing(dim=dim)
    term = _NEW_ROW if dim is None else _NEW_AXIS
    return call.passing(out=TensorArg(term.evaluate(call), self.dtype))


def _draw(rng: Random, *, with_dim: bool, integer: bool) -> Call:
    shape = some_shape(rng, least=int(with_dim))
    tensor = TensorArg(shape, rng.choice((*PLAIN, BF16)))
    dim = rng.randrange(-len(shape), len(shape)) if with_dim else None
    if integer:
        return _call(tensor, rng.randint(0, 3), dim)
    count = prod(shape if dim is None else (shape[dim],))
    values = tuple(rng.randint(0, 3) for _ in range(rng.choice((0, 1, count, count))))
    return _call(tensor, values, dim, rng.choice((INT32, INT64)))


def _samples(*, with_dim: bool, integer: bool) -> tuple[Call, ...]:
    dims = (1, -2, 0) if with_dim else (None,) * 3
    matrix = (3, 2)
    if integer:
        return (
            _call(TensorArg(matrix), 2, dims[0]),
            _call(TensorArg(matrix, BF16), 1, dims[1]),
            _call(TensorArg(matrix, BOOL), 0, dims[2]),
            _call(TensorArg((2, 0)), 3, dims[0]),
            _call(TensorArg(matrix, UINT64), 3, dims[2]).on(A950),
        )
    each = (1, 0) if with_dim else (1, 2, 0, 1, 3, 1)
    return (
        _call(TensorArg(matrix), each, dims[0]),
        _call(TensorArg(matrix, BF16), (3,), dims[1], INT32),
        _call(TensorArg(matrix, INT8), (), dims[2]),
        _call(TensorArg(matrix, FLOAT16), (1,), dims[2]),
        _call(TensorArg((2, 0)), (2,), dims[0]),
        _call(TensorArg(matrix, UINT64), (3,), dims[2]).on(A950),
    )


def _operator(*, with_dim: bool, integer: bool) -> Operator:
    name = f"aclnnRepeatInterleave{'Int' * integer}{'WithDim' * with_dim}"
    times: Parameter = (
        Int("repeats", "How often.")
        if integer
        else TensorIn("repeats", "How often: one value for all, or one for each.")
    )
    shape = _NEW_AXIS if with_dim else _NEW_ROW
    along = "index along `dim`" if with_dim else "element of self, as one row,"
    return Operator(
        name,
        summary="Repeats elements along a dimension." if with_dim else "Repeats elements.",
        formula=f"Every {along} comes as often as its value of `repeats` says.",
        params=(
            SELF,
            times,
            *((_WITH_DIM,) * with_dim),
            _SIZE,
            TensorOut("out", "Result.", shape=shape, dtype=DtypeOf("self")),
        ),
        checks=_checks(with_dim=with_dim, integer=integer),
        golden=_golden,
        reference=_torch,
        samples=_samples(with_dim=with_dim, integer=integer),
        draw=lambda rng: _draw(rng, with_dim=with_dim, integer=integer),
        typical=lambda n: _call(
            TensorArg(matrix_shape(n // 2)), 2 if integer else (2,), 0 if with_dim else None
        ),
        formats=SAME_FORMAT if with_dim else "Any format label is accepted and ignored.",
        notes=(_SUM,),
        source="src/aclhost/ops/shape/interleave.py",
    )


def _positions_golden(repeats: Array, output_size: int) -> Array:
    import numpy as np

    return np.repeat(np.arange(repeats.size), repeats)[...]


def _positions_torch(torch: Any, repeats: Any, output_size: int) -> Any:  # noqa: ANN401
    return torch.repeat_interleave(repeats)


def _positions_call(*repeats: int, kind: DataType = INT64) -> Call:
    tensor = TensorArg((len(repeats),), kind, values=repeats)
    return Call({"repeats": tensor, "outputSize": sum(repeats),
                 "out": TensorArg((sum(repeats),), kind)})  # fmt: skip


def _draw_positions(rng: Random) -> Call:
    numbers = (rng.randint(0, 3) for _ in range(rng.randint(1, 9)))
    return _positions_call(*numbers, kind=rng.choice((INT32, INT64)))


def _of_positions() -> Operator:
    flat = Or(Empty("repeats"), Equal(RankOf("repeats"), Const(1)))
    return Operator(
        "aclnnRepeatInterleaveTensor",
        summary="Repeats positions.",
        formula="Every position of `repeats` comes as often as its value says.",
        params=(
            TensorIn("repeats", "How often."),
            _SIZE,
            TensorOut("out", "Result.", shape=_NEW_ROW, dtype=DtypeOf("repeats")),
        ),
        checks=(
            not_null("repeats", "out"),
            dtype_in("repeats", INT64, INT32),
            same_dtype("out", "repeats"),
            requires(
                "one_dimension", "repeats", flat, "repeats must be empty or have one dimension",
                (Shown("shape", ShapeOf("repeats")),), "Reshape repeats.",
            ),
            done_when_empty("repeats", "out"),
            supported_on(*NEWER),
            inside_storage("repeats"),
            shape_is("out", _NEW_ROW, "of one length: outputSize"),
        ),
        golden=_positions_golden,
        reference=_positions_torch,
        samples=(
            _positions_call(1, 0, 2),
            _positions_call(3, kind=INT32),
            _positions_call(0, 0),
        ),
        draw=_draw_positions,
        typical=lambda n: _positions_call(*(2,) * (n // 2)),
        notes=(_SUM,),
    )  # fmt: skip


OPS = (
    *(
        _operator(with_dim=with_dim, integer=integer)
        for with_dim in (False, True)
        for integer in (False, True)
    ),
    _of_positions(),
)

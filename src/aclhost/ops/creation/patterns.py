# SPDX-License-Identifier: Apache-2.0
"""Ones, or a value of one's own, at some places."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    at_least,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    on_products,
    only_on,
    rank_at_most,
    rank_in,
    requires,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Inserted, Lengths, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Elements,
    Empty,
    Equal,
    RankOf,
    Sum,
    ValueOf,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_SUPPORTED = supported_on(*_NEWER, P310P, T910)
_GRID = Lengths((ValueOf("n"), ValueOf("m")))
_ONES = (FLOAT, INT32, FLOAT16, INT8, INT16, UINT8, INT64, BOOL)
_CLASSES = Inserted("self", ValueOf("axis"), ValueOf("numClasses"))
_VALUES = (FLOAT16, FLOAT, INT32, INT64, only_on(INT8, A950), only_on(UINT8, A950))


def _eye(n: int, m: int) -> Array:
    """Ones where row and column are the same."""
    import numpy as np

    return np.eye(n, m)


def _one_hot(self: Array, num_classes: int, on_value: Array, off_value: Array, axis: int) -> Array:
    """One more axis, along which every element is compared with 0, 1, 2..."""
    import numpy as np

    hit = self[..., None] == np.arange(num_classes)
    return np.moveaxis(np.where(hit, on_value.flat[0], off_value.flat[0]), -1, axis)


def _matrix(n: int, m: int, dtype: DataType = FLOAT) -> Call:
    return Call({"n": n, "m": m, "out": TensorArg((n, m), dtype)})


EYE = Operator(
    "aclnnEye",
    summary="A matrix with ones on its diagonal.",
    formula="`out[i, j] = 1` where i = j, otherwise 0",
    params=(
        Int("n", "Rows."),
        Int("m", "Columns."),
        TensorOut("out", "Result.", shape=_GRID, dtype=const(FLOAT)),
    ),
    checks=(
        not_null("out"),
        dtype_in(
            "out",
            *_ONES,
            only_on(BF16, *_NEWER),
        ),
        rank_in("out", 2),
        at_least("n", 0),
        at_least("m", 0),
        shape_is("out", _GRID, "[n, m]"),
        done_when_empty("out"),
        _SUPPORTED,
    ),
    golden=_eye,
    reference="eye",
    draw=lambda rng: _matrix(rng.randint(0, 40), rng.randint(0, 40), rng.choice((*_ONES, BF16))),
    typical=lambda elements: _matrix(*matrix_shape(elements)),
    samples=(
        _matrix(3, 4),
        Call({"n": 4, "m": 2, "out": TensorArg((4, 2), INT32, strides=(1, 4))}),
        _matrix(1, 5, BF16),
    ),
    notes=("Upstream writes a strided out as if it were dense; aclhost keeps to the strides.",),
)


def _not_empty(parameter: str) -> tuple[Rule, ...]:
    return requires(
        "not_empty",
        parameter,
        AtMost(Const(1), Elements(parameter)),
        f"{parameter} must have an element",
        (Shown("shape", ShapeOf(parameter)),),
        f"Create {parameter} with shape [1].",
        Status.INNER_NULLPTR,
    )


def _sample(self: TensorArg, classes: int, axis: int, out: TensorArg) -> Call:
    return Call(
        {
            "self": self,
            "numClasses": classes,
            "onValue": TensorArg((1,), out.dtype, values=(3,)),
            "offValue": TensorArg((1,), out.dtype, values=(-1,)),
            "axis": axis,
            "out": out,
        }
    )


def _torch_one_hot(
    torch: Any,  # noqa: ANN401
    self: Any,  # noqa: ANN401
    num_classes: int,
    on_value: Any,  # noqa: ANN401
    off_value: Any,  # noqa: ANN401
    axis: int,
) -> Any:  # noqa: ANN401
    if self.numel() and not (int(self.min()) >= 0 and int(self.max()) < num_classes):
        return NotImplemented  # torch refuses numbers that are no class
    hit = torch.nn.functional.one_hot(self.long(), num_classes).bool()
    return torch.where(hit, on_value.flatten()[0], off_value.flatten()[0]).movedim(-1, axis)


def _common_classes(elements: int) -> Call:
    count = max(elements // 10, 1)
    return _sample(TensorArg((count,), INT64, span=(0, 10)), 10, -1, TensorArg((count, 10)))


def _drawn_classes(rng: Random) -> Call:
    """Some numbers are no class."""
    shape, classes = random_shape(rng), rng.randint(1, 5)
    axis = rng.randint(-1, len(shape))
    place = len(shape) if axis == -1 else axis
    span = (0, classes) if rng.random() < 0.5 else (-1, classes + 1)
    return _sample(
        TensorArg(shape, rng.choice((INT32, INT64)), span=span),
        classes,
        axis,
        TensorArg(
            (*shape[:place], classes, *shape[place:]), rng.choice((FLOAT16, FLOAT, INT32, INT64))
        ),
    )


ONE_HOT = Operator(
    "aclnnOneHot",
    summary="Marks the class of every element along a new axis.",
    formula=(
        "`out[..., k, ...] = onValue` where k equals the element of self, otherwise offValue; k "
        "runs along axis"
    ),
    params=(
        TensorIn("self", "Classes."),
        Int("numClasses", "How many classes there are.", bits=32, spelling="int"),
        TensorIn("onValue", "What marks a class: its first element."),
        TensorIn("offValue", "What the other places hold: its first element."),
        Int("axis", "Where the new axis goes; -1 is the end.", default=-1),
        TensorOut("out", "Result.", shape=_CLASSES, dtype=DtypeOf("onValue")),
    ),
    checks=(
        not_null("self", "onValue", "offValue", "out"),
        dtype_in("self", INT32, INT64, only_on(UINT8, A950)),
        *(dtype_in(name, *_VALUES) for name in ("out", "onValue", "offValue")),
        same_dtype("onValue", "out"),
        same_dtype("offValue", "out"),
        rank_at_most("self", 8),
        when(on_products(A950), rank_at_most("self", 7)),
        *(rank_at_most(name, 8) for name in ("onValue", "offValue", "out")),
        when(Condition(Empty("self"), "self is empty"), at_least("numClasses", 1)),
        at_least("numClasses", 0),
        at_least("axis", -1),
        requires(
            "axis_in_rank",
            "axis",
            AtMost(ValueOf("axis"), RankOf("self")),
            "axis must be at most the number of dimensions of self",
            (Shown("integer", ValueOf("axis")), " for rank ", Shown("integer", RankOf("self"))),
            "Pass -1 for a new last axis.",
        ),
        requires(
            "one_more_dimension",
            "out",
            Equal(RankOf("out"), Sum(RankOf("self"), Const(1))),
            "out must have one dimension more than self",
            (
                "rank ",
                Shown("integer", RankOf("out")),
                " and rank ",
                Shown("integer", RankOf("self")),
            ),
            "Create out with the shape of self and numClasses at axis.",
        ),
        shape_is("out", _CLASSES, "of self with numClasses at axis"),
        done_when_empty("self", "out"),
        _SUPPORTED,
        inside_storage("self"),
        _not_empty("onValue"),
        _not_empty("offValue"),
        same_format_unless_nd("out", "onValue"),
    ),
    golden=_one_hot,
    reference=_torch_one_hot,
    draw=_drawn_classes,
    typical=_common_classes,
    samples=(
        _sample(TensorArg((3,), INT64, values=(0, 2, 1)), 4, -1, TensorArg((3, 4))),
        _sample(TensorArg((2, 2), INT32, values=(5, -1, 1, 0)), 2, 1, TensorArg((2, 2, 2), INT64)),
        _sample(
            TensorArg((2,), INT64, strides=(3,), values=(1, 0)), 3, 0, TensorArg((3, 2), FLOAT16)
        ),
        _sample(TensorArg((), INT32, values=(1,)), 3, 0, TensorArg((3,), INT32)),
        _sample(TensorArg((3,), UINT8, values=(0, 2, 1)), 3, -1, TensorArg((3, 3), INT8)).on(A950),
        _sample(TensorArg((0, 3), INT32), 4, -1, TensorArg((0, 3, 4))),
        _sample(TensorArg((1,) * 7, INT32), 2, 0, TensorArg((2, *(1,) * 7))).on(A950),
    ),
    notes=(
        "A number that is no class, negative or too large, marks nothing; upstream's document says "
        "so of too large ones.",
        "onValue and offValue are read when the operator runs. Upstream does not check that they "
        "have an element; aclhost refuses those without.",
    ),
)
OPS = (EYE, ONE_HOT)

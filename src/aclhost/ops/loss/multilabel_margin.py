# SPDX-License-Identifier: Apache-2.0
"""aclnnMultilabelMarginLoss."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.loss.build import REDUCTION, TABLE, Torch, random_dtype
from aclhost.ops.loss.shapes import has_one_element
from aclhost.ops.pointwise.checks import feasible, given
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    has_elements,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, Rank0, ShapeIf, ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    DimOf,
    Elements,
    Equal,
    If,
    In,
    Not,
    Or,
    RankOf,
    ValueOf,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnMultilabelMarginLoss"
_MATRIX = Equal(RankOf("self"), const(2))
_EACH = And(In(ValueOf("reduction"), (0,)), _MATRIX)
_ROWS = Lengths((DimOf("self", const(0)),))


def golden(self: Array, target: Array, reduction: int) -> tuple[Array, Array]:
    """For each class that a row has, how far the others come closer than 1."""
    import numpy as np

    rows, classes = np.atleast_2d(self), np.atleast_2d(target)
    marks, losses = np.zeros(rows.shape), np.zeros(len(rows))
    for n, (row, numbers) in enumerate(zip(rows, classes, strict=True)):
        last = np.argmax(numbers < 0) if (numbers < 0).any() else len(numbers)
        own = numbers[:last].astype(np.int64)
        marks[n, own] = 1
        others = row[marks[n] == 0]
        losses[n] = np.maximum(1 - row[own][:, None] + others, 0).sum() / len(row)
    total = losses.sum() / (len(rows) if reduction == 1 else 1)
    each = losses if self.ndim == 2 else losses[0]
    return each if reduction == 0 else total, marks.reshape(target.shape)


def _reference(torch: Torch, self: Torch, target: Torch, reduction: int) -> Torch:
    if self.isnan().any():
        return NotImplemented  # torch leaves out what is not above 0, and so NaN
    function = torch.ops.aten.multilabel_margin_loss_forward
    shape = (1,) if self.dim() == 0 else self.shape
    loss, marks = function(self.reshape(shape), target.long().reshape(shape), reduction)
    return loss, marks.reshape(target.shape)


def _call(
    shape: tuple[int, ...], reduction: int, dtype: DataType = FLOAT, index: DataType = INT64
) -> Call:
    each = shape[:1] if reduction == 0 and len(shape) == 2 else ()
    classes = shape[-1] if shape else 1
    return Call(
        {
            "self": TensorArg(shape, dtype),
            "target": TensorArg(shape, index, span=(-1, classes)),
            "reduction": reduction,
            "out": TensorArg(each, dtype),
            "isTarget": TensorArg(shape, dtype),
        }
    )


def _drawn(random: Random) -> Call:
    classes = random.choice((1, 2, 7, 40))
    shape = random.choice(((), (classes,), (random.randint(1, 9), classes)))
    index = random.choice((INT64, INT32))
    return _call(shape, random.randint(0, 2), random_dtype(random), index)


_has_classes = requires(
    "has_classes", "self",
    And(AtMost(RankOf("self"), const(2)),
        Or(Equal(RankOf("self"), const(0)), Not(Equal(DimOf("self", const(-1)), const(0))))),
    "self must be [N, C], [C] or [] with at least one class", (Shown("shape", ShapeOf("self")),),
    "Reshape self.",
)  # fmt: skip
_target_fits = requires(
    "target_fits", "target",
    If(_MATRIX,
       And(Equal(RankOf("target"), const(2)),
           And(Equal(DimOf("target", const(0)), DimOf("self", const(0))),
               Equal(DimOf("target", const(1)), DimOf("self", const(1))))),
       And(AtMost(RankOf("target"), const(1)), Equal(Elements("target"), Elements("self")))),
    "target must have the shape of self", (Shown("shape", ShapeOf("target")),),
    "Pass as many classes as self has; -1 ends a row.",
)  # fmt: skip
_marks_fit = when(has_elements("self"),
                  same_shape("isTarget", "target"))  # fmt: skip

OP = Operator(
    _NAME,
    summary="Margins between the classes that rows have and those that they have not.",
    formula="For each row, with its classes j up to the first negative one and all others i: "
    "`sum(max(0, 1 - self[j] + self[i])) / C`; then nothing, the mean or the sum. "
    "`isTarget` is 1 for the classes of a row, else 0.",
    params=(
        TensorIn("self", "Scores: [N, C], [C] or []."),
        TensorIn("target", "The classes of each row; a negative number ends them."),
        REDUCTION,
        TensorOut("out", "The loss.", like="self", shape=ShapeIf(_EACH, _ROWS, Rank0())),
        TensorOut("isTarget", "Which classes a row has.", like="self", shape=ShapeOf("target")),
    ),
    checks=(
        given("self", "target", "out", "isTarget"),
        dtype_in("self", *TABLE),
        dtype_in("target", INT64, INT32),
        same_dtype("out", "self"),
        same_dtype("isTarget", "self"),
        _has_classes,
        _target_fits,
        when(
            Condition(_EACH, "reduction is 0 and self has 2 dimensions"),
            shape_is("out", _ROWS, "[N]"),
        ),
        when(
            Condition(Not(_EACH), "reduction is not 0, or self has less than 2 dimensions"),
            rank_at_most("out", 1),
            has_one_element("out"),
        ),
        _marks_fit,
        done_when_empty("self"),
        feasible(_NAME, "out", ("self", "target")),
    ),
    golden=golden,
    samples=(
        _call((4, 5), 1),
        _call((3, 4), 0, FLOAT16, INT32),
        _call((6,), 2, BF16),
        _call((), 1),
    ),
    reference=_reference,
    draw=_drawn,
    typical=lambda n: _call((max(n // 1000, 1), 1000), 1),
    notes=(
        "NaN among the values makes the loss NaN; torch leaves it out.",
        "A reduction other than 0 and 1 is a sum, as in upstream's code.",
        "A class that does not exist is skipped and reported as an index out of range: 507015 at "
        "the next synchronisation, and an exception in Python.",
    ),
)

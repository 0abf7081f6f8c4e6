# SPDX-License-Identifier: Apache-2.0
"""Negative log likelihood of classes, for rows and for images, with gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.loss.build import KNOWN_REDUCTION, NONE, REDUCED, REDUCTION, TABLE, Torch
from aclhost.ops.loss.nll_calls import (
    CLASSES,
    backward_call,
    backward_samples,
    drawn,
    forward_call,
    forward_samples,
    typical_shape,
)
from aclhost.ops.loss.shapes import has_one_element
from aclhost.ops.pointwise.checks import feasible, given
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    cast_exists,
    castable_to,
    done_when_empty,
    dtype_in,
    rank_at_most,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, Rank0, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    And,
    DimOf,
    DtypeOf,
    Elements,
    Equal,
    In,
    Not,
    Or,
    RankOf,
    Term,
    ValueOf,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_IS_NONE = In(ValueOf("reduction"), (0,))
_BATCHED = Equal(RankOf("self"), const(2))
_EACH = And(_IS_NONE, _BATCHED)
_NOTES = (
    "Positions whose class is ignoreIndex count neither for the loss nor for the weight.",
    "A class that does not exist is skipped and reported as an index out of range: 507015 at the "
    "next synchronisation, and an exception in Python.",
)


def _picked(self: Array, target: Array, weight: Array, ignored: int) -> tuple[Array, Array]:
    """The loss of each position, and its weight."""
    import numpy as np

    classes = np.moveaxis(self, 0 if self.ndim == 1 else 1, -1)
    counts = target != ignored
    index = np.where(counts, target, 0).astype(np.int64)[..., None]
    weights = np.where(counts, weight[index[..., 0]], 0.0)
    losses = -np.take_along_axis(classes, index, -1)[..., 0] * weights
    return np.where(counts, losses, 0.0), weights


def golden(
    self: Array, target: Array, weight: Array, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """The weighted value of the target's class; totals only with a reduction."""
    import numpy as np

    losses, weights = _picked(self, target, weight, ignore_index)
    if reduction == 0:
        return losses, np.array(0.0)
    total = weights.sum()
    return losses.sum() / (total if reduction == 1 else 1), total


def golden_backward(
    grad_output: Array, self: Array, target: Array, weight: Array, reduction: int,
    ignore_index: int, total_weight: Array,
) -> Array:  # fmt: skip
    """The weight of the target's class, and 0 for all others."""
    import numpy as np

    _, weights = _picked(self, target, weight, ignore_index)
    divisor = total_weight.reshape(()) if reduction == 1 else 1
    slope = np.broadcast_to(-(grad_output.reshape(target.shape if reduction == 0 else ()))
                            / divisor * weights, target.shape)  # fmt: skip
    axis = 0 if self.ndim == 1 else 1
    numbers = np.arange(self.shape[axis]).reshape((-1,) + (1,) * (self.ndim - axis - 1))
    is_target = (numbers == np.expand_dims(target, axis)) & (numbers != ignore_index)
    return np.where(is_target, np.expand_dims(slope, axis), 0.0)


def _torch_forward(name: str) -> Any:  # noqa: ANN401
    def reference(
        torch: Torch, self: Torch, target: Torch, weight: Torch, reduction: int, ignore_index: int
    ) -> tuple[Torch, Torch]:
        function = getattr(torch.ops.aten, name)
        loss, total = function(self, target.long(), weight, reduction, ignore_index)
        return loss, total if reduction else torch.zeros_like(total)

    return reference


def _torch_backward(name: str) -> Any:  # noqa: ANN401
    def reference(
        torch: Torch, grad_output: Torch, self: Torch, target: Torch, weight: Torch,
        reduction: int, ignore_index: int, total_weight: Torch,
    ) -> Torch:  # fmt: skip
        function = getattr(torch.ops.aten, name)
        total = total_weight.reshape(())
        grad = grad_output if reduction == 0 and self.dim() > 1 else grad_output.reshape(())
        return function(grad, self, target.long(), weight, reduction, ignore_index, total)

    return reference


def _one_per_row(parameter: str) -> tuple[Rule, ...]:
    """A value for each row without reduction, else one value of rank 0 or 1."""
    rows = Condition(_EACH, "reduction is 0 and self has 2 dimensions")
    single = Condition(Not(_EACH), "reduction is 1 or 2, or self has 1 dimension")
    return (
        *when(rows, shape_is(parameter, Lengths((DimOf("self", const(0)),)), "[N] of self")),
        *when(single, rank_at_most(parameter, 1), has_one_element(parameter)),
    )


def _target_shape() -> ShapeTerm:
    return ShapeIf(_BATCHED, Lengths((DimOf("self", const(0)),)), Rank0())


def _image_shape() -> ShapeTerm:
    return Lengths(tuple(DimOf("self", const(axis)) for axis in (0, 2, 3)))


def _row_shapes() -> tuple[Rule, ...]:
    classes = DimOf("self", const(-1))
    return (
        *rank_in("self", 1, 2),
        *shape_is("target", _target_shape(), "[N] for a self of [N, C], [] for one of [C]"),
        *shape_is("weight", Lengths((classes,)), "[C]"),
    )


def _has_classes() -> tuple[Rule, ...]:
    classes = DimOf("self", const(-1))
    return requires(
        "has_classes", "self", Or(Not(In(classes, (0,))), In(Elements("target"), (0,))),
        "self must have classes if target has elements", (Shown("shape", ShapeOf("self")),),
        "Pass at least one class.",
    )  # fmt: skip


def _image_shapes(weight_elements: Term) -> tuple[Rule, ...]:
    return (
        *rank_in("self", 4),
        *requires(
            "weight_of_classes", "weight", Equal(weight_elements, DimOf("self", const(1))),
            "weight must have a value for each class of self",
            (Shown("shape", ShapeOf("weight")), " for ", Shown("shape", ShapeOf("self"))),
            "Pass C weights for a self of [N, C, H, W].",
        ),
        *shape_is("target", _image_shape(), "[N, H, W] for a self of [N, C, H, W]"),
    )  # fmt: skip


_IGNORED = Int("ignoreIndex", "Class that does not count.", default=-100)
_INPUTS = (
    TensorIn("self", "Logarithms of probabilities: [N, C], [C], or [N, C, H, W]."),
    TensorIn("target", "The right class of each position."),
    TensorIn("weight", "Weight of each class."),
)


def _forward(name: str, checks: tuple[tuple[Rule, ...], ...], shape: ShapeTerm) -> Operator:
    inputs = ("self", "target", "weight")
    own, is_image = DtypeOf("self"), name.endswith("2d")
    return Operator(
        name,
        summary="Negative log likelihood of classes"
        f"{' at each pixel' if is_image else ''}, its weighted mean or its sum.",
        formula="`out = -weight[target] * self[target]` for each position; the sum over all, or "
        "that divided by `totalWeightOut`, the sum of `weight[target]`",
        params=(
            *_INPUTS,
            REDUCTION,
            _IGNORED,
            TensorOut("out", "The loss.", shape=ShapeIf(_IS_NONE, shape, Rank0()), dtype=own),
            TensorOut("totalWeightOut", "Sum of the weights.", shape=Rank0(), dtype=own),
        ),
        checks=(
            *checks,
            done_when_empty("self", unless=REDUCED),
            feasible(name, "out", inputs, own),
            cast_exists("totalWeightOut", own),
        ),
        golden=golden,
        samples=forward_samples(is_image),
        reference=_torch_forward("nll_loss2d_forward" if is_image else "nll_loss_forward"),
        summed=("self",),
        draw=lambda random: drawn(random, forward_call, is_image),
        typical=lambda n: forward_call(typical_shape(n, is_image), 1, ignored=-100),
        notes=(
            *_NOTES,
            "Without reduction totalWeightOut becomes 0; upstream leaves it alone.",
            "Of no positions, the mean is NaN, the sum and the total 0.",
            "Sums are in double, in an order that follows from the shapes alone.",
        ),
    )


def _backward(name: str, checks: tuple[tuple[Rule, ...], ...]) -> Operator:
    is_image = "2d" in name
    inputs = ("gradOutput", "self", "target", "weight")
    forward = name.removesuffix("Backward")
    return Operator(
        name,
        summary="Gradient of the negative log likelihood of classes"
        f"{' at each pixel' if is_image else ''}.",
        formula="`out[target] = -weight[target] * gradOutput` for each position, with a mean "
        "divided by `totalWeight`; 0 for all other classes",
        params=(
            TensorIn("gradOutput", "Gradient of the loss."),
            *_INPUTS,
            REDUCTION,
            _IGNORED,
            TensorIn("totalWeight", "Sum of the weights.", is_const=not is_image),
            TensorOut("out", "Gradient of self.", like="self"),
        ),
        checks=(*checks, done_when_empty("self"), feasible(name, "out", inputs),
                *(() if is_image else (cast_exists("out", DtypeOf("self")),))),
        golden=golden_backward,
        samples=backward_samples(is_image),
        reference=_torch_backward("nll_loss2d_backward" if is_image else "nll_loss_backward"),
        gradient=Gradient(
            forward, {"out": "self"}, {"gradOutput": "out"},
            saved={"totalWeight": "totalWeightOut"},
        ),
        draw=lambda random: drawn(random, backward_call, is_image),
        typical=lambda n: backward_call(typical_shape(n, is_image), 1, ignored=-100),
        notes=_NOTES,
    )  # fmt: skip


def _rows() -> tuple[Operator, Operator]:
    results = ("out", "totalWeightOut")
    forward = _forward(
        "aclnnNLLLoss",
        (given("self", "target", "weight", *results), same_dtype("weight", "self"),
         castable_to("out", "self"), castable_to("totalWeightOut", "self"),
         dtype_in("self", *TABLE), dtype_in("target", *CLASSES), KNOWN_REDUCTION, _row_shapes(),
         _one_per_row("out"), has_one_element("totalWeightOut"), _has_classes()),
        _target_shape(),
    )  # fmt: skip
    everything = ("gradOutput", "self", "target", "weight", "totalWeight", "out")
    backward = _backward(
        "aclnnNLLLossBackward",
        (given(*everything), same_dtype("weight", "self"), same_dtype("gradOutput", "self"),
         same_dtype("totalWeight", "self"), castable_to("out", "self"), dtype_in("self", *TABLE),
         dtype_in("target", *CLASSES), KNOWN_REDUCTION, _row_shapes(),
         has_one_element("totalWeight"), _one_per_row("gradOutput"), same_shape("out", "self")),
    )  # fmt: skip
    return forward, backward


def _images() -> tuple[Operator, Operator]:
    results = ("out", "totalWeightOut")
    forward = _forward(
        "aclnnNLLLoss2d",
        (given("self", "target", "weight", *results), dtype_in("self", *TABLE),
         same_dtype("weight", "self"), castable_to("out", "self"),
         castable_to("totalWeightOut", "self"), dtype_in("target", *CLASSES), KNOWN_REDUCTION,
         _image_shapes(DimOf("weight", const(0))), when(NONE, same_shape("out", "target")),
         when(REDUCED, has_one_element("out")), has_one_element("totalWeightOut")),
        _image_shape(),
    )  # fmt: skip
    others = ("gradOutput", "weight", "out", "totalWeight")
    backward = _backward(
        "aclnnNLLLoss2dBackward",
        (given("gradOutput", "self", "target", "weight", "out", "totalWeight"),
         dtype_in("self", *TABLE), *(same_dtype(each, "self") for each in others),
         dtype_in("target", *CLASSES), when(NONE, same_shape("gradOutput", "target")),
         when(Condition(Not(_IS_NONE), "reduction is not 0"), rank_at_most("gradOutput", 1),
              has_one_element("gradOutput")),
         _image_shapes(Elements("weight")), same_shape("out", "self"),
         has_one_element("totalWeight"), KNOWN_REDUCTION),
    )  # fmt: skip
    return forward, backward


OPS = (*_rows(), *_images())

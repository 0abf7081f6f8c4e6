# SPDX-License-Identifier: Apache-2.0
"""Binary cross entropy of probabilities and of logits, with gradients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aclhost.ops.loss.build import (
    KNOWN_REDUCTION,
    NONE,
    PROBABILITY,
    REDUCED,
    TABLE,
    WORDS,
    Torch,
    broadcasts_to,
    loss,
    loss_backward,
    presence,
    promoted_with,
    whole_shape,
)
from aclhost.ops.pointwise.checks import feasible, given, listed, ranks, readable
from aclhost.ops.pointwise.declare import with_sample
from aclhost.spec import math
from aclhost.spec.dtypes import FLOAT
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.rules import (
    Rule,
    broadcastable,
    done_when_empty,
    dtype_in,
    fits_shape,
    format_fits_rank,
    has_elements,
    inner,
    is_given,
    one_element,
    same_dtype,
    same_format,
    same_shape,
    when,
)
from aclhost.spec.shapes import Rank0, ShapeIf, ShapeOf
from aclhost.spec.terms import DtypeOf, In, Present, ValueOf, const, promoted

_PAIR = ("self", "target")
_WEIGHTS = ("weightOptional", "posWeightOptional")
_GRADIENT = ("gradOutput", *_PAIR)
_SPANS = {"self": PROBABILITY, "target": PROBABILITY}
_LOGIT_SPANS = {"target": PROBABILITY, **dict.fromkeys(_WEIGHTS, (0.0, 4.0))}
_SOME = has_elements("self")
_LEAST_LOG = -100
_LEFT_OUT = ", where a weight that is left out counts as 1"
_ONE_WEIGHT, _TWO_WEIGHTS = ((1, _LEFT_OUT),), ((3, _LEFT_OUT),)
_EMPTY = "Of nothing, the mean is NaN and the sum 0; without reduction nothing is written."


def entropy(x: Element, y: Element, weight: Element) -> Element:
    """No logarithm is below -100."""
    certain = y * math.maximum(math.log(x), _LEAST_LOG)
    return -(certain + (1 - y) * math.maximum(math.log1p(-x), _LEAST_LOG))


def weighted_entropy(x: Element, y: Element, weight: Element) -> Element:
    """The same, weighted."""
    return entropy(x, y, weight) * weight


def entropy_slope(g: Element, x: Element, y: Element, weight: Element, count: Element) -> Element:
    """The variance is at least 1e-12."""
    return (x - y) / math.maximum((1 - x) * x, 1e-12) / count * g


def weighted_slope(g: Element, x: Element, y: Element, weight: Element, count: Element) -> Element:
    """The same, weighted."""
    return entropy_slope(weight * g, x, y, weight, count)


def _logits(weighted: bool, positive: bool) -> Any:  # noqa: ANN401
    """For a logit: (1 - y) * x + log(1 + exp(-x)), the latter weighted where y is 1."""

    def function(x: Element, y: Element, weight: Element, positive_weight: Element) -> Element:
        missed = math.log1p_exp(-x)
        if positive:
            missed = (1 + (positive_weight - 1) * y) * missed
        entropy = (1 - y) * x + missed
        return entropy * weight if weighted else entropy

    return function


def _logits_slope(weighted: bool, positive: bool) -> Any:  # noqa: ANN401
    def function(
        g: Element, x: Element, y: Element, weight: Element, positive_weight: Element,
        count: Element,
    ) -> Element:  # fmt: skip
        hits = positive_weight * y if positive else y
        share = (hits + 1 - y) * math.sigmoid(x) if positive else math.sigmoid(x)
        slope = (share - hits) / count
        return slope * (weight * g if weighted else g)

    return function


def _target_slope(weighted: bool, positive: bool) -> Any:  # noqa: ANN401
    def function(
        g: Element, x: Element, y: Element, weight: Element, positive_weight: Element,
        count: Element,
    ) -> Element:  # fmt: skip
        missed = math.log1p_exp(-x) * positive_weight if positive else math.log1p_exp(-x)
        slope = (missed - math.log1p_exp(x)) / count
        return slope * (weight * g if weighted else g)

    return function


def _four(make: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """By the weights that are there, in the order of presence()."""
    return tuple(make(bool(bits & 1), bool(bits & 2)) for bits in range(4))


def _torch_bce(torch: Torch, self: Torch, target: Torch, weight: Torch, reduction: int) -> Torch:
    if bool(((self < 0) | (self > 1)).any()):
        return NotImplemented  # torch refuses what is no probability
    entropy = torch.nn.functional.binary_cross_entropy
    return entropy(self, target, weight, reduction=WORDS[reduction])


def _by_autograd(
    torch: Torch, function: Any, grad_output: Torch, of: str, tensors: dict[str, Torch],  # noqa: ANN401
    reduction: int,
) -> Torch:  # fmt: skip
    """The gradient of one of the tensors, for a loss without reduction."""
    x = tensors[of].clone().requires_grad_()
    each = function(**{**tensors, of: x}) * grad_output
    (each / (x.numel() if reduction == 1 else 1)).sum().backward()
    return x.grad


def _torch_bce_backward(
    torch: Torch, grad_output: Torch, self: Torch, target: Torch, weight_optional: Torch,
    reduction: int,
) -> Torch:  # fmt: skip
    if bool(((self < 0) | (self > 1)).any()):
        return NotImplemented
    target = target.expand_as(self)
    weight = None if weight_optional is None else weight_optional.expand_as(self)

    def function(input: Torch, target: Torch) -> Torch:
        entropy = torch.nn.functional.binary_cross_entropy
        return entropy(input, target, weight, reduction="none")

    tensors = {"input": self, "target": target}
    return _by_autograd(torch, function, grad_output, "input", tensors, reduction)


def _torch_logits(
    torch: Torch, self: Torch, target: Torch, weight_optional: Torch, pos_weight_optional: Torch,
    reduction: int,
) -> Torch:  # fmt: skip
    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    return entropy(
        self, target, weight_optional, pos_weight=pos_weight_optional, reduction=WORDS[reduction]
    )


def _torch_logits_gradient(of: str) -> Any:  # noqa: ANN401
    def reference(
        torch: Torch, grad_output: Torch, self: Torch, target: Torch, weight_optional: Torch,
        pos_weight_optional: Torch, reduction: int,
    ) -> Torch:  # fmt: skip
        def function(input: Torch, target: Torch) -> Torch:
            return _torch_logits(torch, input, target, weight_optional, pos_weight_optional, 0)

        tensors = {"input": self, "target": target}
        return _by_autograd(torch, function, grad_output, of, tensors, reduction)

    return reference


def _bce() -> Operator:
    name, weighted = "aclnnBinaryCrossEntropy", is_given("weight")
    inputs = (*_PAIR, "weight")
    expected = ShapeIf(In(ValueOf("reduction"), (0,)), ShapeOf("self"), Rank0())
    op = loss(
        name, "Binary cross entropy of probabilities.", entropy,
        (inner(given(*_PAIR, "out")), listed((*_PAIR, "out"), *TABLE),
         when(weighted, dtype_in("weight", *TABLE), same_dtype("target", "self"),
              same_dtype("weight", "self"), same_dtype("out", "self")),
         same_shape("target", "self"), KNOWN_REDUCTION,
         fits_shape("out", expected, "of self, or one element with a mean or a sum"),
         feasible(name, "out", inputs), inner(same_dtype("target", "self")),
         inner(same_dtype("out", "self"))),
        _torch_bce, inputs=inputs, computed=DtypeOf("self"), variants=(weighted_entropy,),
        variant=Present("weight"), spans=_SPANS, ulps=4, shapes=(), shown=_ONE_WEIGHT,
        notes=(_EMPTY, "Logarithms below -100 count as -100.",
               "A null pointer gives 561103, as in upstream's code; the document says 161001.",
               "weight must have the shape of self, which only phase 2 notices.",
               "Of an empty self, upstream fills an out of any shape; aclhost demands the one that "
               "the reduction gives."),
    )  # fmt: skip
    op = replace(op, launch_checks=(when(weighted, inner(same_shape("weight", "self"))),))
    return with_sample(op, lambda call: call.passing(weight=None))


def _bce_backward() -> Operator:
    name, weighted = "aclnnBinaryCrossEntropyBackward", is_given("weightOptional")
    inputs = (*_GRADIENT, "weightOptional")
    op = loss_backward(
        name, "Gradient of the binary cross entropy of probabilities.", entropy_slope,
        (given(*_GRADIENT, "out"), ranks(*inputs, "out"), listed((*_GRADIENT, "out"), *TABLE),
         when(weighted, dtype_in("weightOptional", *TABLE)), same_format("target", "self"),
         when(weighted, same_format("weightOptional", "self")),
         when(_SOME, same_shape("out", "self"), broadcasts_to("target", "self"),
              broadcasts_to("weightOptional", "self"), broadcasts_to("gradOutput", "self")),
         KNOWN_REDUCTION, done_when_empty("self"), feasible(name, "out", inputs),
         format_fits_rank("out")),
        _torch_bce_backward, out="out", inputs=inputs,
        computed=promoted_with(inputs[3:], *_GRADIENT), variants=(weighted_slope,),
        variant=Present("weightOptional"), spans=_SPANS, ulps=6, shape=ShapeOf("self"),
        shapes=((2, 3), (2, 3), (3,), (2, 1)), shown=_ONE_WEIGHT,
        gradient=Gradient("aclnnBinaryCrossEntropy", {"out": "self"}, {"gradOutput": "out"},
                          saved={"weightOptional": "weight"}),
        notes=("self * (1 - self) counts as at least 1e-12.",),
    )  # fmt: skip
    return with_sample(op, lambda call: call.passing(weightOptional=None))


def _with_presences(op: Operator) -> Operator:
    """Samples without one, the other and both of the weights, and with ones that broadcast."""
    op = with_sample(op, lambda call: call.passing(weightOptional=None))
    op = with_sample(op, lambda call: call.passing(posWeightOptional=None))
    op = with_sample(op, lambda call: call.passing(weightOptional=None, posWeightOptional=None))
    return with_sample(
        op, lambda call: call.reshaped((3,), _WEIGHTS[1]).reshaped((2, 1), _WEIGHTS[0])
    )


def _bce_with_logits() -> Operator:
    name, inputs = "aclnnBinaryCrossEntropyWithLogits", (*_PAIR, *_WEIGHTS)
    function, *variants = _four(_logits)
    common = promoted(*_PAIR)
    fits = tuple(rule for each in _WEIGHTS for rule in broadcastable(each, "target"))
    readables = tuple(rule for each in _WEIGHTS for rule in when(is_given(each), readable(each)))
    return _with_presences(loss(
        name, "Binary cross entropy of logits.", function,
        (given(*_PAIR, "out"), listed((*_PAIR, "out"), *TABLE), same_dtype("out", "target"),
         KNOWN_REDUCTION, ranks(*inputs), same_shape("target", "self"), when(_SOME, fits),
         done_when_empty("self", unless=REDUCED), feasible(name, "out", inputs),
         when(NONE, whole_shape("out", *inputs)),
         when(REDUCED, one_element("out")), readables),
        _torch_logits, inputs=inputs, computed=common, results=const(FLOAT),
        dtype=DtypeOf("target"), variants=tuple(variants), variant=presence(*_WEIGHTS),
        spans=_LOGIT_SPANS, ulps=4, shapes=(), shown=_TWO_WEIGHTS,
        notes=(_EMPTY, "The loss is rounded to FLOAT, then cast to the dtype of out.",
               "Of an empty self, upstream fills an out of any shape; aclhost demands one "
               "element."),
    ))  # fmt: skip


def _logits_checks(name: str, out: str) -> tuple[tuple[Rule, ...], ...]:
    weights = tuple(
        rule for each in _WEIGHTS for rule in when(is_given(each), dtype_in(each, *TABLE))
    )
    return (
        (*given(*_GRADIENT, out), *ranks(*_GRADIENT, *_WEIGHTS, out)),
        (*listed(_GRADIENT, *TABLE), *weights, *dtype_in(out, *TABLE), *same_dtype(out, "target")),
        (*same_format("target", "self"), *same_format(out, "self")),
        when(_SOME, same_shape("target", "self"), same_shape(out, "self"),
             *(broadcasts_to(each, "self") for each in ("gradOutput", *_WEIGHTS))),
        KNOWN_REDUCTION,
    )  # fmt: skip


def _bce_with_logits_backward() -> Operator:
    name, inputs = "aclnnBinaryCrossEntropyWithLogitsBackward", (*_GRADIENT, *_WEIGHTS)
    function, *variants = _four(_logits_slope)
    return _with_presences(loss_backward(
        name, "Gradient of the binary cross entropy of logits.", function,
        (*_logits_checks(name, "out"), done_when_empty("self"),
         feasible(name, "out", inputs), format_fits_rank("out")),
        _torch_logits_gradient("input"), out="out", inputs=inputs,
        computed=promoted_with(_WEIGHTS, *_GRADIENT), dtype=DtypeOf("target"),
        variants=tuple(variants), variant=presence(*_WEIGHTS), shape=ShapeOf("self"),
        spans=_LOGIT_SPANS, ulps=6, shapes=(), shown=_TWO_WEIGHTS,
        gradient=Gradient("aclnnBinaryCrossEntropyWithLogits", {"out": "self"},
                          {"gradOutput": "out"}),
    ))  # fmt: skip


def _bce_with_logits_target_backward() -> Operator:
    name, inputs = "aclnnBinaryCrossEntropyWithLogitsTargetBackward", (*_GRADIENT, *_WEIGHTS)
    function, *variants = _four(_target_slope)
    return _with_presences(loss_backward(
        name, "Gradient of the binary cross entropy of logits with respect to its target.",
        function,
        (*_logits_checks(name, "gradTarget"), done_when_empty("self"),
         feasible(name, "gradTarget", inputs)),
        _torch_logits_gradient("target"), out="gradTarget", inputs=inputs,
        computed=const(FLOAT), dtype=DtypeOf("target"), variants=tuple(variants),
        variant=presence(*_WEIGHTS), shape=ShapeOf("self"), spans=_LOGIT_SPANS, ulps=6,
        shapes=(), shown=_TWO_WEIGHTS,
        gradient=Gradient("aclnnBinaryCrossEntropyWithLogits", {"gradTarget": "target"},
                          {"gradOutput": "out"}),
    ))  # fmt: skip


OPS = (
    _bce(),
    _bce_backward(),
    _bce_with_logits(),
    _bce_with_logits_backward(),
    _bce_with_logits_target_backward(),
)

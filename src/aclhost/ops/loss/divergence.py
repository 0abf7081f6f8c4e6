# SPDX-License-Identifier: Apache-2.0
"""The Kullback-Leibler divergence and its gradients."""

from __future__ import annotations

from functools import partial
from typing import Any

from aclhost.ops.loss.build import (
    NONE,
    PROBABILITY,
    TABLE,
    Torch,
    broadcasting,
    loss,
    loss_backward,
    whole_shape,
)
from aclhost.ops.pointwise.checks import feasible, given, listed, ranks
from aclhost.ops.pointwise.declare import with_sample
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Flag
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Rule,
    broadcastable,
    done_when_empty,
    equals,
    fits_shape,
    inside_storage,
    not_private,
    one_of,
    only_on,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import (
    Broadcast,
    Broadcastable,
    ElementsOf,
    FirstLength,
    Rank0,
    SameShape,
    ShapeOf,
)
from aclhost.spec.terms import DtypeOf, Equal, If, In, ProductIn, ValueOf, all_of, const

_INPUTS = ("gradOutput", "self", "target")
_NEWER = (A950, A3, A2)
_OLDER = (*_NEWER, P310P, T910)
_WHOLE = Broadcast(("self", "target"))
_NOTHING = "Where self is empty and target is not, gradTarget gets 0; upstream leaves it as it is."
_BATCH = NumberFrom(
    "count",
    value=If(
        In(ValueOf("reduction"), (3,)),
        FirstLength(_WHOLE),
        If(In(ValueOf("reduction"), (1,)), ElementsOf(_WHOLE), const(1)),
    ),
)
_REDUCTION = Choice(
    "reduction", "0 none, 1 mean, 2 sum, 3 mean over the batch.",
    words=("none", "mean", "sum", "batchmean"), default="mean",
)  # fmt: skip
_LOG_TARGET = Flag("logTarget", "Whether target holds logarithms.", default=False)


def divergence(x: Element, y: Element, count: Element) -> Element:
    """NaN where target is 0 or less."""
    return y * (math.log(y) - x) / count


def log_divergence(x: Element, y: Element, count: Element) -> Element:
    """Of a target that is a logarithm."""
    return math.exp(y) * (y - x) / count


def slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """Of target * (log(target) - self)."""
    return -y / count * g


def log_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """Of exp(target) * (target - self)."""
    return -math.exp(y) / count * g


def target_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """NaN where target is 0."""
    return (math.log(y) - x + y / y) / count * g


def log_target_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """Of exp(target) * (target - self)."""
    return (y - x + 1) * math.exp(y) / count * g


def _torch_gradient(of: str) -> Any:  # noqa: ANN401
    def reference(
        torch: Torch, grad_output: Torch, self: Torch, target: Torch, reduction: int,
        log_target: bool = False,
    ) -> Torch:  # fmt: skip
        tensors = {"self": self.clone(), "target": target.clone()}
        x = tensors[of].requires_grad_()
        each = torch.nn.functional.kl_div(
            tensors["self"], tensors["target"], reduction="none", log_target=bool(log_target)
        )
        counts = {1: each.numel(), 3: each.shape[0] if each.dim() else 1}
        (each * grad_output / counts.get(reduction, 1)).sum().backward()
        return x.grad

    return reference


def _fits_whole() -> tuple[Rule, ...]:
    every = ("self", "target", "gradOutput")
    return requires(
        "broadcasts_to",
        "gradOutput",
        all_of(Broadcastable(every), SameShape(Broadcast(every), _WHOLE)),
        "gradOutput must broadcast to the shape that self and target broadcast to",
        (Shown("shape", ShapeOf("gradOutput")), " and ", Shown("shape", _WHOLE)),
        "Aligned at the right, its dimensions must be equal to the others' or 1.",
    )


def _torch_divergence(
    torch: Torch, self: Torch, target: Torch, reduction: int, log_target: bool = False
) -> Torch:
    whole = torch.broadcast_tensors(self, target)
    each = torch.nn.functional.kl_div(*whole, reduction="none", log_target=bool(log_target))
    if reduction == 0:
        return each
    counts = {1: each.numel(), 3: each.shape[0] if each.dim() else 1}
    return each.sum() / counts.get(reduction, 1)


def _forward() -> Operator:
    pair, name = ("self", "target"), "aclnnKlDiv"
    batch, reduced = In(ValueOf("reduction"), (3,)), equals("reduction", 1, 2, 3)
    share = NumberFrom("count", value=If(batch, FirstLength(_WHOLE), const(1)))
    op = loss(
        name, "Kullback-Leibler divergence of each element, its mean or its sum.", divergence,
        (given(*pair, "out"), listed((*pair, "out"), *TABLE), ranks(*pair),
         one_of("reduction", 0, 1, 2, 3, meaning="0 for none, 1 for mean, 2 for sum, 3 for the "
                "mean over the batch"),
         done_when_empty(*pair, unless=reduced), broadcastable("target", "self"),
         when(NONE, whole_shape("out", *pair)),
         when(reduced, fits_shape("out", Rank0(), "of rank 0, or one element")),
         feasible(name, "out", pair)),
        _torch_divergence, variants=(log_divergence,), variant=ValueOf("logTarget"), share=share,
        reduction=If(batch, If(In(FirstLength(_WHOLE), (0,)), const(1), const(2)),
                     ValueOf("reduction")),
        others=(_REDUCTION, _LOG_TARGET), spans={"target": PROBABILITY}, ulps=8,
        shown=((0, ""), (1, " with logTarget")),
        notes=("Of nothing, the mean is NaN and the sum 0; the mean over the batch is NaN where "
               "the first length is 0, else 0.",
               "With the mean over the batch, count is the first length of what self and target "
               "broadcast to, else 1.",
               "NaN where target is 0, as the document says; torch has 0 there."),
    )  # fmt: skip
    for changes in ({"reduction": 3}, {"logTarget": True}):
        op = with_sample(op, partial(Call.passing, **changes))
    return op


def _backward(name: str, out: str, of: str) -> Operator:
    is_target = of == "target"
    on = _NEWER if is_target else _OLDER
    table = (only_on(FLOAT, *on), only_on(FLOAT16, *on), only_on(BF16, *_NEWER))
    alike = all_of(*(Equal(DtypeOf(each), DtypeOf("self")) for each in ("gradOutput", "target")))
    keeps = ProductIn((A950,)) if is_target else In(DtypeOf("self"), (FLOAT16,))
    computed = If(all_of(alike, keeps), DtypeOf("self"), const(FLOAT))
    functions = (target_slope, log_target_slope) if is_target else (slope, log_slope)
    everything = (*_INPUTS, out)
    op = loss_backward(
        name, f"Gradient of the Kullback-Leibler divergence with respect to {of}.", functions[0],
        (given(*everything), listed(everything, *table),
         same_dtype(out, "target") if is_target else (), ranks(out, "gradOutput"),
         broadcasting("self", "target"), _fits_whole(), same_shape(out, of),
         not_private(*everything) if is_target else (), done_when_empty(out),
         inside_storage(*_INPUTS) if is_target else feasible(name, out, _INPUTS)),
        _torch_gradient(of), out=out, computed=computed, dtype=DtypeOf(of), variants=functions[1:],
        variant=ValueOf("logTarget"), shape=ShapeOf(of), share=_BATCH, sums=True,
        gradient=Gradient("aclnnKlDiv", results={out: of}, given={"gradOutput": "out"}),
        flags=(_LOG_TARGET,), reduction=_REDUCTION, spans={"target": PROBABILITY}, ulps=8,
        shapes=((2, 4, 3), (4, 1), (2, 1, 3)), shown=((0, ""), (1, " with logTarget")),
        notes=(f"Where {of} was broadcast, its gradient is a sum, in double and in an order that "
               "follows from the shapes alone.",
               "With the mean over the batch, count is the first length of what self and target "
               "broadcast to.",
               "Reductions above 3 and below 0 divide by nothing, as in upstream's code.",
               *((_NOTHING,) if is_target else ())),
    )  # fmt: skip
    op = with_sample(op, partial(Call.passing, reduction=3))
    return with_sample(op, partial(Call.passing, logTarget=True))


OPS = (
    _forward(),
    _backward("aclnnKlDivBackward", "out", "self"),
    _backward("aclnnKlDivTargetBackward", "gradTarget", "target"),
)

# SPDX-License-Identifier: Apache-2.0
"""Gated units with SiLU whose halves are clipped, on the rows of groups."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.activation.gated import HALVED, half, half_shape, halved, supported
from aclhost.ops.activation.row_checks import (
    GROUPS,
    SUM_OF_GROUPS,
    UNTOUCHED,
    at_least_one_group,
    clipped,
    dense,
    draw_groups,
    dtypes_of_options,
    one_dimension,
    rows_in,
    sigmoid,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT64
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, Int, Parameter, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Rule,
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    in_tiling,
    inside_storage,
    is_given,
    not_null,
    on_products,
    one_of,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, Elements, RealIs

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any

_ON_CARDS = on_products(A3, A2)
_SPLIT = (
    "x is seen as rows: dimensions before dim tell which, the others make it. a and b are the "
    "halves of a row, or its elements at even and at odd places if interleaved. Only the first "
    "rows are computed, as many as the elements of groupIndexOptional add up to; all without it.\n"
    "\n`a' = min(a, limit)`, `b' = min(max(b, -limit), limit)`"
)
_UNIT = "`out = a' * sigmoid(alpha * a') * (b' + bias)`"
_LATE = "with clampMode 1 `out = min(a * sigmoid(a), limit) * b'`"
_SLOPES = (
    "with `s = sigmoid(alpha * a')`: `gradXOut` is `gradY * (b' + bias) * s * (1 + alpha * a' * "
    "(1 - s))` at the places of a, and `gradY * a' * s` at those of b; 0 where the limit clips, "
    "and in rows that are not computed"
)
_INPUTS = (
    TensorIn("x", "Both halves."),
    TensorIn(GROUPS, "Sizes of groups of rows.", optional=True),
    HALVED,
)
_ATTRIBUTES: tuple[Parameter, ...] = (
    Double("alpha", "Steepness of the gate.", default=1.702),
    Double("limit", "Where the halves are clipped.", default=7.0),
    Double("bias", "Added to the second half.", default=1.0),
    Flag("interleaved", "Whether halves alternate.", default=True),
)


def _split(x: Array, dim: int, interleaved: bool) -> tuple[tuple[int, ...], Array, Array]:
    """The dimensions before, and two matrices."""
    outer = x.shape[: dim % x.ndim]
    rows = x.reshape(math.prod(outer), -1) if x.size else x.reshape(0, 2)
    width = rows.shape[1] // 2
    if interleaved:
        return outer, rows[:, ::2], rows[:, 1::2]
    return outer, rows[:, :width], rows[:, width:]


def _golden(
    x: Array, group_index_optional: Array | None, dim: int, alpha: float, limit: float,
    bias: float, interleaved: bool, clamp_mode: int = 0,
) -> Array:  # fmt: skip
    """All rows, whatever the groups."""
    import numpy as np

    _, a, b = _split(x, dim, interleaved)
    gate, other = clipped(a, b, limit)
    if clamp_mode:
        result = np.minimum(a * sigmoid(a), limit) * other
    else:
        result = gate * sigmoid(alpha * gate) * (other + bias)
    shape = list(x.shape)
    shape[dim] //= 2
    return np.asarray(result.reshape(shape))


def _golden_grad(
    grad_y: Array, x: Array, group_index_optional: Array | None, dim: int, alpha: float,
    limit: float, bias: float, interleaved: bool,
) -> Array:  # fmt: skip
    """Zero behind the last group."""
    import numpy as np

    outer, a, b = _split(x, dim, interleaved)
    gate, other = clipped(a, b, limit)
    s, g = sigmoid(alpha * gate), grad_y.reshape(a.shape)
    of_a = np.where(a > limit, 0.0, g * (other + bias) * s * (1 + alpha * gate * (1 - s)))
    of_b = np.where(np.abs(b) > limit, 0.0, g * gate * s)
    used = np.arange(len(a))[:, None] < rows_in(group_index_optional, outer)
    axis = 2 if interleaved else 1
    pairs = np.stack((np.where(used, of_a, 0.0), np.where(used, of_b, 0.0)), axis=axis)
    return pairs.reshape(x.shape)


def _torch(
    torch: Torch, x: Torch, dim: int, interleaved: bool, alpha: float, limit: float, bias: float,
    clamp_mode: int = 0, **_: Torch,
) -> Torch:  # fmt: skip
    """The formula in torch's words."""
    rows = x.reshape(math.prod(x.shape[: dim % x.dim()]), -1)
    a, b = (rows[:, ::2], rows[:, 1::2]) if interleaved else rows.chunk(2, 1)
    other = b.clamp(-limit, limit)
    if clamp_mode:
        result = torch.nn.functional.silu(a).clamp(max=limit) * other
    else:
        gate = a.clamp(max=limit)
        result = gate * torch.sigmoid(alpha * gate) * (other + bias)
    shape = list(x.shape)
    shape[dim] //= 2
    return result.reshape(shape)


def _torch_forward(torch: Torch, x: Torch, **arguments: Torch) -> Torch:
    return _torch(torch, x, **arguments) if x.numel() else NotImplemented


def _torch_grad(torch: Torch, grad_y: Torch, x: Torch, **arguments: Torch) -> Torch:
    """Torch multiplies infinite gradients by slopes of 0."""
    is_told = arguments["group_index_optional"] is None and grad_y.isfinite().all()
    if not is_told or not x.numel():
        return NotImplemented
    x = x.clone().requires_grad_()
    _torch(torch, x, **arguments).backward(grad_y)
    return x.grad


def _positive_limit() -> tuple[Rule, ...]:
    return requires(
        "positive", "limit", RealIs("limit", ">", 0.0), "limit must be greater than 0",
        (Shown("real", "limit"),), "Pass a larger limit.",
    )  # fmt: skip


def _few_groups() -> tuple[Rule, ...]:
    return when(
        is_given(GROUPS),
        requires(
            "length_at_most", GROUPS, AtMost(Elements(GROUPS), Const(8192)),
            f"{GROUPS} must have at most 8192 elements", (Shown("shape", ShapeOf(GROUPS)),),
            "Join groups.",
        ),
    )  # fmt: skip


def _first_checks(name: str, first: str, *others: str) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null(first, *others), dtype_in(first, FLOAT16, FLOAT, BF16), dtypes_of_options(),
        *(same_dtype(each, first) for each in others), supported(name),
        done_when_empty(others[-1]),
    )  # fmt: skip


def _forward_checks(name: str, mode: tuple[Rule, ...] = ()) -> tuple[tuple[Step, ...], ...]:
    """The Ascend 950 looks at more."""
    only_950 = name == "aclnnClippedSwigluV2"
    new = (lambda *rules: tuple(rule for each in rules for rule in each)) if only_950 else (
        lambda *rules: when(on_products(A950), *rules)
    )  # fmt: skip
    return (
        *_first_checks(name, "x", "out"),
        in_tiling(new(_positive_limit()), mode, axis_in_rank("dim", "x"), halved("x"),
                  one_dimension(), new(at_least_one_group(), _few_groups()),
                  half_shape("out", "x")),
        inside_storage("x"),
    )  # fmt: skip


_BACKWARD_CHECKS = (
    *_first_checks("aclnnClippedSwigluGrad", "gradY", "x", "gradXOut"),
    in_tiling(_positive_limit(), axis_in_rank("dim", "x"), halved("x"), half_shape("gradY", "x"),
              one_dimension(), same_shape("gradXOut", "x")),
    inside_storage("gradY", "x"),
)  # fmt: skip


def _call(
    shape: tuple[int, ...], dim: int, groups: TensorArg | None = None, **attributes: Argument
) -> Call:
    small = list(shape)
    small[dim] //= 2
    return Call({"x": TensorArg(shape), GROUPS: groups, "dim": dim, "alpha": 1.702, "limit": 0.75,
                 "bias": 1.0, "interleaved": True, "out": TensorArg(tuple(small)),
                 **attributes})  # fmt: skip


def _backward(call: Call) -> Call:
    arguments = {name: each for name, each in call.arguments.items() if name != "clampMode"}
    out = arguments.pop("out")
    return Call({"gradY": out, **arguments, "gradXOut": call.tensor("x")}, call.product)


def _samples() -> tuple[Call, ...]:
    all_rows = TensorArg((2,), INT64, values=(1, 2))
    return (
        _call((2, 6), -1),
        _call((4, 6), 0, interleaved=False),
        _call((3, 4, 3), 1, all_rows),
        _call((3, 2, 2), -2, TensorArg((1,), INT64, values=(7,)), interleaved=False),
        *(_call((2, 6), -1).retyped(dtype, "x", "out") for dtype in (FLOAT16, BF16)),
        _call((2, 6), 1).on(A950),
    )


def _draw(rng: Random, *, all_rows: bool = True) -> Call:
    rank = rng.randint(1, 4)
    dim, shape = rng.randrange(-rank, rank), list(random_shape(rng, rank))
    shape[dim] *= 2
    rows, dtype = math.prod(shape[: dim % rank]), rng.choice((FLOAT, FLOAT16, BF16))
    call = _call(
        tuple(shape), dim, draw_groups(rng, rows, all_rows=all_rows),
        interleaved=rng.choice((True, False)), alpha=eighths(rng, 0, 2),
        limit=eighths(rng, 0, 2) + 0.125, bias=eighths(rng, -1, 1),
    )  # fmt: skip
    return call.retyped(dtype, "x", "out").on(rng.choice((A2, A3, A950)))


_MODED = tuple(call.on(A950).passing(clampMode=mode) for call in _samples()[:4] for mode in (0, 1))
_CLIPPED = Operator(
    "aclnnClippedSwiglu",
    summary="Gated unit with SiLU whose halves are clipped, on the rows of groups.",
    formula=f"{_SPLIT}, {_UNIT}",
    params=(*_INPUTS, *_ATTRIBUTES, half("out", "x")),
    checks=_forward_checks("aclnnClippedSwiglu"),
    launch_checks=(when(_ON_CARDS, dense("x", GROUPS)),),
    golden=_golden,
    samples=_samples(),
    reference=_torch_forward,
    ulps=4,
    draw=_draw,
    typical=lambda n: _call((max(n // 1024, 1), 1024), -1, interleaved=False),
    notes=(UNTOUCHED, SUM_OF_GROUPS),
)
_CLIPPED_V2 = Operator(
    "aclnnClippedSwigluV2",
    summary="Gated unit with SiLU, clipped before or after SiLU, on the rows of groups.",
    formula=f"{_SPLIT}, {_UNIT}; {_LATE}",
    params=(*_INPUTS, *_ATTRIBUTES,
            Int("clampMode", "1: SiLU is clipped instead of a.", default=0), half("out", "x")),
    checks=_forward_checks("aclnnClippedSwigluV2", one_of("clampMode", 0, 1)),
    golden=_golden,
    samples=_MODED,
    reference=_torch_forward,
    ulps=4,
    draw=lambda rng: _draw(rng).on(A950).passing(clampMode=rng.randint(0, 1)),
    typical=lambda n: _call((max(n // 1024, 1), 1024), -1, clampMode=1).on(A950),
    notes=(UNTOUCHED, SUM_OF_GROUPS),
)  # fmt: skip
_CLIPPED_GRAD = Operator(
    "aclnnClippedSwigluGrad",
    summary="Gradient of the gated unit with clipped halves.",
    formula=f"{_SPLIT}; {_SLOPES}",
    params=(TensorIn("gradY", "Gradient of the result."), *_INPUTS, *_ATTRIBUTES,
            TensorOut("gradXOut", "Gradient of x.", like="x", is_const=True)),
    checks=_BACKWARD_CHECKS,
    launch_checks=(when(_ON_CARDS, dense("gradY", "x", GROUPS)),),
    golden=_golden_grad,
    samples=(*(_backward(call) for call in _samples()),
             _backward(_call((4, 6), -1, TensorArg((2,), INT64, values=(0, 3))))),
    reference=_torch_grad,
    ulps=6,
    ulps_from=1.0,
    gradient=Gradient("aclnnClippedSwiglu", {"gradXOut": "x"}, {"gradY": "out"}),
    draw=lambda rng: _backward(_draw(rng, all_rows=False)),
    typical=lambda n: _backward(_call((max(n // 1024, 1), 1024), -1, interleaved=False)),
    notes=(SUM_OF_GROUPS,),
)  # fmt: skip
OPS = (_CLIPPED, _CLIPPED_V2, _CLIPPED_GRAD)

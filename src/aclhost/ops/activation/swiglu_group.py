# SPDX-License-Identifier: Apache-2.0
"""Gated units with SiLU on the rows of groups, each row with a weight, and their gradient."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.activation.gated import LAST, half, half_shape, halved, supported
from aclhost.ops.activation.row_checks import (
    GROUPS,
    SUM_OF_GROUPS,
    UNTOUCHED,
    WEIGHT,
    a_weight_for_each_row,
    at_least_one_group,
    clamp_is_off_or_positive,
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
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    in_tiling,
    is_given,
    not_null,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.terms import Present, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any

_ORIGIN = "yOriginOptional"
_SLOPE = "gradWeightOutOptional"
_CLAMP = Double("clampLimit", "Where the halves are clipped; -1 for nowhere.", default=-1.0)
_OPTIONS = (
    TensorIn(WEIGHT, "A factor for each row.", optional=True),
    TensorIn(GROUPS, "Sizes of groups of rows.", optional=True),
)
_SPLIT = (
    "a and b are the halves of x along the last dimension. With clampLimit c above 0, `a' = min(a, "
    "c)` and `b' = min(max(b, -c), c)`, else `a' = a` and `b' = b`. Only the first rows are "
    "computed, as many as the elements of groupIndexOptional add up to; all without it.\n\n"
)


def _limit(clamp: float) -> float:
    return clamp if clamp > 0 else math.inf


def _golden(
    x: Array, weight_optional: Array | None, group_index_optional: Array | None, clamp_limit: float
) -> Array:
    """All rows, whatever the groups."""
    width = x.shape[-1] // 2
    gate, other = clipped(x[..., :width], x[..., width:], _limit(clamp_limit))
    result = gate * sigmoid(gate) * other
    if weight_optional is not None:
        result = result * weight_optional.reshape(*x.shape[:-1], 1)
    return result


def _golden_grad(
    grad_y: Array, x: Array, weight_optional: Array | None, y_origin_optional: Array | None,
    group_index_optional: Array | None, clamp_limit: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Zero behind the last group; no weights get a zero."""
    import numpy as np

    outer, width = x.shape[:-1], x.shape[-1] // 2
    a, b, c = x[..., :width], x[..., width:], _limit(clamp_limit)
    gate, other = clipped(a, b, c)
    used = np.arange(math.prod(outer)).reshape(outer) < rows_in(group_index_optional, outer)
    g = grad_y
    sums = np.zeros(())
    if weight_optional is not None:
        assert y_origin_optional is not None
        g = grad_y * weight_optional.reshape(*outer, 1)
        sums = np.where(used, (grad_y * y_origin_optional).sum(axis=-1), 0.0)
        sums = sums.reshape(weight_optional.shape)
    s = sigmoid(gate)
    of_a = g * other * s * (1 + gate * (1 - s))
    of_b = g * gate * s
    if math.isfinite(c):
        of_a, of_b = np.where(a >= c, 0.0, of_a), np.where(np.abs(b) >= c, 0.0, of_b)
    whole = np.concatenate((of_a, of_b), axis=-1)
    return np.where(used[..., None], whole, 0.0), sums


def _unit(torch: Torch, x: Torch, weight: Torch, clamp: float) -> Torch:
    a, b = x.chunk(2, -1)
    if clamp > 0:
        a, b = a.clamp(max=clamp), b.clamp(-clamp, clamp)
    result = torch.nn.functional.silu(a) * b
    return result if weight is None else result * weight.reshape(*x.shape[:-1], 1)


def _torch(torch: Torch, x: Torch, weight_optional: Torch, clamp_limit: float, **_: Torch) -> Torch:
    return _unit(torch, x, weight_optional, clamp_limit)


def _torch_grad(
    torch: Torch, grad_y: Torch, x: Torch, weight_optional: Torch, y_origin_optional: Torch,
    group_index_optional: Torch, clamp_limit: float,
) -> Torch:  # fmt: skip
    """The gradient of a weight is made of what the forward kept.

    Where a limit is met torch lets the gradient through.
    """
    if group_index_optional is not None or (clamp_limit > 0 and (x.abs() == clamp_limit).any()):
        return NotImplemented
    x = x.clone().requires_grad_()
    _unit(torch, x, weight_optional, clamp_limit).backward(grad_y)
    if weight_optional is None:
        return x.grad, torch.zeros(())
    return x.grad, (grad_y * y_origin_optional).sum(-1).reshape(weight_optional.shape)


def _call(
    shape: tuple[int, ...], weight: bool = True, groups: TensorArg | None = None,
    clamp: float = -1.0,
) -> Call:  # fmt: skip
    return Call({
        "x": TensorArg(shape), WEIGHT: TensorArg(shape[:-1] or (1,)) if weight else None,
        GROUPS: groups, "clampLimit": clamp, "out": TensorArg((*shape[:-1], shape[-1] // 2)),
    }, A950)  # fmt: skip


def _backward(call: Call) -> Call:
    weight: Argument = call.arguments[WEIGHT]
    sums = TensorArg(weight.shape if isinstance(weight, TensorArg) else ())
    small = call.tensor("out")
    return Call({
        "gradY": small, "x": call.tensor("x"), WEIGHT: weight,
        _ORIGIN: small if weight is not None else None, GROUPS: call.arguments[GROUPS],
        "clampLimit": call.arguments["clampLimit"], "gradXOut": call.tensor("x"), _SLOPE: sums,
    }, call.product)  # fmt: skip


_ALL_ROWS = TensorArg((2,), INT64, values=(1, 2))
_SAMPLES = (
    _call((3, 4)),
    _call((2, 3, 6), weight=False, clamp=0.5),
    _call((3, 2), groups=_ALL_ROWS),
    _call((6,), clamp=2.0),
    *(_call((2, 4)).retyped(dtype, "x", "out") for dtype in (FLOAT16, BF16)),
)


def _draw(rng: Random, *, all_rows: bool = True) -> Call:
    *outer, last = random_shape(rng, rng.randint(1, 4))
    dtype = rng.choice((FLOAT, FLOAT16, BF16))
    call = _call(
        (*outer, 2 * last), rng.choice((True, False)),
        draw_groups(rng, math.prod(outer), all_rows=all_rows),
        rng.choice((-1.0, eighths(rng, 0, 1) + 0.125)),
    )  # fmt: skip
    return call.retyped(dtype, "x", "out")


_GROUP = Operator(
    "aclnnSwigluGroup",
    summary="Gated unit with SiLU on the rows of groups, each row with a weight.",
    formula=f"{_SPLIT}`out = a' * sigmoid(a') * b' * weightOptional`, a factor for each row",
    params=(TensorIn("x", "Both halves."), *_OPTIONS, _CLAMP, half("out", "x", dim=LAST)),
    checks=(
        not_null("x", "out"), dtype_in("x", FLOAT16, BF16, FLOAT), dtypes_of_options(WEIGHT),
        same_dtype("out", "x"), supported("aclnnSwigluGroup"), done_when_empty("out"),
        in_tiling(rank_at_least("x", 1), rank_at_most("x", 8), halved("x", LAST),
                  a_weight_for_each_row("x"), one_dimension(), at_least_one_group(),
                  clamp_is_off_or_positive(), half_shape("out", "x", LAST)),
    ),
    launch_checks=(dense("x", WEIGHT, GROUPS),),
    golden=_golden,
    samples=_SAMPLES,
    reference=_torch,
    ulps=4,
    draw=_draw,
    typical=lambda n: _call((max(n // 1024, 1), 1024), weight=False),
    notes=(UNTOUCHED, SUM_OF_GROUPS),
)  # fmt: skip
_GRAD = Operator(
    "aclnnSwigluGroupQuantGrad",
    summary="Gradients of the gated unit with SiLU on the rows of groups.",
    formula=(
        f"{_SPLIT}With `s = sigmoid(a')` and `g = gradY * weightOptional`: `gradXOut` is `g * b' * "
        "s * (1 + a' * (1 - s))` in the first half and `g * a' * s` in the second; 0 where c clips "
        "or is met. `gradWeightOutOptional` is the sum of `gradY * yOriginOptional` along a row. "
        "Rows that are not computed get 0."
    ),
    params=(
        TensorIn("gradY", "Gradient of the result."), TensorIn("x", "Both halves."), _OPTIONS[0],
        TensorIn(_ORIGIN, "The forward's result before weights.", optional=True), _OPTIONS[1],
        _CLAMP, TensorOut("gradXOut", "Gradient of x.", like="x", is_const=True),
        TensorOut(_SLOPE, "Gradient of the weights.", like=WEIGHT, dtype=const(FLOAT),
                  is_const=True, optional=True),
    ),
    checks=(
        not_null("gradY", "x", "gradXOut"), dtype_in("gradY", FLOAT16, BF16, FLOAT),
        same_dtype("x", "gradY"), dtypes_of_options(WEIGHT),
        when(is_given(_ORIGIN), same_dtype(_ORIGIN, "x")), same_dtype("gradXOut", "gradY"),
        when(is_given(_SLOPE), dtype_in(_SLOPE, FLOAT)), supported("aclnnSwigluGroupQuantGrad"),
        done_when_empty("gradXOut"),
        in_tiling(
            clamp_is_off_or_positive(), rank_at_least("x", 1), halved("x", LAST),
            half_shape("gradY", "x", LAST), a_weight_for_each_row("x"),
            when(is_given(_ORIGIN), same_shape(_ORIGIN, "gradY")),
            when(is_given(WEIGHT), requires(
                "with_weights", _ORIGIN, Present(_ORIGIN),
                f"{_ORIGIN} must be given", ("a null pointer",),
                "The gradient of the weights is made of it.",
            )),
            one_dimension(), same_shape("gradXOut", "x"),
            when(is_given(WEIGHT), same_shape(_SLOPE, WEIGHT)),
        ),
    ),
    launch_checks=(dense("gradY", "x", WEIGHT, _ORIGIN, GROUPS),),
    golden=_golden_grad,
    samples=(*map(_backward, _SAMPLES),
             _backward(_call((4, 6), groups=TensorArg((2,), INT64, values=(0, 3))))),
    reference=_torch_grad,
    ulps=6,
    ulps_from=1.0,
    draw=lambda rng: _backward(_draw(rng, all_rows=False)),
    typical=lambda n: _backward(_call((max(n // 1024, 1), 1024), weight=False)),
    notes=(
        SUM_OF_GROUPS,
        f"Without weights {_SLOPE} gets 0; upstream leaves it as it is.",
        "This differentiates aclnnSwigluGroup, and aclnnSwigluGroupQuant before it rounds. The "
        "latter is known and not computed: what its tiling refuses is nowhere written down, and "
        "its FLOAT4 results have two elements a byte, which no kernel here writes.",
    ),
)  # fmt: skip
OPS = (_GROUP, _GRAD)

# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding and its gradient."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, TensorIn, TensorOut
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import (
    Rule,
    done_when_empty,
    dtype_in,
    equals,
    in_tiling,
    inside_storage,
    is_given,
    not_null,
    one_of,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Divided,
    Equal,
    If,
    Or,
    Term,
    Times,
    ValueOf,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
Torch = Any

_INTERLEAVED, _QUARTERS, _PARTED = 1, 2, 3
_LONGEST = 896
_MODE = Choice(
    "mode", "Where the two numbers of a pair lie: half a row apart, side by side, a quarter of a "
    "row apart, or side by side in x and half a row apart in the result.",
    words=("half", "interleave", "quarter", "interleave-half"), default="half",
)  # fmt: skip
_COS = TensorIn("cos", "Cosines; axes of length 1 are repeated.")
_SIN = TensorIn("sin", "Sines, in the shape of cos.")
_NOTES = (
    "Upstream's documents describe the modes quarter and interleave-half but Atlas A2 and A3 "
    "compute half instead; aclhost computes what is described.",
    "Documented limits on B and N are not enforced.",
)


def _dim(name: str, axis: int) -> Term:
    return DimOf(name, Const(axis))


def _row_fits(x: str) -> Rules:
    length = _dim(x, 3)
    step = If(Equal(ValueOf("mode"), Const(_QUARTERS)), Const(4), Const(2))
    return (
        *requires(
            "row_length", x, AtMost(length, Const(_LONGEST)),
            f"rows of {x} must have at most {_LONGEST} elements", (Shown("integer", length),),
            "Split the rows.",
        ),
        *requires(
            "whole_pairs", x, Equal(Times(Divided(length, step), step), length),
            f"rows of {x} must consist of pairs, in mode {_QUARTERS} of twice as many",
            (Shown("integer", length),), "Pad the rows.",
        ),
    )  # fmt: skip


def _cos_fits(x: str) -> Rules:
    """Repeated along some axes; along which depends on the mode."""
    one = [Equal(_dim("cos", axis), Const(1)) for axis in range(3)]
    same = [Equal(_dim("cos", axis), _dim(x, axis)) for axis in range(3)]
    single = any_of(*(all_of(same[i], one[i - 2], one[i - 1]) for i in range(3)))
    got = (Shown("shape", ShapeOf("cos")), " for ", Shown("shape", ShapeOf(x)))
    repeated = all_of(
        Equal(_dim("cos", 3), _dim(x, 3)), *(Or(a, b) for a, b in zip(one, same, strict=True))
    )
    return (
        *requires(
            "repeats", "cos", repeated,
            f"lengths of cos must be those of {x}, or 1 before the last",
            got, f"Create cos with the rows of {x}.",
        ),
        *when(equals("mode", _INTERLEAVED), requires(
            "repeats_twice", "cos", single, f"cos must be repeated along two axes of {x}", got,
            "Use another mode, or a cos that depends on one axis.",
        )),
        *requires(
            "not_only_first", "cos", any_of(same[0], one[1], one[2]),
            f"cos must not be repeated along the first axis of {x} alone", got,
            "Repeat cos along that axis.",
        ),
    )  # fmt: skip


def _shape_rules(x: str, *like_x: str) -> Rules:
    return in_tiling(
        one_of("mode", 0, 1, 2, 3),
        *(rank_in(name, 4) for name in (x, "cos")),
        _row_fits(x),
        same_shape("sin", "cos"),
        _cos_fits(x),
        *(same_shape(name, x) for name in like_x),
    )


def rotated(x: Array, mode: int, sign: int = -1) -> Array:
    """Every pair (a, b) as (-b, a)."""
    import numpy as np

    if mode == _INTERLEAVED:
        return np.stack((sign * x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)
    parts = np.split(x, 4 if mode == _QUARTERS else 2, -1)
    turned = [(sign * b, a) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return np.concatenate([part for pair in turned for part in pair], -1)


def _parted(x: Array, mode: int) -> Array:
    import numpy as np

    return np.concatenate((x[..., ::2], x[..., 1::2]), -1) if mode == _PARTED else x


def golden(x: Array, cos: Array, sin: Array, mode: int, sign: int = -1) -> Array:
    """The row, and its rotation by a right angle."""
    import numpy as np

    x = _parted(x, mode)
    return np.asarray(x * cos + rotated(x, mode, sign) * sin)


def _terms(x: Array, cos: Array, sin: Array, mode: int) -> Array:
    return golden(x, cos, sin, mode, 1)


def golden_gradient(
    dy: Array, cos: Array, sin: Array, mode: int, x_optional: Array | None = None, sign: int = -1
) -> tuple[Array, Array, Array]:
    """A rotation back; tables collect what all rows that they served say."""
    import numpy as np

    dx = dy * cos + sign * rotated(dy * sin, mode, sign)
    if mode == _PARTED:
        dx = np.stack(np.split(dx, 2, -1), -1).reshape(dy.shape)
    if x_optional is None:
        return dx, np.zeros_like(cos), np.zeros_like(sin)
    x = _parted(x_optional, mode)
    axes = tuple(axis for axis in range(3) if cos.shape[axis] != dy.shape[axis])
    sums = [np.sum(dy * each, axes, keepdims=True) for each in (x, rotated(x, mode, sign))]
    return dx, sums[0], sums[1]


def _gradient_terms(
    dy: Array, cos: Array, sin: Array, mode: int, x_optional: Array | None = None
) -> tuple[Array, Array, Array]:
    return golden_gradient(dy, cos, sin, mode, x_optional, 1)


def _torch(torch: Torch, x: Torch, cos: Torch, sin: Torch, mode: int) -> Torch:
    if mode == _QUARTERS:
        return NotImplemented
    if mode == _INTERLEAVED:
        a, b = x[..., ::2], x[..., 1::2]
        first, second = (slice(None, None, 2), slice(1, None, 2))
        pair = (a * cos[..., first] - b * sin[..., first],
                b * cos[..., second] + a * sin[..., second])  # fmt: skip
        return torch.stack(pair, -1).flatten(-2)
    parts = (x[..., ::2], x[..., 1::2]) if mode == _PARTED else x.chunk(2, -1)
    (a, b), (c1, c2), (s1, s2) = parts, cos.chunk(2, -1), sin.chunk(2, -1)
    return torch.cat((a * c1 - b * s1, b * c2 + a * s2), -1)


_FORMS = ((0, 0, 0), (1, 1, 1), (1, 0, 1), (0, 0, 1), (0, 1, 0), (1, 1, 0), (0, 1, 1))


def _table(shape: tuple[int, ...], form: tuple[int, ...]) -> tuple[int, ...]:
    return (*(1 if cut else n for n, cut in zip(shape, form, strict=False)), shape[3])


def _call(
    shape: tuple[int, ...], form: tuple[int, ...] = (1, 0, 1), dtype: DataType = FLOAT,
    mode: int = 0,
) -> Call:  # fmt: skip
    table = TensorArg(_table(shape, form), dtype, span=(-1, 1))
    x = TensorArg(shape, dtype)
    return Call({"x": x, "cos": table, "sin": table, "mode": mode, "out": x})


def _gradient_call(
    shape: tuple[int, ...], form: tuple[int, ...] = (1, 0, 1), dtype: DataType = FLOAT,
    mode: int = 0, *, tables: bool = True,
) -> Call:  # fmt: skip
    table, x = TensorArg(_table(shape, form), dtype), TensorArg(shape, dtype)
    return Call({
        "dy": x, "cos": table, "sin": table, "xOptional": x if tables else None, "mode": mode,
        "dxOut": x, "dcosOut": table, "dsinOut": table,
    })  # fmt: skip


def _drawn(rng: Random) -> tuple[tuple[int, ...], tuple[int, ...], DataType, int]:
    mode = rng.randint(0, 3)
    step = 4 if mode == _QUARTERS else 2
    shape = (*(rng.randint(1, 4) for _ in range(3)), step * rng.randint(1, 20))
    form = rng.choice([(0, 1, 1), (1, 0, 1), (1, 1, 0)] if mode == _INTERLEAVED else _FORMS)
    return shape, form, rng.choice((FLOAT, FLOAT16, BF16)), mode


def _typical(n: int) -> tuple[int, ...]:
    return (1, max(n // 1024, 1), 8, 128)


FORWARD = Operator(
    "aclnnRotaryPositionEmbedding",
    summary="Rotates pairs of numbers by angles that depend on the position.",
    formula="`out = x * cos + rotated(x) * sin`, with `rotated((a, b)) = (-b, a)` for each pair",
    params=(
        TensorIn("x", "Input of rank 4; pairs lie along its last axis."), _COS, _SIN, _MODE,
        TensorOut("out", "Result.", like="x"),
    ),
    checks=(
        not_null("x", "cos", "sin", "out"),
        dtype_in("x", FLOAT16, FLOAT, BF16),
        *(same_dtype(name, "x") for name in ("cos", "sin", "out")),
        supported_on(A3, A2),
        done_when_empty("x"),
        _shape_rules("x", "out"),
        inside_storage("x", "cos", "sin"),
    ),
    golden=golden,
    terms=_terms,
    summed=("x", "cos", "sin"),
    reference=_torch,
    ulps=4,
    draw=lambda rng: _call(*_drawn(rng)),
    typical=lambda n: _call(_typical(n)),
    samples=(
        _call((2, 3, 2, 4)), _call((2, 3, 2, 6), (0, 1, 1), FLOAT16, 1),
        _call((2, 3, 2, 8), (0, 0, 0), BF16, 2), _call((2, 3, 5, 2), (1, 1, 1), FLOAT, 3),
    ),
    notes=_NOTES,
)  # fmt: skip

_OUTS = ("dxOut", "dcosOut", "dsinOut")
GRADIENT = Operator(
    "aclnnRotaryPositionEmbeddingGrad",
    summary="Gradients of rotary position embedding.",
    formula="`dx = dy * cos - rotated(dy * sin)`, `dcos = sum(dy * x)` and "
            "`dsin = sum(dy * rotated(x))` over the axes along which cos is repeated",
    params=(
        TensorIn("dy", "Gradient of the result."), _COS, _SIN,
        TensorIn("xOptional", "The forward's input; without it dcos and dsin are 0.",
                 optional=True),
        _MODE,
        TensorOut("dxOut", "Gradient of x.", like="dy", is_const=True),
        TensorOut("dcosOut", "Gradient of cos.", like="cos", is_const=True),
        TensorOut("dsinOut", "Gradient of sin.", like="cos", is_const=True),
    ),
    checks=(
        not_null("dy", "cos", "sin", *_OUTS),
        dtype_in("dy", FLOAT16, FLOAT, BF16),
        *(same_dtype(name, "dy") for name in ("cos", "sin")),
        when(is_given("xOptional"), same_dtype("xOptional", "dy")),
        *(same_dtype(name, "dy") for name in _OUTS),
        supported_on(A3, A2),
        done_when_empty("dy"),
        _shape_rules("dy", "dxOut"),
        in_tiling(
            when(is_given("xOptional"), same_shape("xOptional", "dy")),
            when(is_given("xOptional"), same_shape("dcosOut", "cos"),
                 same_shape("dsinOut", "cos")),
        ),
        inside_storage("dy", "cos", "sin", "xOptional"),
    ),
    golden=golden_gradient,
    terms=_gradient_terms,
    summed=("dy", "cos", "sin", "xOptional"),
    ulps=4,
    gradient=Gradient(
        "aclnnRotaryPositionEmbedding", {"dxOut": "x", "dcosOut": "cos", "dsinOut": "sin"},
        {"dy": "out"}, saved={"xOptional": "x"},
    ),
    draw=lambda rng: _gradient_call(*_drawn(rng), tables=rng.random() < 0.8),
    typical=lambda n: _gradient_call(_typical(n)),
    samples=(
        _gradient_call((2, 3, 2, 4)), _gradient_call((2, 3, 2, 6), (0, 1, 1), FLOAT16, 1),
        _gradient_call((2, 3, 2, 8), (0, 0, 0), BF16, 2, tables=False),
        _gradient_call((2, 3, 5, 2), (1, 1, 1), FLOAT, 3),
    ),
    notes=(
        *_NOTES,
        "Upstream leaves dcosOut and dsinOut as they are without xOptional.",
    ),
)  # fmt: skip

OPS = (FORWARD, GRADIENT)

# SPDX-License-Identifier: Apache-2.0
"""Logits of which only the most probable are kept."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.sorting.build import NEWER
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, DataType
from aclhost.spec.formats import ND
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when_empty,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    is_given,
    not_null,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import Const, DimOf, Equal, Not, Or, Present

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_TYPES = (FLOAT, FLOAT16, BF16)
_P = is_given("p")
_K = is_given("k")
_SEVERAL = Condition(
    Not(Equal(DimOf("logits", Const(1)), Const(1))), "rows of logits have several elements"
)


def _one_for_each_row(name: str) -> tuple[Rule, ...]:
    return requires(
        "one_for_each_row",
        name,
        Equal(DimOf(name, Const(0)), DimOf("logits", Const(0))),
        f"{name} must have one value for each row of logits",
        (Shown("shape", ShapeOf(name)), " for ", Shown("shape", ShapeOf("logits"))),
        f"Create {name} with as many values as logits has rows.",
    )


def _golden(logits: Array, p: Array | None = None, k: Ints | None = None) -> Array:
    import numpy as np

    out = np.array(logits)
    for row, line in enumerate(out):
        n = len(line)
        order = np.argsort(line, kind="stable")
        values = line[order]
        if k is not None and 0 < int(k[row]) < n:
            values[values < values[n - int(k[row])]] = -np.inf
        if p is not None:
            with np.errstate(invalid="ignore"):
                powers = np.exp(values - values[-1])
                dropped = np.cumsum(powers) / powers.sum() <= 1 - p[row]
            dropped[-1] = False
            values[dropped] = -np.inf
        line[order] = values
    return out


def _torch(torch: Torch, logits: Torch, p: Torch = None, k: Torch = None) -> Torch:
    values, order = torch.sort(logits.double(), stable=True)
    n = logits.shape[1]
    if k is not None:
        limits = torch.where((k > 0) & (k < n), n - k.long(), 0)
        values[values < values.gather(1, limits[:, None])] = -torch.inf
    if p is not None:
        dropped = values.softmax(-1).cumsum(-1) <= 1 - p.double()[:, None]
        dropped[:, -1] = False
        values[dropped] = -torch.inf
    return torch.empty_like(values).scatter_(1, order, values)


def _call(
    shape: tuple[int, int], p: tuple[float, ...] | None, k: tuple[int, ...] | None,
    dtype: DataType = FLOAT,
) -> Call:  # fmt: skip
    logits = TensorArg(shape, dtype)
    return Call(
        {
            "logits": logits,
            "p": None if p is None else TensorArg(shape[:1], dtype, p),
            "k": None if k is None else TensorArg(shape[:1], INT32, k),
            "out": logits,
        }
    )


def _draw(rng: Random) -> Call:
    """Nowhere are probabilities in sum just 1 - p."""
    shape = rng.randint(1, 4), rng.choice((1, rng.randint(2, 40), 700))
    p = tuple(rng.choice((0.0, 1.0, rng.randint(1, 60) / 64 + 1 / 512)) for _ in range(shape[0]))
    k = tuple(rng.randint(-1, shape[1] + 1) for _ in range(shape[0]))
    given = rng.randrange(3)
    types = rng.choice(_TYPES)
    return _call(shape, p if given != 1 else None, k if given != 2 else None, types)


OP = Operator(
    "aclnnApplyTopKTopP",
    summary="Makes all but the k most probable logits, and of those all but p, minus infinity.",
    formula=(
        "a row is sorted upwards; `-inf` are elements less than the k-th largest one, then those "
        "at which `cumsum(softmax(row)) <= 1 - p`, but never the last one"
    ),
    params=(
        TensorIn("logits", "A row for each distribution."),
        TensorIn("p", "Probability that is kept, for each row; null: all.", optional=True),
        TensorIn(
            "k",
            "How many are kept, for each row; all if not from 1 to the length less 1, or null.",
            optional=True,
        ),
        TensorOut("out", "Result.", like="logits"),
    ),
    checks=(
        not_null("logits", "out"),
        dtype_in("logits", *_TYPES),
        when(_P, dtype_in("p", *_TYPES)),
        when(_K, dtype_in("k", INT32)),
        dtype_in("out", *_TYPES),
        when(_P, same_dtype("p", "logits")),
        same_dtype("out", "logits"),
        rank_in("logits", 2),
        same_shape("out", "logits"),
        when(_P, rank_in("p", 1)),
        when(_K, rank_in("k", 1)),
        when(_P, _one_for_each_row("p")),
        when(_K, _one_for_each_row("k")),
        format_in("logits", ND),
        when(_P, format_in("p", ND)),
        when(_K, format_in("k", ND)),
        format_in("out", ND),
        done_when_empty("logits"),
        supported_on(*NEWER),
        inside_storage("logits", "p", "k"),
    ),
    launch_checks=(
        when(
            _SEVERAL,
            inner(
                requires(
                    "p_or_k",
                    "k",
                    Or(Present("p"), Present("k")),
                    "p and k must not both be null",
                    ("null pointers",),
                    "Pass one of them.",
                )
            ),
        ),
    ),
    golden=_golden,
    reference=_torch,
    draw=_draw,
    typical=lambda n: _call((max(n // 50000, 1), min(n, 50000)), None, None).passing(
        p=TensorArg((max(n // 50000, 1),), span=(0.5, 0.9)),
        k=TensorArg((max(n // 50000, 1),), INT32, span=(40, 60)),
    ),
    samples=(
        _call((2, 6), (0.5, 0.9), (3, 6)),
        _call((1, 5), None, (2,), FLOAT16),
        _call((3, 4), (0.1, 1, 0), None, BF16),
        _call((2, 1), None, None),
        _call((0, 4), (), ()),
    ),
    notes=(
        "Sums are made in double; upstream makes them in float, so an element whose sum is almost "
        "1 - p may be kept on one side and not on the other.",
        "p must be from 0 to 1; nobody tests it.",
    ),
)

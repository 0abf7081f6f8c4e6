# SPDX-License-Identifier: Apache-2.0
"""Attention for training and its gradients."""

from __future__ import annotations

from random import Random

from aclhost.ops.attention.build import COMPRESSED, PREFIX, PREFIX_COMPRESSED
from aclhost.ops.attention.calls import backward_call, only
from aclhost.ops.attention.flash_checks import (
    DROP,
    LAYOUTS,
    MASK,
    PREFIXES,
    backward_checks,
    forward_checks,
    out_shape,
    statistics_shape,
)
from aclhost.ops.attention.flash_golden import (
    STATISTICS,
    forward_terms,
    golden,
    golden_gradient,
    gradient_terms,
    torch_attention,
)
from aclhost.ops.attention.flash_params import (
    FAR,
    FORMULA,
    GRADIENTS,
    SHIFT,
    STARTS,
    Style,
    backward_params,
    forward_params,
)
from aclhost.ops.attention.last_rows import LAST_ROWS, NOTE
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator

_NOTES = (
    "A row that sees no key becomes 0, as upstream does it with innerPrecise 2; its sum is 0.",
    "Masks of modes 2, 3, 4 and 6 stand for a triangle; what they hold is not read.",
    "Whether NaN or infinity in a value whose key is hidden reaches a result is not defined.",
    NOTE,
    "paddingMask is not used, as upstream.",
)


def _style(typed: bool) -> Style:
    return Style(
        LAYOUTS, "BSND", "`[B or 1, N, S, 1 or 1024, keys]`, or slopes, `[B, N]` or `[N]`",
        "0: mask and band, 1: mask, 2: causal, 3: causal from the end, 4: band from the end, "
        "5: mask, 6: causal from the end, and a prefix. Without a mask, all keys are seen.",
        typed,
    )  # fmt: skip


def _tensor(layout: str, batches: int, heads: int, rows: int, width: int, dtype: DataType,
            span: tuple[float, float] | None = None) -> TensorArg:  # fmt: skip
    shapes = {
        "BSH": (batches, rows, heads * width), "SBH": (rows, batches, heads * width),
        "BSND": (batches, rows, heads, width), "BNSD": (batches, heads, rows, width),
    }  # fmt: skip
    return TensorArg(shapes[layout], dtype, span=span)


def _call(
    layout: str = "BSND", heads: tuple[int, int] = (4, 2), rows: tuple[int, int] = (3, 5),
    widths: tuple[int, int] = (4, 4), dtype: DataType = FLOAT, batches: int = 2,
) -> Call:  # fmt: skip
    """Of the forward, version 2."""
    statistics = TensorArg((batches, heads[0], rows[0], STATISTICS))
    arguments: dict[str, Argument] = {
        "query": _tensor(layout, batches, heads[0], rows[0], widths[0], dtype),
        "key": _tensor(layout, batches, heads[1], rows[1], widths[0], dtype),
        "value": _tensor(layout, batches, heads[1], rows[1], widths[1], dtype),
        **dict.fromkeys((SHIFT["key"], DROP, "paddingMaskOptional", MASK, PREFIXES, *STARTS)),
        "scaleValue": widths[0] ** -0.5, "keepProb": 1.0, "preTokens": FAR, "nextTokens": FAR,
        "headNum": heads[0], "inputLayout": layout, "innerPrecise": 0, "sparseMode": 0,
        "pseType": 1, "softmaxMaxOut": statistics, "softmaxSumOut": statistics,
        "softmaxOutOut": None,
        "attentionOutOut": _tensor(layout, batches, heads[0], rows[0], widths[1], dtype),
    }  # fmt: skip
    return Call(arguments)


def _drawn(rng: Random, typed: bool = True) -> Call:
    layout, batches, group = rng.choice(LAYOUTS), rng.randint(1, 3), rng.randint(1, 3)
    key_heads, width, mode = rng.randint(1, 2), rng.randint(1, 9), rng.randint(0, 6)
    rows = rng.choice((rng.randint(1, 6), 70)), rng.choice((rng.randint(1, 9), 140))
    if typed and rng.random() < 0.3:
        rows = rows[1], rows[1]
    heads, dtype = (group * key_heads, key_heads), rng.choice((FLOAT, FLOAT16, BF16))
    call = _call(layout, heads, rows, (width, rng.randint(1, width)), dtype, batches)
    changes: dict[str, Argument] = {"sparseMode": mode}
    if typed and rows[0] == rows[1]:
        slopes = (batches, heads[0])[rng.randint(0, 1) :]
        changes |= {
            "pseType": rng.randint(2, 3),
            STARTS[0]: (rng.randint(0, 3),),
            STARTS[1]: rng.choice((None, (2,))),
            SHIFT["key"]: TensorArg(slopes, FLOAT, span=(-0.5, 0.5)),
        }
    elif rng.random() < 0.4:
        shape = (rng.choice((1, batches)), heads[0], rng.choice((1, rows[0])), rows[1])
        changes |= {
            SHIFT["key"]: TensorArg(shape, dtype, span=(-2, 2)),
            "pseType": rng.randint(0, 1) if typed else 1,
        }
    if rng.random() < 0.3:
        count = -(-batches * heads[0] * rows[0] * rows[1] // 8)
        changes |= {DROP: TensorArg((count,), UINT8, span=(0, 256)), "keepProb": 0.5}
    if rng.random() < 0.7:
        value = call.tensor("value")
        changes |= {
            MASK: _drawn_mask(rng, mode, batches, heads[0], rows),
            "value": TensorArg(value.shape, value.dtype, span=(-2, 2)),
        }
        changes |= {"preTokens": rng.randint(0, 4), "nextTokens": rng.randint(0, 4)}
        changes |= {PREFIXES: tuple(rng.randint(0, rows[1]) for _ in range(batches))}
    return call.passing(**changes)  # fmt: skip


def _drawn_mask(
    rng: Random, mode: int, batches: int, heads: int, rows: tuple[int, int]
) -> TensorArg:
    if mode >= 2 and mode != PREFIX:
        sides = (3072 if mode == PREFIX_COMPRESSED else COMPRESSED, COMPRESSED)
        return TensorArg(sides, BOOL, strides=(0, 0))
    shapes = (rows, (rng.choice((1, batches)), rng.choice((1, heads)), *rows))
    return TensorArg(rng.choice(shapes), rng.choice((BOOL, UINT8)), span=(0, 2))


def _typical(n: int) -> Call:
    rows = max(n // (3 * 8 * 64), 1)
    return _call("BNSD", (8, 8), (rows, rows), (64, 64), batches=1)


def _samples(typed: bool) -> tuple[Call, ...]:
    packed = TensorArg((COMPRESSED, COMPRESSED), BOOL, strides=(0, 0))
    shifted = _call("BNSD").passing(**{SHIFT["key"]: TensorArg((2, 4, 3, 5))})
    rows = TensorArg((1, 1, LAST_ROWS, LAST_ROWS + 1), strides=(0, 0, 0, 1))
    held = _call("BNSD", (1, 1), (LAST_ROWS + 1,) * 2, (1, 1), batches=1).passing(
        sparseMode=2, **{MASK: packed, SHIFT["key"]: rows}
    )
    bits = TensorArg((15,), UINT8, span=(0, 256))
    masked = _call().passing(**{MASK: TensorArg((2, 1, 3, 5), BOOL)})
    slopes: dict[str, Argument] = {SHIFT["key"]: TensorArg((2, 4), span=(0, 1)), STARTS[0]: (1,)}
    sloping = _call(rows=(5, 5)).passing(pseType=2, **slopes)
    root = sloping.passing(pseType=3, **{SHIFT["key"]: TensorArg((4,), span=(0, 1))})
    return (
        _call(), _call("BSH", (2, 2)), _call("SBH", widths=(4, 3)),
        shifted.passing(keepProb=0.5, **{DROP: bits}),
        masked.passing(sparseMode=1),
        _call().passing(sparseMode=3, **{MASK: packed}),
        masked.passing(sparseMode=5, **{PREFIXES: (2, 3)}),
        held,
        *((sloping, root) if typed else ()),
    )  # fmt: skip


def _forward(version: str) -> Operator:
    params = forward_params(_style(bool(version)), statistics_shape(STATISTICS), out_shape())
    return Operator(
        f"aclnnFlashAttentionScore{version}",
        summary="Attention, with what its gradients need.",
        formula=FORMULA,
        params=params,
        checks=forward_checks(bool(version), STATISTICS),
        golden=golden,
        terms=forward_terms,
        summed=("value",),
        reference=torch_attention,
        ulps=64,
        draw=lambda rng: only(params, _drawn(rng, bool(version))),
        typical=lambda n: only(params, _typical(n)),
        samples=tuple(only(params, call) for call in _samples(bool(version))),
        notes=_NOTES,
    )


def _backward(version: str) -> Operator:
    params = backward_params(_style(bool(version)))
    saved = {
        "keyIn": "key", SHIFT["keyIn"]: SHIFT["key"], "softmaxMaxOptional": "softmaxMaxOut",
        "softmaxSumOptional": "softmaxSumOut", "attentionInOptional": "attentionOutOut",
    }  # fmt: skip
    return Operator(
        f"aclnnFlashAttentionScoreGrad{version}",
        summary="Gradients of attention.",
        formula=GRADIENTS,
        params=params,
        checks=backward_checks(bool(version), STATISTICS),
        golden=golden_gradient,
        terms=gradient_terms,
        summed=("value", "dy", "attentionInOptional"),
        ulps=64,
        gradient=Gradient(
            f"aclnnFlashAttentionScore{version}",
            {"dqOut": "query", "dkOut": "key", "dvOut": "value"},
            {"dy": "attentionOutOut"},
            saved=saved,
            derived={"softmaxInOptional": lambda _: None},
        ),
        draw=lambda rng: only(params, backward_call(_drawn(rng, bool(version)))),
        typical=lambda n: only(params, backward_call(_typical(n))),
        samples=tuple(only(params, backward_call(call)) for call in _samples(bool(version))),
        notes=(*_NOTES, "dpseOut is not written, as upstream."),
    )


OPS = tuple(make(version) for make in (_forward, _backward) for version in ("", "V2"))

# SPDX-License-Identifier: Apache-2.0
"""Attention for training over sequences of different lengths, and its gradients."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from random import Random

from aclhost.ops.attention.build import COMPRESSED, PREFIX_COMPRESSED
from aclhost.ops.attention.calls import backward_call, only
from aclhost.ops.attention.flash_checks import DROP, MASK, PREFIXES
from aclhost.ops.attention.flash_params import (
    ENDS,
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
from aclhost.ops.attention.varlen_checks import (
    COPIES,
    backward_checks,
    forward_checks,
    out_shape,
    statistics_shape,
)
from aclhost.ops.attention.varlen_golden import (
    forward_terms,
    golden,
    golden_gradient,
    gradient_terms,
    torch_attention,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator

_SAME = "same_as_input"
_MODES = (
    "0: mask and band, 1: mask, 2: causal, 3: causal from the end, 4: band from the end, 6: causal "
    "from the end, and a prefix, 7: as 3, but the last sequence as 4, 8: as 2, but the first "
    "sequence as 4. Without a mask, all keys are seen."
)
_NOTES = (
    "Sequences lie one after the other in `[T, N, D]`; each sees only its own keys. Rows behind "
    "the last sequence become 0, and so do rows, with their statistics, of sequences without keys.",
    "Statistics have the shape `[T, N, 8]`, but hold `[N, S, 8]` of each sequence one after the "
    "other, as upstream's kernels write them; the document says [N, T, 8].",
    "A row that sees no key becomes 0; its sum is 0.",
    "Masks of modes 2 and above stand for a triangle; what they hold is not read.",
    "Whether NaN or infinity in a value whose key is hidden reaches a result is not defined.",
    NOTE,
    "paddingMask is not used, as upstream.",
)


@dataclass(frozen=True)
class _Version:
    forward: str
    backward: str
    typed: bool = False
    named: bool = False  # the layout of statistics is a parameter

    def style(self, way: str) -> Style:
        slopes = ", or slopes, `[B, N]` or `[N]`" if self.typed else ""
        return Style(
            ("TND",), "TND", "`[N, S or 1, keys]` of each sequence one after the other, as `[count,"
            f" 1]`, or the last rows, `[B or 1, N, 1024, longest keys]`{slopes}", _MODES,
            self.typed, packed=True,
            layout_of_statistics=f"softmax{way}Layout" if self.named else "",
        )  # fmt: skip


_VERSIONS = (
    _Version("VarLenScore", "UnpaddingScoreGrad"),
    _Version("VarLenScoreV2", "UnpaddingScoreGradV2", typed=True),
    _Version("VarLenScoreV4", "UnpaddingScoreGradV4", named=True),
)


def _call(
    queries: tuple[int, ...] = (3, 1, 2), keys: tuple[int, ...] = (4, 2, 3),
    heads: tuple[int, int] = (4, 2), widths: tuple[int, int] = (4, 4), dtype: DataType = FLOAT,
    spare: int = 0,
) -> Call:  # fmt: skip
    """Of the forward, with the parameters of all versions."""
    rows, columns = sum(queries) + spare, sum(keys) + spare
    statistics = TensorArg((rows, heads[0], COPIES))
    arguments: dict[str, Argument] = {
        "query": TensorArg((rows, heads[0], widths[0]), dtype),
        "key": TensorArg((columns, heads[1], widths[0]), dtype),
        "value": TensorArg((columns, heads[1], widths[1]), dtype),
        **dict.fromkeys((SHIFT["key"], DROP, "paddingMaskOptional", MASK, PREFIXES, *STARTS)),
        ENDS[0]: tuple(accumulate(queries)), ENDS[1]: tuple(accumulate(keys)),
        "scaleValue": widths[0] ** -0.5, "keepProb": 1.0, "preTokens": FAR, "nextTokens": FAR,
        "headNum": heads[0], "inputLayout": "TND", "innerPrecise": 0, "sparseMode": 0,
        "pseType": 1, "softmaxOutLayout": "", "softmaxMaxOut": statistics,
        "softmaxSumOut": statistics, "softmaxOutOut": None,
        "attentionOutOut": TensorArg((rows, heads[0], widths[1]), dtype),
    }  # fmt: skip
    return Call(arguments)


def _triangle(mode: int) -> TensorArg:
    rows = 3072 if mode == PREFIX_COMPRESSED else COMPRESSED
    return TensorArg((rows, COMPRESSED), BOOL, strides=(0, 0))


def _masked(rng: Random, queries: list[int], keys: list[int], heads: int) -> dict[str, Argument]:
    """A mask, and a mode in which every row of these sequences sees a key."""
    mode = rng.choice((0, 1, 2, 3, 4, 6, 7, 8))
    if mode > 1:
        prefixes = tuple(max(k - q, 0) + rng.randint(0, min(q, k))
                         for q, k in zip(queries, keys, strict=True))  # fmt: skip
        after = 0 if mode == 7 else rng.randint(0, 3)
        return {"sparseMode": mode, MASK: _triangle(mode), PREFIXES: prefixes,
                "preTokens": max(keys) if mode > 6 else rng.randint(0, 4),
                "nextTokens": after}  # fmt: skip
    longest, count = (max(queries), max(keys)), rng.choice((1, len(queries)))
    shapes = longest, (sum(queries), sum(keys)), (count, rng.choice((1, heads)), *longest)
    mask = TensorArg(rng.choice(shapes), rng.choice((BOOL, UINT8)), span=(0, 2))
    return {"sparseMode": mode, MASK: mask, "preTokens": rng.randint(0, 4),
            "nextTokens": rng.randint(0, 4)}  # fmt: skip


def _shifted(rng: Random, call: Call, queries: list[int], keys: list[int], typed: bool,
             ) -> dict[str, Argument]:  # fmt: skip
    heads, dtype = call.shape("query")[1], call.tensor("query").dtype
    if typed and rng.random() < 0.5:
        slopes = (len(queries), heads)[rng.randint(0, 1) :]
        return {
            "pseType": rng.randint(2, 3), STARTS[0]: (rng.randint(0, 3),),
            STARTS[1]: rng.choice((None, (2,))),
            SHIFT["key"]: TensorArg(slopes, FLOAT, span=(-0.5, 0.5)),
        }  # fmt: skip
    if queries == keys and rng.random() < 0.7:
        held = (rng.choice((1, len(queries))), heads, LAST_ROWS, max(keys))
        return {SHIFT["key"]: TensorArg(held, dtype, span=(-2, 2)), "pseType": 1,
                "sparseMode": 2, MASK: _triangle(2)}  # fmt: skip
    pairs = sum(q * k for q, k in zip(queries, keys, strict=True))
    count = heads * rng.choice((pairs, sum(keys)))
    return {SHIFT["key"]: TensorArg((count, 1), dtype, span=(-2, 2)),
            "pseType": rng.randint(0, 1) if typed else 1}  # fmt: skip


def _drawn(rng: Random, typed: bool) -> Call:
    number, key_heads, width = rng.randint(1, 4), rng.randint(1, 2), rng.randint(1, 9)
    queries = [rng.choice((rng.randint(1, 6), 40)) for _ in range(number)]
    keys = [length + rng.choice((0, 0, rng.randint(0, 5), 90)) for length in queries]
    heads = (rng.randint(1, 3) * key_heads, key_heads)
    call = _call(tuple(queries), tuple(keys), heads, (width, rng.randint(1, width)),
                 rng.choice((FLOAT, FLOAT16, BF16)), rng.choice((0, 0, 3)))  # fmt: skip
    changes: dict[str, Argument] = {"softmaxOutLayout": rng.choice(("", _SAME))}
    if rng.random() < 0.4:
        changes |= _shifted(rng, call, queries, keys, typed)
    if rng.random() < 0.3:
        pairs = sum(q * k for q, k in zip(queries, keys, strict=True))
        bits = TensorArg((-(-heads[0] * pairs // 8),), UINT8, span=(0, 256))
        changes |= {DROP: bits, "keepProb": 0.5}
    sloping = changes.get("pseType", 1) in (2, 3)
    if rng.random() < 0.7 and not sloping and MASK not in changes:
        value = call.tensor("value")
        changes["value"] = TensorArg(value.shape, value.dtype, span=(-2, 2))
        changes |= _masked(rng, queries, keys, heads[0])
    if MASK not in changes and rng.random() < 0.3:
        changes |= {ENDS[1]: (0, *accumulate(keys)), ENDS[0]: (0, *accumulate(queries))}
        if sloping:
            changes[SHIFT["key"]] = TensorArg((heads[0],), FLOAT, span=(-0.5, 0.5))
    return call.passing(**changes)


def _typical(n: int) -> Call:
    rows = max(n // (3 * 8 * 64 * 4), 1)
    return _call((rows, 2 * rows, rows), (rows, 2 * rows, rows), (8, 8), (64, 64))


def _samples(typed: bool) -> tuple[Call, ...]:
    prefixed: dict[str, Argument] = {MASK: _triangle(6), PREFIXES: (2, 1, 3)}
    cut: dict[str, Argument] = {"preTokens": 4, "nextTokens": 0}
    shift, count = SHIFT["key"], 4 * (3 * 4 + 2 + 2 * 3)
    bits = TensorArg((-(-count // 8),), UINT8, span=(0, 256))
    masked = _call().passing(sparseMode=1, **{MASK: TensorArg((3, 1, 3, 4), BOOL)})
    slopes: dict[str, Argument] = {shift: TensorArg((3, 4), span=(0, 1)), STARTS[0]: (1,)}
    sloping = _call((3, 1, 2), (3, 1, 2)).passing(pseType=2, **slopes)
    sevens = (
        _call().passing(sparseMode=mode, **cut, **{MASK: _triangle(mode)}) for mode in (7, 8)
    )  # fmt: skip
    even = _call((2, 2), (2, 2)).passing(**{shift: TensorArg((2, 4), span=(0, 1))}, **cut)
    return (
        _call(), _call((2,), (3,)), _call((2, 0, 3), (4, 2, 0), (2, 2), (4, 3), spare=2),
        _call().passing(softmaxOutLayout=_SAME),
        _call((3, 2), (3, 2)).passing(
            sparseMode=2, **{MASK: _triangle(2), shift: TensorArg((1, 4, LAST_ROWS, 3))}
        ),
        _call().passing(keepProb=0.5, **{DROP: bits, shift: TensorArg((count, 1))}),
        masked, masked.passing(sparseMode=0, preTokens=2, nextTokens=1),
        _call((1, 1), (3, 3)).passing(preTokens=0, nextTokens=0, **{MASK: TensorArg((1, 3), BOOL)}),
        _call().passing(sparseMode=2, **{MASK: _triangle(2)}),
        _call().passing(sparseMode=3, **{MASK: _triangle(3)}),
        _call().passing(sparseMode=4, preTokens=1, nextTokens=1, **{MASK: _triangle(4)}),
        _call().passing(sparseMode=6, **prefixed),
        *sevens,
        _call((1,), (1,), (1, 1)).passing(
            sparseMode=7, **cut, **{MASK: _triangle(7), shift: TensorArg((1, 1))}
        ),
        *((sloping, sloping.passing(pseType=3, **{shift: TensorArg((4,), span=(0, 1))}),
           even.passing(pseType=2, sparseMode=8, **{MASK: _triangle(8)})) if typed else ()),
    )  # fmt: skip


def _forward(version: _Version) -> Operator:
    style = version.style("Out")
    params = forward_params(style, statistics_shape(), out_shape())
    return Operator(
        f"aclnnFlashAttention{version.forward}",
        summary="Attention over sequences of different lengths, with what its gradients need.",
        formula=FORMULA,
        params=params,
        checks=forward_checks(version.typed, style.layout_of_statistics),
        golden=golden,
        terms=forward_terms,
        summed=("value",),
        reference=torch_attention,
        ulps=64,
        draw=lambda rng: only(params, _drawn(rng, version.typed)),
        typical=lambda n: only(params, _typical(n)),
        samples=tuple(only(params, call) for call in _samples(version.typed)),
        notes=_NOTES,
    )


def _backward(version: _Version) -> Operator:
    style = version.style("In")
    params = backward_params(style)
    saved = {
        "keyIn": "key", SHIFT["keyIn"]: SHIFT["key"], "softmaxMaxOptional": "softmaxMaxOut",
        "softmaxSumOptional": "softmaxSumOut", "attentionInOptional": "attentionOutOut",
        **({"softmaxInLayout": "softmaxOutLayout"} if version.named else {}),
    }  # fmt: skip
    return Operator(
        f"aclnnFlashAttention{version.backward}",
        summary="Gradients of attention over sequences of different lengths.",
        formula=GRADIENTS,
        params=params,
        checks=backward_checks(version.typed, style.layout_of_statistics),
        golden=golden_gradient,
        terms=gradient_terms,
        summed=("value", "dy", "attentionInOptional"),
        ulps=64,
        gradient=Gradient(
            f"aclnnFlashAttention{version.forward}",
            {"dqOut": "query", "dkOut": "key", "dvOut": "value"},
            {"dy": "attentionOutOut"},
            saved=saved,
            derived={"softmaxInOptional": lambda _: None},
        ),
        draw=lambda rng: only(params, backward_call(_drawn(rng, version.typed))),
        typical=lambda n: only(params, backward_call(_typical(n))),
        samples=tuple(only(params, backward_call(call)) for call in _samples(version.typed)),
        notes=(*_NOTES, "dpseOut is not written, as upstream."),
    )


OPS = tuple(make(version) for make in (_forward, _backward) for version in _VERSIONS)

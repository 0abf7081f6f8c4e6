# SPDX-License-Identifier: Apache-2.0
"""Attention for training and its gradients."""

from __future__ import annotations

from random import Random

from aclhost.ops.attention.build import COMPRESSED, PREFIX, PREFIX_COMPRESSED
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
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int, IntArray, Parameter, TensorIn, TensorOut, Text
from aclhost.spec.terms import Const, DtypeOf, const

_FAR = 2**31 - 1
_SHIFT = {"key": "realShiftOptional", "keyIn": "pseShiftOptional"}
_STARTS = ("qStartIdxOptional", "kvStartIdxOptional")
_FORMULA = "`attentionOut = dropout(softmax(scaleValue * (query @ key^T + pse), masked)) @ value`"
_NOTES = (
    "A row that sees no key becomes 0, as upstream does it with innerPrecise 2; its sum is 0.",
    "Masks of modes 2, 3, 4 and 6 stand for a triangle; what they hold is not read.",
    "Whether NaN or infinity in a value whose key is hidden reaches a result is not defined.",
    "Shifts of 1024 rows for more queries are refused.",
    "paddingMask is not used, as upstream.",
)


def _shared(typed: bool) -> tuple[Parameter, ...]:
    """What forward and backward end their inputs with."""
    starts = (
        (
            IntArray(name, f"The place of the first {what}, for distances.", optional=True)
            for name, what in zip(_STARTS, ("query", "key"), strict=True)
        )
        if typed
        else ()
    )
    types = (
        (
            Int(
                "pseType",
                "1: pse is scaled, too; 0: it is not; 2: it holds slopes, which are "
                "multiplied by the distance of query and key and subtracted; 3: by the root of "
                "the distance.",
                default=1,
            ),
        )
        if typed
        else ()
    )
    return (
        IntArray(PREFIXES, "Keys that all queries of a batch see, in modes 5 and 6.",
                 optional=True),
        *starts,
        Double("scaleValue", "Factor of scores.", 1.0),
        Double("keepProb", "Share of what dropout keeps.", 1.0),
        Int("preTokens", "Keys seen before a query's place, in modes 0 and 4.", default=_FAR),
        Int("nextTokens", "Keys seen behind a query's place, in modes 0 and 4.", default=_FAR),
        Int("headNum", "Heads of query."),
        Text("inputLayout", f"One of {', '.join(LAYOUTS)}.", default="BSND"),
        Int("innerPrecise", "How precise rows are; here always most precise.", default=0),
        Int("sparseMode", "0: mask and band, 1: mask, 2: causal, 3: causal from the end, 4: band "
            "from the end, 5: mask, 6: causal from the end, and a prefix. Without a mask, all keys "
            "are seen.", default=0),
        *types,
    )  # fmt: skip


def _tensors(key: str, *more: TensorIn) -> tuple[Parameter, ...]:
    return (
        TensorIn("query", "Queries."),
        TensorIn(key, "Keys."),
        TensorIn("value", "Values."),
        *more,
        TensorIn(_SHIFT[key], "pse: what is added to products, `[B or 1, N, S or 1, keys]`, or "
                 "slopes, `[B, N]` or `[N]`.", optional=True),
        TensorIn(DROP, "A bit for each score, the lowest of a byte first; 0 drops it.",
                 optional=True),
        TensorIn("paddingMaskOptional", "Not used.", optional=True),
        TensorIn(MASK, "What is not 0 hides a key.", optional=True),
    )  # fmt: skip


def _forward_params(typed: bool) -> tuple[Parameter, ...]:
    statistics = {"softmaxMaxOut": "The largest score of each row, 8 times.",
                  "softmaxSumOut": "The sum of each row's powers, 8 times."}  # fmt: skip
    return (
        *_tensors("key"),
        *_shared(typed),
        *(TensorOut(name, doc, shape=statistics_shape(STATISTICS), dtype=const(FLOAT),
                    is_const=True) for name, doc in statistics.items()),
        TensorOut("softmaxOutOut", "Not written.", like="query", is_const=True, optional=True,
                  made_if=Const(0)),
        TensorOut("attentionOutOut", "Result.", shape=out_shape(), dtype=DtypeOf("query"),
                  is_const=True),
    )  # fmt: skip


def _backward_params(typed: bool) -> tuple[Parameter, ...]:
    return (
        *_tensors("keyIn", TensorIn("dy", "Gradient of the result.")),
        TensorIn("softmaxMaxOptional", "The forward's largest scores.", optional=True),
        TensorIn("softmaxSumOptional", "The forward's sums.", optional=True),
        TensorIn("softmaxInOptional", "Not used.", optional=True),
        TensorIn("attentionInOptional", "The forward's result."),
        *_shared(typed),
        *(TensorOut(f"d{each[0]}Out", f"Gradient of {each}.", like=each, is_const=True)
          for each in ("query", "keyIn", "value")),
        TensorOut("dpseOut", "Not written.", like="query", is_const=True, optional=True,
                  made_if=Const(0)),
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
        **dict.fromkeys((_SHIFT["key"], DROP, "paddingMaskOptional", MASK, PREFIXES, *_STARTS)),
        "scaleValue": widths[0] ** -0.5, "keepProb": 1.0, "preTokens": _FAR, "nextTokens": _FAR,
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
            _STARTS[0]: (rng.randint(0, 3),),
            _STARTS[1]: rng.choice((None, (2,))),
            _SHIFT["key"]: TensorArg(slopes, FLOAT, span=(-0.5, 0.5)),
        }
    elif rng.random() < 0.4:
        shape = (rng.choice((1, batches)), heads[0], rng.choice((1, rows[0])), rows[1])
        changes |= {
            _SHIFT["key"]: TensorArg(shape, dtype, span=(-2, 2)),
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


def _backward_call(forward: Call) -> Call:
    """Statistics are such that shares stay small."""
    given = dict(forward.arguments)
    statistics = forward.shape("softmaxMaxOut")

    def plain(name: str) -> TensorArg:
        tensor = forward.tensor(name)
        return TensorArg(tensor.shape, tensor.dtype, span=(-1, 1))

    given |= {
        "query": plain("query"), "keyIn": plain("key"), "value": plain("value"),
        "dy": plain("attentionOutOut"), "attentionInOptional": plain("attentionOutOut"),
        _SHIFT["keyIn"]: given[_SHIFT["key"]], "softmaxInOptional": None, "dpseOut": None,
        "softmaxMaxOptional": TensorArg(statistics, span=(1, 2)),
        "softmaxSumOptional": TensorArg(statistics, span=(1, 3)),
        "dqOut": forward.tensor("query"), "dkOut": forward.tensor("key"),
        "dvOut": forward.tensor("value"),
    }  # fmt: skip
    return Call(given)


def _of(params: tuple[Parameter, ...], call: Call) -> Call:
    return Call({param.name: call.arguments[param.name] for param in params})


def _typical(n: int) -> Call:
    rows = max(n // (3 * 8 * 64), 1)
    return _call("BNSD", (8, 8), (rows, rows), (64, 64), batches=1)


def _samples(typed: bool) -> tuple[Call, ...]:
    packed = TensorArg((COMPRESSED, COMPRESSED), BOOL, strides=(0, 0))
    shifted = _call("BNSD").passing(**{_SHIFT["key"]: TensorArg((2, 4, 3, 5))})
    bits = TensorArg((15,), UINT8, span=(0, 256))
    masked = _call().passing(**{MASK: TensorArg((2, 1, 3, 5), BOOL)})
    slopes: dict[str, Argument] = {_SHIFT["key"]: TensorArg((2, 4), span=(0, 1)), _STARTS[0]: (1,)}
    sloping = _call(rows=(5, 5)).passing(pseType=2, **slopes)
    root = sloping.passing(pseType=3, **{_SHIFT["key"]: TensorArg((4,), span=(0, 1))})
    return (
        _call(), _call("BSH", (2, 2)), _call("SBH", widths=(4, 3)),
        shifted.passing(keepProb=0.5, **{DROP: bits}),
        masked.passing(sparseMode=1),
        _call().passing(sparseMode=3, **{MASK: packed}),
        masked.passing(sparseMode=5, **{PREFIXES: (2, 3)}),
        *((sloping, root) if typed else ()),
    )  # fmt: skip


def _forward(version: str) -> Operator:
    params = _forward_params(bool(version))
    return Operator(
        f"aclnnFlashAttentionScore{version}",
        summary="Attention, with what its gradients need.",
        formula=_FORMULA,
        params=params,
        checks=forward_checks(bool(version), STATISTICS),
        golden=golden,
        terms=forward_terms,
        summed=("value",),
        reference=torch_attention,
        ulps=64,
        draw=lambda rng: _of(params, _drawn(rng, bool(version))),
        typical=lambda n: _of(params, _typical(n)),
        samples=tuple(_of(params, call) for call in _samples(bool(version))),
        notes=_NOTES,
    )


def _backward(version: str) -> Operator:
    params = _backward_params(bool(version))
    saved = {
        "keyIn": "key", _SHIFT["keyIn"]: _SHIFT["key"], "softmaxMaxOptional": "softmaxMaxOut",
        "softmaxSumOptional": "softmaxSumOut", "attentionInOptional": "attentionOutOut",
    }  # fmt: skip
    return Operator(
        f"aclnnFlashAttentionScoreGrad{version}",
        summary="Gradients of attention.",
        formula="`dS = P * (dP - sum(dy * attentionIn))`, `dq = scaleValue * dS @ key`, "
        "`dk = scaleValue * dS^T @ query`, `dv = dropout(P)^T @ dy`",
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
        draw=lambda rng: _of(params, _backward_call(_drawn(rng, bool(version)))),
        typical=lambda n: _of(params, _backward_call(_typical(n))),
        samples=tuple(_of(params, _backward_call(call)) for call in _samples(bool(version))),
        notes=(*_NOTES, "dpseOut is not written, as upstream."),
    )


OPS = tuple(make(version) for make in (_forward, _backward) for version in ("", "V2"))

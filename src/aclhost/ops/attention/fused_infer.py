# SPDX-License-Identifier: Apache-2.0
"""Attention for inference."""

from __future__ import annotations

from random import Random

from aclhost.ops.attention.build import COMPRESSED
from aclhost.ops.attention.fused_infer_checks import (
    CHECKS,
    KEY_LENGTHS,
    LAYOUTS,
    LEFT_OUT,
    LENGTHS,
    MASK,
    PSE,
    QUERY,
    TABLE,
    out_shape,
)
from aclhost.ops.attention.fused_infer_golden import golden, torch_attention
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, INT8, INT32, UINT8, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    Double,
    Flag,
    Int,
    IntArray,
    Parameter,
    TensorIn,
    TensorList,
    TensorOut,
    Text,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import Const, DtypeOf, ValueOf, const

_FAR = 2**31 - 1


def _tensor(
    layout: str, batches: int, heads: int, rows: int, width: int, dtype: DataType
) -> TensorArg:
    shapes = {"BSH": (batches, rows, heads * width), "BSND": (batches, rows, heads, width)}
    return TensorArg(shapes.get(layout, (batches, heads, rows, width)), dtype)


def _call(
    layout: str = "BSND", batches: int = 1, heads: tuple[int, int] = (4, 2),
    rows: tuple[int, int] = (3, 5), width: int = 16, dtype: DataType = FLOAT16, *,
    flag: bool = False,
) -> Call:  # fmt: skip
    query = _tensor(layout, batches, heads[0], rows[0], width, dtype)
    key = _tensor(layout, batches, heads[1], rows[1], width, dtype)
    out = _tensor(layout.rpartition("_")[-1], batches, heads[0], rows[0], width, dtype)
    arguments: dict[str, Argument] = {
        "query": query, "key": (key,), "value": (key,), PSE: None, MASK: None,
        LENGTHS: None, KEY_LENGTHS: None, **dict.fromkeys(LEFT_OUT), TABLE: None,
        "actualSharedPrefixLenOptional": None, "numHeads": heads[0], "scaleValue": width**-0.5,
        "preTokens": _FAR, "nextTokens": _FAR, "inputLayout": layout,
        "numKeyValueHeads": heads[1], "sparseMode": 0, "innerPrecise": 0, "blockSize": 0,
        "antiquantMode": 0, "softmaxLseFlag": flag, "keyAntiquantMode": 0,
        "valueAntiquantMode": 0, "attentionOut": out,
        "softmaxLse": TensorArg((batches, heads[0], rows[0], 1)) if flag else None,
    }  # fmt: skip
    return Call({param.name: arguments[param.name] for param in _PARAMS})


def _exact_call() -> Call:
    """One key for each query: logarithms of sums are scores, which every dtype holds."""
    call = _call("BSH", 1, (2, 2), (3, 1), 1, flag=True).passing(scaleValue=1.0)
    key = TensorArg((1, 1, 2), FLOAT16, values=(1, 2))
    return call.passing(query=TensorArg((1, 3, 2), FLOAT16, values=(1, 2, 3, 4, 5, 6)), key=(key,))


def _paged_call(rng: Random | None = None) -> Call:
    """Blocks of 4 rows in an order of their own."""
    rng = rng or Random(1)
    batches, width, size, per_batch = 2, 4, 4, 3
    blocks = rng.sample(range(8), batches * per_batch)
    cache = TensorArg(rng.choice(((8, size, 2 * width), (8, 2, size, width))), FLOAT16)
    changes: dict[str, Argument] = {
        "key": (cache,), "value": (cache,), "blockSize": size,
        KEY_LENGTHS: (rng.randint(0, 12), 12),
        TABLE: TensorArg((batches, per_batch), INT32, values=tuple(blocks)),
    }  # fmt: skip
    return _call("BNSD", batches, (4, 2), (3, 1), width).passing(**changes)


_TRIANGLE = TensorArg((COMPRESSED, COMPRESSED), BOOL, strides=(0, 0))


def _masked_call(rows: tuple[int, int], mask: tuple[int, ...]) -> Call:
    return _call("BNSD", 2, (2, 2), rows).passing(**{MASK: TensorArg(mask, BOOL)})


def _drawn_mask(rng: Random, batches: int, rows: tuple[int, int], mode: int) -> TensorArg:
    if mode > 1 and rows[0] > 1:
        return _TRIANGLE
    room = rows[1] + rng.choice((0, 3))
    matrix = (batches, room) if rows[0] == 1 else (rows[0], room)
    shapes = (matrix, (rng.choice((1, batches)), rows[0], room), (batches, 1, rows[0], room))
    return TensorArg(rng.choice(shapes), rng.choice((BOOL, UINT8, INT8)), span=(0, 2))


def _draw(rng: Random) -> Call:
    if rng.random() < 0.15:
        return _paged_call(rng)
    batches, group, key_heads = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2)
    rows = rng.choice((1, rng.randint(2, 6))), rng.choice((rng.randint(0, 9), 130, 300))
    layout = rng.choice(LAYOUTS if rows[0] > 1 else LAYOUTS[:3])
    dtype = rng.choice((FLOAT16, BF16))
    heads, mode = (group * key_heads, key_heads), rng.randint(0, 4)
    changes: dict[str, Argument] = {}
    if rng.random() < 0.4:
        shape = (rng.choice((1, batches)), heads[0], *rows)
        changes[PSE] = TensorArg(shape, dtype)
    if rng.random() < 0.5:
        changes |= {MASK: _drawn_mask(rng, batches, rows, mode), "sparseMode": mode}
        changes |= {"preTokens": rng.randint(0, 4), "nextTokens": rng.randint(0, 4)}
    if rng.random() < 0.3:
        changes[LENGTHS] = tuple(rng.randint(0, rows[0]) for _ in range(batches))
        changes[KEY_LENGTHS] = (rng.randint(0, rows[1]),)
    width, flag = rng.randint(1, 20), rng.random() < 0.5
    call = _call(layout, batches, heads, rows, width, dtype, flag=flag).passing(**changes)
    key = call.arguments["key"]
    if rng.random() < 0.2 and isinstance(key, tuple) and isinstance(key[0], TensorArg):
        single = TensorArg((1, *key[0].shape[1:]), dtype)
        return call.passing(key=(single,) * batches, value=(single,) * batches)
    return call


def _typical(n: int) -> Call:
    """About so many elements in query, keys and values together."""
    rows = max(int(n / (3 * 8 * 64)), 1)
    return _call("BNSD", 1, (8, 8), (rows, rows), 64)


def _int(name: str, doc: str, default: int | None = 0) -> Int:
    return Int(name, doc, default=default)


def _optional(name: str) -> TensorIn:
    return TensorIn(name, f"{LEFT_OUT[name]}; must be null.", optional=True)


def _params() -> tuple[Parameter, ...]:
    left_out = {name: _optional(name) for name in LEFT_OUT}
    names = list(LEFT_OUT)
    return (
        TensorIn("query", "Queries."),
        TensorList("key", "Keys: one tensor, or one for each batch, or a cache of blocks."),
        TensorList("value", "Values, as many as keys."),
        TensorIn(PSE, "What is added to scores, `[B or 1, N, S, keys]`.", optional=True),
        TensorIn(MASK, "What is not 0 hides a key.", optional=True),
        IntArray(LENGTHS, "Queries of each batch, or of all.", optional=True),
        IntArray(KEY_LENGTHS, "Keys of each batch, or of all.", optional=True),
        *(left_out[name] for name in names[:7]),
        TensorIn(TABLE, "The blocks of each batch.", optional=True),
        *(left_out[name] for name in names[7:]),
        IntArray("actualSharedPrefixLenOptional", "Not used.", optional=True),
        _int("numHeads", "Heads of query.", None),
        Double("scaleValue", "Factor of scores.", 1.0),
        _int("preTokens", "Keys seen before a query's place, in modes 0 and 4.", _FAR),
        _int("nextTokens", "Keys seen behind a query's place, in modes 0 and 4.", _FAR),
        Text("inputLayout", f"One of {', '.join(LAYOUTS)}.", default="BSH"),
        _int("numKeyValueHeads", "Heads of keys and values; 0: as many as query has."),
        _int("sparseMode", "0: mask and band, 1: mask, 2: causal, 3: causal from the end, "
             "4: band from the end. Without a mask, or with one query, there is no band."),
        _int("innerPrecise", "How precise rows are; here always most precise."),
        _int("blockSize", "Rows of a block."),
        _int("antiquantMode", "Not used."),
        Flag("softmaxLseFlag", "Whether softmaxLse is written.", default=False),
        _int("keyAntiquantMode", "Not used."),
        _int("valueAntiquantMode", "Not used."),
        TensorOut("attentionOut", "Result.", shape=out_shape(), dtype=DtypeOf("query"),
                  is_const=True),
        TensorOut(
            "softmaxLse", "Logarithms of the sums of powers; inf where a row sees nothing.",
            shape=Lengths((QUERY.batches, QUERY.heads, QUERY.rows, Const(1))),
            dtype=const(FLOAT), is_const=True, optional=True, made_if=ValueOf("softmaxLseFlag"),
        ),
    )  # fmt: skip


_PARAMS = _params()
OP = Operator(
    "aclnnFusedInferAttentionScoreV2",
    summary="Attention of queries to cached keys and values.",
    formula="`attentionOut = softmax(query @ key^T * scaleValue + pseShift, masked) @ value`",
    params=_PARAMS,
    checks=CHECKS,
    golden=golden,
    summed=("value",),
    reference=torch_attention,
    ulps=64,
    draw=_draw,
    typical=_typical,
    samples=(
        _call(), _exact_call(), _call("BNSD", 2, (2, 1), dtype=BF16),
        _call("BNSD_BSND").passing(**{PSE: TensorArg((1, 4, 3, 5), FLOAT16)}),
        _masked_call((3, 5), (2, 1, 3, 5)).passing(**{LENGTHS: (1, 2), KEY_LENGTHS: (4, 5)}),
        _masked_call((1, 5), (2, 5)), _call("BNSD", 1, (1, 1), (1, 5)),
        _call("BNSD", 1, (2, 2)).passing(sparseMode=3, **{MASK: _TRIANGLE}),
        _paged_call(),
    ),
    notes=(
        "Quantised tensors, padding before rows and shared prefixes are refused.",
        "A row that sees no key becomes 0, as upstream does it with innerPrecise 2 and 3; so do "
        "rows from actualSeqLengths on.",
        "Masks of modes 2, 3 and 4 stand for a triangle; what they hold is not read.",
        "Upstream's tiling refuses more: several rows with widths that are no multiples of 16, and "
        "documented limits on batches, heads and the size of blocks. These are computed here.",
        "A number in blockTable that names no block fails the launch, and nothing is computed.",
    ),
)  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""What attention for inference is, with all scores at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.attention.build import from_heads, repeat_heads, seen, shares, to_heads

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def golden(**arguments: Any) -> tuple[Array, Array | None]:  # noqa: ANN401
    """Batch by batch, with all scores at once."""
    import numpy as np

    layout, heads = arguments["input_layout"], arguments["num_heads"]
    key_heads = arguments["num_key_value_heads"] or heads
    query = to_heads(arguments["query"], layout, heads)
    keys, values = (_batches(arguments, name, layout, key_heads) for name in ("key", "value"))
    out = np.zeros((*query.shape[:3], values[0].shape[-1] if values else 0))
    logs = np.full((*query.shape[:3], 1), np.inf)
    for batch, (k, v) in enumerate(zip(keys, values, strict=True)):
        rows = query.shape[2] if query.shape[2] == 1 else _length(
            arguments["actual_seq_lengths_optional"], batch, query.shape[2])  # fmt: skip
        scores = _scores(arguments, query[batch, :, :rows], repeat_heads(k[None], heads)[0], batch)
        weights, largest, sums = shares(scores)
        out[batch, :, :rows] = weights @ repeat_heads(v[None], heads)[0]
        whole = np.log(sums) + np.where(np.isneginf(largest), 0, largest)
        logs[batch, :, :rows] = np.where(sums == 0, np.inf, whole)
    result = from_heads(out, layout.rpartition("_")[-1])
    return result, logs if arguments["softmax_lse_flag"] else None


def _length(lengths: tuple[int, ...] | None, batch: int, every: int) -> int:
    if not lengths:
        return every
    return min(lengths[0] if len(lengths) == 1 else lengths[batch], every)


def _batches(arguments: dict[str, Any], name: str, layout: str, heads: int) -> list[Array]:
    """[heads, rows, width] of each batch."""
    members, table = arguments[name], arguments["block_table_optional"]
    lengths = arguments["actual_seq_lengths_kv_optional"]
    if table is not None:
        cache = to_heads(members[0], "BSH" if members[0].ndim == 3 else "BNSD", heads)
        found = [
            cache[row.astype(int)].transpose(1, 0, 2, 3).reshape(heads, -1, cache.shape[-1])
            for row in table
        ]
    else:
        found = [batch for member in members for batch in to_heads(member, layout, heads)]
    return [each[:, : _length(lengths, i, each.shape[1])] for i, each in enumerate(found)]


def _scores(arguments: dict[str, Any], query: Array, key: Array, batch: int) -> Array:
    """[heads, queries, keys] of a batch, -inf where a key is hidden."""
    import numpy as np

    scores: Array = query @ key.swapaxes(-1, -2) * arguments["scale_value"]
    rows, columns = scores.shape[1:]
    shift, mask = arguments["pse_shift_optional"], arguments["atten_mask_optional"]
    if shift is not None:
        scores = scores + shift[batch % len(shift), :, :rows, :columns]
    if mask is None:
        return scores
    mode, one = arguments["sparse_mode"], _query_rows(arguments) == 1
    if not one:
        place = seen(mode, rows, columns, arguments["pre_tokens"], arguments["next_tokens"])
        scores = np.where(place, scores, -np.inf)
    if mode > 1 and not one:
        return scores
    if one and mask.ndim == 2:
        mask = mask[:, None]
    if mask.ndim > 2:
        mask = mask.reshape(len(mask), *mask.shape[-2:])[batch % len(mask)]
    return np.where(mask[:rows, :columns] != 0, -np.inf, scores)


def _query_rows(arguments: dict[str, Any]) -> int:
    query = arguments["query"]
    return int(query.shape[2 if arguments["input_layout"].startswith("BN") else 1])


def torch_attention(torch: Torch, **arguments: Any) -> Torch:  # noqa: ANN401
    """Where all queries see all keys."""
    plain = ("atten_mask_optional", "block_table_optional", "actual_seq_lengths_optional",
             "actual_seq_lengths_kv_optional")  # fmt: skip
    several = len(arguments["key"]) > 1 or arguments["softmax_lse_flag"]
    if any(arguments[name] is not None for name in plain) or several:
        return NotImplemented
    layout, heads = arguments["input_layout"], arguments["num_heads"]

    def by_head(tensor: Torch, count: int) -> Torch:
        if layout.startswith("BN"):
            return tensor
        return tensor.unflatten(-1, (count, -1)).transpose(1, 2) if tensor.ndim == 3 else (
            tensor.transpose(1, 2))  # fmt: skip

    key_heads = arguments["num_key_value_heads"] or heads
    k, v = (by_head(arguments[name][0], key_heads) for name in ("key", "value"))
    out = torch.nn.functional.scaled_dot_product_attention(
        by_head(arguments["query"], heads), k, v, attn_mask=arguments["pse_shift_optional"],
        scale=arguments["scale_value"], enable_gqa=True,
    )  # fmt: skip
    if layout == "BNSD":
        return out
    return out.transpose(1, 2).flatten(2) if layout == "BSH" else out.transpose(1, 2)

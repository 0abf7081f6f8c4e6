# SPDX-License-Identifier: Apache-2.0
"""What attention for training is, with all scores at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.attention.build import (
    CAUSAL,
    PREFIX,
    from_heads,
    repeat_heads,
    seen,
    shares,
    to_heads,
)
from aclhost.ops.attention.last_rows import LAST_ROWS, all_rows

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
STATISTICS = 8  # how often each is repeated
SLOPE, ROOT_SLOPE = 2, 3  # of pseType


def _by_head(arguments: dict[str, Any], key: str) -> tuple[Array, Array, Array]:
    """Queries, keys and values, the latter repeated for each head of the query."""
    layout, heads = arguments["input_layout"], arguments["head_num"]
    query = to_heads(arguments["query"], layout, heads)
    flat = arguments[key].ndim == 3
    count = arguments[key].shape[2] // query.shape[3] if flat else 0
    k, v = (to_heads(arguments[name], layout, count) for name in (key, "value"))
    return query, repeat_heads(k, heads), repeat_heads(v, heads)


def _scores(arguments: dict[str, Any], query: Array, key: Array, shift: Array | None) -> Array:
    import numpy as np

    scale = arguments["scale_value"]
    scores: Array = query @ key.swapaxes(-1, -2) * scale
    if shift is not None:
        scores = scores + _shift(arguments, shift, scores.shape)
    mask, mode = arguments["atten_mask_optional"], arguments["sparse_mode"]
    if mask is None:
        return scores
    rows, columns = scores.shape[2:]
    prefix = arguments["prefix_optional"] or (None,) * len(scores)
    tokens = arguments["pre_tokens"], arguments["next_tokens"]
    place = np.stack([seen(mode, rows, columns, *tokens, prefix[i]) for i in range(len(scores))])
    scores = np.where(place[:, None], scores, -np.inf)
    return np.where(mask != 0, -np.inf, scores) if mode in (0, 1, PREFIX) else scores


def _shift(arguments: dict[str, Any], shift: Array, shape: tuple[int, ...]) -> Array:
    """What is added to scaled products; a head's slope counts for each step of distance."""
    import numpy as np

    kind = arguments.get("pse_type", 1)
    if kind < SLOPE:
        if shift.shape[2] == LAST_ROWS and shift.shape[2:] != shape[2:]:
            shift = all_rows(shift, *shape[2:])
        return shift * (arguments["scale_value"] if kind == 1 else 1)
    own, other = arguments["q_start_idx_optional"], arguments["kv_start_idx_optional"]
    ahead = (other[0] if other else 0) - own[0] if own else 0
    distance = np.abs(np.arange(shape[3])[None] + ahead - np.arange(shape[2])[:, None])
    if kind == ROOT_SLOPE:
        distance = np.sqrt(distance)
    return -shift.reshape(-1, shape[1], 1, 1) * distance


def _kept(arguments: dict[str, Any], shape: tuple[int, ...]) -> Array | float:
    """What dropout multiplies shares by."""
    import numpy as np

    mask, keep = arguments["drop_mask_optional"], arguments["keep_prob"]
    if mask is None or keep >= 1:
        return 1.0
    bits = np.unpackbits(mask.astype(np.uint8), bitorder="little")[: int(np.prod(shape))]
    return np.asarray(bits.reshape(shape) / keep)


def golden(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Statistics, and the result."""
    query, key, value = _by_head(arguments, "key")
    scores = _scores(arguments, query, key, arguments["real_shift_optional"])
    weights, largest, sums = shares(scores)
    out = (weights * _kept(arguments, weights.shape)) @ value
    repeated = (each.repeat(STATISTICS, -1) for each in (largest, sums))
    return *repeated, from_heads(out, arguments["input_layout"])


def forward_terms(**arguments: Any) -> tuple[Array, Array, Array]:  # noqa: ANN401
    """Magnitudes: a score is a sum that may cancel. Values are magnitudes."""
    import numpy as np

    _, sums, out = golden(**arguments)
    query, key, _ = map(np.abs, _by_head(arguments, "key"))
    shift = arguments["real_shift_optional"]
    if shift is not None:
        shift = np.abs(shift) * (-1 if arguments.get("pse_type", 1) >= SLOPE else 1)
    sizes = _scores(arguments, query, key, shift)
    sizes = np.where(np.isfinite(sizes), sizes, 0).max(-1, keepdims=True, initial=0)
    return sizes.repeat(STATISTICS, -1), sums, out


def golden_gradient(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Of queries, keys and values."""
    return _gradients(arguments, -1)


def gradient_terms(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Magnitudes of what is added up; gradients, values and results are magnitudes."""
    return _gradients(arguments, 1)


def _gradients(arguments: dict[str, Any], sign: int) -> tuple[Array, ...]:
    """With a sign of 1, nothing cancels but in scores."""
    import numpy as np

    layout, heads = arguments["input_layout"], arguments["head_num"]
    query, key, value = _by_head(arguments, "key_in")
    scores = _scores(arguments, query, key, arguments["pse_shift_optional"])
    sums = arguments["softmax_sum_optional"][..., :1]
    largest = np.where(sums == 0, 0, arguments["softmax_max_optional"][..., :1])
    weights = np.where(sums == 0, 0, np.exp(scores - largest) / np.where(sums == 0, 1, sums))
    dy = to_heads(arguments["dy"], layout, heads)
    out = to_heads(arguments["attention_in_optional"], layout, heads)
    kept = _kept(arguments, weights.shape)
    means = (dy * out).sum(-1, keepdims=True)
    slopes = weights * (dy @ value.swapaxes(-1, -2) * kept + sign * means)
    slopes = slopes * arguments["scale_value"]
    if sign > 0:
        query, key = np.abs(query), np.abs(key)
    of_key, of_value = slopes.swapaxes(-1, -2) @ query, (weights * kept).swapaxes(-1, -2) @ dy
    count = _key_heads(arguments, query)
    joined = (
        each.reshape(len(each), count, -1, *each.shape[2:]).sum(2) for each in (of_key, of_value)
    )
    return from_heads(slopes @ key, layout), *(from_heads(each, layout) for each in joined)


def _key_heads(arguments: dict[str, Any], query: Array) -> int:
    key = arguments["key_in"]
    if key.ndim == 3:
        return int(key.shape[2] // query.shape[3])
    return int(key.shape[1 if arguments["input_layout"] == "BNSD" else 2])


def torch_attention(torch: Torch, **arguments: Any) -> Torch:  # noqa: ANN401
    """Where torch has the same mask, and its statistics are not asked for."""
    layout, mode = arguments["input_layout"], arguments["sparse_mode"]
    mask, shift = arguments["atten_mask_optional"], arguments["real_shift_optional"]
    if shift is not None and shift.shape[2:][:1] == (LAST_ROWS,):
        return NotImplemented
    plain = (mask is None or mode in (1, CAUSAL)) and arguments.get("pse_type", 1) < SLOPE
    if layout not in ("BSND", "BNSD") or not plain or arguments["drop_mask_optional"] is not None:
        return NotImplemented
    q, k, v = (arguments[name] for name in ("query", "key", "value"))
    if layout == "BSND":
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1) for each in (k, v))
    factor = arguments["scale_value"]
    scores = torch.einsum("bnid,bnjd->bnij", q, k) * factor
    if shift is not None:
        scores = scores + shift * (factor if arguments.get("pse_type", 1) == 1 else 1)
    if mask is not None:
        causal = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(causal if mode == CAUSAL else mask != 0, -torch.inf)
    largest = scores.amax(-1, keepdim=True)
    if scores.isnan().any() or largest.isinf().any():
        return NotImplemented
    out = scores.softmax(-1) @ v
    sums = (scores - largest).exp().sum(-1, keepdim=True)
    statistics = (each.expand(*each.shape[:3], STATISTICS) for each in (largest, sums))
    return *statistics, out.transpose(1, 2) if layout == "BSND" else out

# SPDX-License-Identifier: Apache-2.0
"""Attention by torch's name."""

from __future__ import annotations

from typing import Any

import torch

import aclhost
from aclhost.torch.autograd import apply

_CAUSAL, _MASKED = 2, 1  # sparse modes
_SHIFTED = 0  # pseType: added to what is scaled
_SIDE = 2048  # of the mask that stands for a triangle
_FAR = 2**31 - 1
_PLAIN = {
    "keep_prob": 1.0, "pre_tokens": _FAR, "next_tokens": _FAR, "input_layout": "BNSD",
    "inner_precise": 0, "sparse_mode": 0, "pse_type": 1,
    **dict.fromkeys(("prefix_optional", "q_start_idx_optional", "kv_start_idx_optional")),
}  # fmt: skip


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """`softmax(scale * query @ key^T + attn_mask) @ value` for `[..., heads, rows, width]`.

    What dropout keeps is drawn by aclnnDropoutGenMask, with a seed from torch's generator.

    Raises:
        ValueError: a mask and is_causal are given, or heads differ without enable_gqa.
        NotImplementedError: attn_mask wants a gradient: upstream's operator has none for it.

    """
    if attn_mask is not None and is_causal:
        raise ValueError("give either attn_mask or is_causal")
    if attn_mask is not None and attn_mask.requires_grad:
        raise NotImplementedError("attn_mask has no gradient here; detach it")
    batch = query.shape[:-2]
    q, k, v = (_four(each) for each in (query, key, value))
    if q.shape[1] != k.shape[1] and not enable_gqa:
        raise ValueError(f"{q.shape[1]} heads of query and {k.shape[1]} of key need enable_gqa")
    scores = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    results = apply(
        "aclnnFlashAttentionScoreV2",
        query=q,
        key=k,
        value=v,
        scale_value=q.shape[-1] ** -0.5 if scale is None else scale,
        head_num=q.shape[1],
        **_PLAIN | _masks(attn_mask, is_causal, scores, q.dtype) | _dropped(dropout_p, scores),
    )
    out: torch.Tensor = results[-1]
    return out.reshape(*batch, *out.shape[2:])


def _four(tensor: torch.Tensor) -> torch.Tensor:
    """[batches, heads, rows, width]."""
    whole = tensor.reshape((1,) * (4 - tensor.dim()) + tuple(tensor.shape))
    return whole if whole.dim() == 4 else whole.flatten(0, -4)


def _masks(
    mask: torch.Tensor | None, causal: bool, scores: tuple[int, ...], dtype: torch.dtype
) -> dict[str, object]:
    """Hidden keys are marked, other masks are added."""
    if causal:
        triangle = torch.ones((), dtype=torch.bool).expand(_SIDE, _SIDE)
        return {"atten_mask_optional": triangle, "sparse_mode": _CAUSAL}
    if mask is None:
        return {}
    if mask.dtype == torch.bool:
        shown = _four(mask)
        hidden = shown.expand(*shown.shape[:2], *scores[2:]).logical_not()
        return {"atten_mask_optional": hidden, "sparse_mode": _MASKED}
    added = _four(mask)
    shift = added.to(dtype).expand(added.shape[0], *scores[1:])
    return {"real_shift_optional": shift, "pse_type": _SHIFTED}


def _dropped(probability: float, scores: tuple[int, ...]) -> dict[str, object]:
    if probability == 0:
        return {}
    seed = int(torch.randint(2**31, ()))
    bits: Any = aclhost.dropout_gen_mask(scores, probability, seed, 0)
    return {"drop_mask_optional": torch.from_numpy(bits), "keep_prob": 1 - probability}

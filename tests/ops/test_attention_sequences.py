# SPDX-License-Identifier: Apache-2.0
"""Attention over sequences of different lengths: the same as each sequence alone."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

QUERIES, KEYS = (70, 0, 3, 130), (90, 5, 3, 200)
ENDS = {
    "actual_seq_qlen_optional": tuple(np.cumsum(QUERIES).tolist()),
    "actual_seq_kv_len_optional": tuple(np.cumsum(KEYS).tolist()),
}
TRIANGLE = np.broadcast_to(np.True_, (2048, 2048))
SCALE = {"scale_value": 0.2, "prefix_optional": None}


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def pieces() -> list[tuple[slice, slice]]:
    q, k = (np.cumsum((0, *lengths)) for lengths in (QUERIES, KEYS))
    return [(slice(q[i], q[i + 1]), slice(k[i], k[i + 1])) for i in range(len(QUERIES))]


@pytest.mark.parametrize("mode", [0, 2, 3])
@pytest.mark.parametrize("layout", ["", "same_as_input"])
def test_each_sequence_alone(mode: int, layout: str) -> None:
    q, dy = drawn(sum(QUERIES) + 2, 4, 24), drawn(sum(QUERIES) + 2, 4, 24)
    k, v = drawn(sum(KEYS) + 1, 2, 24), drawn(sum(KEYS) + 1, 2, 24) + 1
    masked = {"sparse_mode": mode, "atten_mask_optional": TRIANGLE if mode else None}
    given = {**SCALE, **masked, "head_num": 4}
    largest, sums, _, out = aclhost.flash_attention_var_len_score_v4(
        q, k, v, **ENDS, **given, softmax_out_layout=layout
    )
    dq, dk, dv, _ = aclhost.flash_attention_unpadding_score_grad_v4(
        q, k, v, dy, attention_in_optional=out, softmax_max_optional=largest,
        softmax_sum_optional=sums, **ENDS, **given, softmax_in_layout=layout,
    )  # fmt: skip
    for own, other in pieces():
        if own.start == own.stop:
            assert not dk[other].any()
            continue
        alone = q[None, own], k[None, other], v[None, other]
        m, s, _, one = aclhost.flash_attention_score(*alone, **given, input_layout="BSND")
        np.testing.assert_array_equal(out[own], one[0])
        for packed, each in ((largest, m), (sums, s)):
            by_head = each[0].swapaxes(0, 1) if layout else each[0]
            np.testing.assert_array_equal(packed[own].ravel(), by_head.ravel())
        gradients = aclhost.flash_attention_score_grad(
            *alone, dy[None, own], attention_in_optional=one, softmax_max_optional=m,
            softmax_sum_optional=s, **given, input_layout="BSND",
        )  # fmt: skip
        for whole, each, where in zip((dq, dk, dv), gradients, (own, other, other), strict=False):
            np.testing.assert_array_equal(whole[where], each[0])
    for rest in (out, largest, sums, dq):
        assert not rest[sum(QUERIES) :].any()
    assert not dk[sum(KEYS) :].any()


def test_masks_by_longest_and_by_all() -> None:
    """The same mask for every sequence, or one for each pair of elements."""
    q, k, v = drawn(sum(QUERIES), 1, 8), drawn(sum(KEYS), 1, 8), drawn(sum(KEYS), 1, 8) + 1
    shared = np.random.default_rng(1).random((max(QUERIES), max(KEYS))) < 0.3
    whole = np.ones((sum(QUERIES), sum(KEYS)), bool)
    for own, other in pieces():
        rows, columns = own.stop - own.start, other.stop - other.start
        whole[own, other] = shared[:rows, :columns]
    results = [
        aclhost.flash_attention_var_len_score(
            q, k, v, **ENDS, **SCALE, head_num=1, sparse_mode=1, atten_mask_optional=mask
        )[3]
        for mask in (shared, whole)
    ]
    np.testing.assert_array_equal(*results)


def test_a_sequence_that_was_cut() -> None:
    """Mode 7 gives of the first queries what mode 3 gives of all."""
    q, k, v = drawn(16, 2, 8), drawn(16, 2, 8), drawn(16, 2, 8) + 1
    given = {**SCALE, "head_num": 2, "atten_mask_optional": TRIANGLE}

    def attend(
        rows: slice, queries: list[int], keys: list[int], mode: int, after: int
    ) -> np.ndarray:
        own = slice(rows.start or 0, rows.stop)
        return aclhost.flash_attention_var_len_score(
            q[own], k[: keys[-1]], v[: keys[-1]], actual_seq_qlen_optional=queries,
            actual_seq_kv_len_optional=keys, **given, sparse_mode=mode, pre_tokens=16,
            next_tokens=after,
        )[3]  # fmt: skip

    all_from_end = attend(slice(0, 16), [6, 16], [6, 16], 3, 0)
    first = attend(slice(0, 12), [6, 12], [6, 16], 7, -4)
    np.testing.assert_allclose(first, all_from_end[:12], rtol=1e-5, atol=1e-6)

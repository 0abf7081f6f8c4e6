# SPDX-License-Identifier: Apache-2.0
"""What the walks over all operators cannot see of attention: memory, and how work is shared."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import aclhost

TRIANGLE = np.broadcast_to(np.True_, (2048, 2048))
SCORES = 4096 * 4096 * 4  # bytes of a head's scores
MEMORY = """
import resource
import numpy as np
import aclhost

def attend(rows):
    q, k, v, dy = (np.ones((1, 2, rows, 64), np.float32) for _ in range(4))
    given = dict(prefix_optional=None, head_num=2, input_layout="BNSD", scale_value=0.125)
    largest, sums, _, out = aclhost.flash_attention_score(q, k, v, **given)
    aclhost.flash_attention_score_grad(
        q, k, v, dy, attention_in_optional=out, softmax_max_optional=largest,
        softmax_sum_optional=sums, **given)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

attend(64)
room = np.ones(24 << 20, np.uint8)  # for arrays: 8 matrices of 2 MB, and statistics
before = peak()
del room
attend(4096)
print(peak() - before)
"""
GRADIENTS = """
import hashlib
import numpy as np
import aclhost

rng = np.random.default_rng(5)
q, dy = (rng.standard_normal((1, 4, 300, 40), np.float32) for _ in range(2))
k, v = (rng.standard_normal((1, 2, 600, 40), np.float32) for _ in range(2))
mask = np.broadcast_to(np.True_, (2048, 2048))
given = dict(prefix_optional=None, head_num=4, input_layout="BNSD", scale_value=0.2,
             sparse_mode=3, atten_mask_optional=mask)
largest, sums, _, out = aclhost.flash_attention_score(q, k, v, **given)
found = aclhost.flash_attention_score_grad(
    q, k, v, dy, attention_in_optional=out, softmax_max_optional=largest,
    softmax_sum_optional=sums, **given)
digest = hashlib.sha256()
for each in (largest, sums, out, *found):
    if each is not None:
        digest.update(np.ascontiguousarray(each))
print(digest.hexdigest())
"""


def said(program: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def test_memory_does_not_grow_with_the_scores() -> None:
    assert int(said(MEMORY, ACLHOST_NUM_THREADS="2")) < SCORES // 4


def test_heads_and_tiles_give_the_same_gradients() -> None:
    """One thread takes whole heads; eight share the two."""
    assert said(GRADIENTS, ACLHOST_NUM_THREADS="1") == said(GRADIENTS, ACLHOST_NUM_THREADS="8")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_many_tiles(dtype: type) -> None:
    """More rows and keys than a tile has, compared with all scores at once."""
    rng = np.random.default_rng(3)
    q = rng.standard_normal((2, 3, 200, 24)).astype(dtype)
    k, v = (rng.standard_normal((2, 3, 1100, 24)).astype(dtype) for _ in range(2))
    *_, out = aclhost.flash_attention_score(
        q, k, v, prefix_optional=None, head_num=3, input_layout="BNSD", scale_value=0.3
    )
    scores = 0.3 * q.astype(float) @ k.astype(float).swapaxes(-1, -2)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = powers / powers.sum(-1, keepdims=True) @ v.astype(float)
    assert np.abs(out - wanted).max() < (1e-6 if dtype == np.float32 else 5e-4)


def _falling(rows: int) -> np.ndarray[Any, Any]:
    """Shifts of two heads that depend on how far a key lies behind."""
    distance = np.arange(rows)[:, None] - np.arange(rows)[None]
    return (-np.array([0.25, 0.01])[None, :, None, None] * distance).astype(np.float32)


@pytest.mark.parametrize("rows", [1025, 1500, 2200])
def test_last_rows_of_a_shift_stand_for_all(rows: int) -> None:
    rng = np.random.default_rng(8)
    q, k, v, dy = (rng.standard_normal((1, 2, rows, 8), np.float32) for _ in range(4))
    given = {"prefix_optional": None, "head_num": 2, "input_layout": "BNSD", "scale_value": 0.3,
             "sparse_mode": 2, "atten_mask_optional": TRIANGLE}  # fmt: skip
    found = []
    for shift in (_falling(rows), _falling(rows)[:, :, -1024:]):
        largest, sums, _, out = aclhost.flash_attention_score(
            q, k, v, real_shift_optional=shift, **given
        )
        gradients = aclhost.flash_attention_score_grad(
            q, k, v, dy, attention_in_optional=out, softmax_max_optional=largest,
            softmax_sum_optional=sums, pse_shift_optional=shift, **given)  # fmt: skip
        found.append((largest, sums, out, *gradients[:3]))
    for whole, last in zip(*found, strict=True):
        assert np.array_equal(whole, last)


def test_last_rows_of_a_shift_serve_every_sequence() -> None:
    rng = np.random.default_rng(9)
    lengths = np.array([1200, 40, 3])
    q, k, v = (rng.standard_normal((lengths.sum(), 2, 8), np.float32) for _ in range(3))
    ends = tuple(np.cumsum(lengths).tolist())
    given = {"prefix_optional": None, "head_num": 2, "input_layout": "TND", "scale_value": 0.3,
             "actual_seq_qlen_optional": ends, "actual_seq_kv_len_optional": ends,
             "sparse_mode": 2, "atten_mask_optional": TRIANGLE}  # fmt: skip
    longest = _falling(1200)
    packed = np.concatenate([longest[:, :, :each, :each].reshape(-1, 1) for each in lengths])
    whole, last = (
        aclhost.flash_attention_var_len_score(q, k, v, real_shift_optional=shift, **given)
        for shift in (packed, longest[:, :, -1024:])
    )
    for one, other in zip(whole, last, strict=True):
        assert (one is None and other is None) or np.array_equal(one, other)

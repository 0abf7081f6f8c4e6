# SPDX-License-Identifier: Apache-2.0
"""The same bits for every number of threads and for every instruction set."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Large enough to be shared among threads, odd enough to leave ends over everywhere.
PROGRAM = """
import hashlib, os
import ml_dtypes, numpy as np
import aclhost

rng = np.random.default_rng(7)
digest = hashlib.sha256()

def show(name, *results):
    for result in results:
        digest.update(np.ascontiguousarray(result).tobytes())
    print(name, digest.hexdigest())

def array(shape, dtype):
    return (3 * rng.normal(size=shape)).astype(getattr(ml_dtypes, dtype, dtype))

for dtype in ("float32", "float16", "bfloat16", "float64"):
    x = array((57, 1003), dtype)
    show(f"elu {dtype}", aclhost.elu(x, 1.5, 1.1, 0.9), aclhost.elu(x[::-1, ::3]))
    volume = array((3, 5, 9, 17, 33), dtype)
    up = aclhost.upsample_nearest3d(volume, (13, 40, 61))
    down = aclhost.upsample_nearest3d_backward(up, (13, 40, 61), volume.shape)
    show(f"upsample {dtype}", up, down)
    if dtype == "float64":
        continue
    g = array(x.shape, dtype)
    for is_result in (False, True):
        show(f"elu_backward {dtype}", aclhost.elu_backward(g, x, 1.5, 1.1, 0.9, is_result))
    for reduction in ("none", "mean", "sum"):
        show(f"smooth_l1 {dtype} {reduction}", aclhost.smooth_l1_loss(x, g, reduction, 0.7))
    show(f"smooth_l1_backward {dtype}", aclhost.smooth_l1_loss_backward(g, x, g[::-1]))
    pooled, indices = aclhost.max_pool3d_with_argmax(volume, 3, 2, 1)
    back = aclhost.max_pool3d_with_argmax_backward(pooled, volume, indices, 3, 2, 1)
    show(f"max_pool3d {dtype}", pooled, indices, back)
    if dtype != "bfloat16":
        wide = aclhost.max_unpool3d(pooled, indices, volume.shape[2:])
        narrow = aclhost.max_unpool3d_backward(
            wide, pooled, indices.astype(np.int64), volume.shape[2:]
        )
        show(f"max_unpool3d {dtype}", wide, narrow)
"""


def results(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def reference() -> str:
    """One thread, the baseline version of the kernels."""
    return results(ACLHOST_NUM_THREADS="1", ACLHOST_ISA="baseline")


@pytest.mark.parametrize("threads", ["2", "3", "8"])
def test_threads(reference: str, threads: str) -> None:
    assert results(ACLHOST_NUM_THREADS=threads, ACLHOST_ISA="baseline") == reference


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_instruction_sets(reference: str, isa: str) -> None:
    """A processor without the set runs the best one it has, which must agree just as well."""
    assert results(ACLHOST_ISA=isa) == reference


def test_a_forked_child_computes_alone() -> None:
    program = (
        "import os, numpy as np, aclhost\n"
        "x = np.linspace(-3, 3, 300001, dtype=np.float32)\n"
        "wanted = aclhost.elu(x).tobytes()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if aclhost.elu(x).tobytes() == wanted else 1)\n"
        "print(os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "ACLHOST_NUM_THREADS": "3"},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "0"

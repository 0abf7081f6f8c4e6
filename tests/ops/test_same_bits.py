# SPDX-License-Identifier: Apache-2.0
"""The same bits for every number of threads and, but for exp, for every instruction set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.interpreter import said

# Large enough to be shared among threads, odd enough to leave ends over everywhere.
PROGRAM = """
import sys
import ml_dtypes, numpy as np
import aclhost

rng = np.random.default_rng(7)
found = {}

def show(name, *results):
    for number, result in enumerate(results):
        bits = np.ascontiguousarray(result)
        found[f"{name} {number}"] = bits.view(f"u{bits.itemsize}")

def array(shape, dtype):
    return (3 * rng.normal(size=shape)).astype(getattr(ml_dtypes, dtype, dtype))

for dtype in ("float32", "float16", "bfloat16", "float64"):
    x = array((57, 1003), dtype)
    show(f"elu {dtype}", aclhost.elu(x, 1.5, 1.1, 0.9), aclhost.elu(x[::-1, ::3]))
    across = array((2, 316, 170), dtype).transpose(0, 2, 1)
    for lying in (across, across.copy()):
        sums, largest = aclhost.reduce_sum(lying, (2,)), aclhost.amax(lying, (2,))
        show(f"reductions {dtype} {lying.strides}", sums, largest, aclhost.prod_dim(lying, 2))
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
        loss = aclhost.smooth_l1_loss(x, g, reduction, 0.7)
        across = aclhost.smooth_l1_loss(x.T, g.T, reduction, 0.7)
        show(f"smooth_l1 {dtype} {reduction}", loss, across)
    show(f"smooth_l1_backward {dtype}", aclhost.smooth_l1_loss_backward(g, x, g[::-1]))
    for window in ((2, 2, 0), (3, 3, 0), (3, 1, 1)):
        pooled, indices = aclhost.max_pool3d_with_argmax(volume, *window)
        back = aclhost.max_pool3d_with_argmax_backward(pooled, volume, indices, *window)
        show(f"max_pool3d {dtype} {window}", pooled, indices, back)
    for shape in ((1, 1, 60, 20, 37), (1, 1, 21, 95, 131)):  # deep, and large planes
        one = array(shape, dtype)
        pooled, indices = aclhost.max_pool3d_with_argmax(one, 3, 2, 1)
        back = aclhost.max_pool3d_with_argmax_backward(pooled, one, indices, 3, 2, 1)
        show(f"max_pool3d {dtype} {shape}", pooled, indices, back)
    pooled, indices = aclhost.max_pool3d_with_argmax(volume, 3, 2, 1)
    back = aclhost.max_pool3d_with_argmax_backward(pooled, volume, indices, 3, 2, 1)
    show(f"max_pool3d {dtype}", pooled, indices, back)
    if dtype != "bfloat16":
        wide = aclhost.max_unpool3d(pooled, indices, volume.shape[2:])
        narrow = aclhost.max_unpool3d_backward(
            wide, pooled, indices.astype(np.int64), volume.shape[2:]
        )
        show(f"max_unpool3d {dtype}", wide, narrow)
for dtype in ("complex64", "complex128"):
    z, w = (array((2, 30011), "float64") for _ in range(2))
    z, w = (z[0] + 1j * z[1]).astype(dtype), (w[0] + 1j * w[1]).astype(dtype)
    results = (aclhost.mul(z, w), aclhost.div(z, w), aclhost.muls(z, 1.1 - 0.3j))
    show(f"complex {dtype}", *(result.view(f"f{result.itemsize // 2}") for result in results))
    places = rng.integers(0, 50, (2, 700))
    product = aclhost.scatter(z[:100].reshape(2, 50), 1, places, w[:1400].reshape(2, 700), 2)
    show(f"scattered products {dtype}", product.view(f"f{product.itemsize // 2}"))
x = array((2, 3, 50, 76), "float32")
cos, sin = (array((1, 1, 50, 76), "float32") for _ in range(2))
for mode in (0, 1, 2):
    back = aclhost.rotary_position_embedding_grad(x, cos, sin, x, mode)
    show(f"rotary {mode}", aclhost.rotary_position_embedding(x, cos, sin, mode), *back)
places = rng.integers(0, 64**3, (1, 1, 32, 33, 35))  # one volume, repeated indices
values = array(places.shape, "float32")
show("max_unpool3d one volume", aclhost.max_unpool3d(values, places, (64, 64, 64)))
places = np.sort(places, None).reshape(places.shape)
show("max_unpool3d in order", aclhost.max_unpool3d(values, places, (64, 64, 64)))
places = rng.integers(0, 64 * 160**2, (1, 1, 64, 128, 160))  # sorted first, repeated indices
values = array(places.shape, "float32")
show("max_unpool3d in bands", aclhost.max_unpool3d(values, places, (64, 160, 160)))
np.savez(sys.argv[1], **found)
"""
ISAS = ("baseline", "avx2", "avx512")
Results = dict[str, npt.NDArray[np.unsignedinteger]]


def results(path: Path, **environment: str) -> Results:
    """The bits of many results, by name."""
    said(PROGRAM, str(path), **environment)
    with np.load(path) as found:
        return dict(found)


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    """One thread, every version of the kernels that the processor has."""
    path = tmp_path_factory.mktemp("bits") / "reference.npz"
    return {isa: results(path, ACLHOST_NUM_THREADS="1", ACLHOST_ISA=isa) for isa in ISAS}


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", ["2", "3", "8"])
def test_threads(references: dict[str, Results], isa: str, threads: str, tmp_path: Path) -> None:
    found = results(tmp_path / "found.npz", ACLHOST_NUM_THREADS=threads, ACLHOST_ISA=isa)
    for name, bits in references[isa].items():
        np.testing.assert_array_equal(found[name], bits, name)


@pytest.mark.parametrize("isa", ISAS[1:])
def test_instruction_sets(references: dict[str, Results], isa: str) -> None:
    """A processor without the set runs the best one it has, which must agree just as well."""
    for name, bits in references["baseline"].items():
        if name.startswith("elu"):
            assert_rounded_alike(name, references[isa][name], bits)
        else:
            np.testing.assert_array_equal(references[isa][name], bits, name)


def assert_rounded_alike(
    name: str, bits: npt.NDArray[np.unsignedinteger], wanted: npt.NDArray[np.unsignedinteger]
) -> None:
    """Two exponentials, each within 2 units of the last place, whose rounding may differ."""
    dtype = np.dtype(getattr(ml_dtypes, name.split()[1], name.split()[1]))
    units = 5 * float(ml_dtypes.finfo(dtype).eps)
    found, other = (values.view(dtype).astype(np.float64) for values in (bits, wanted))
    np.testing.assert_allclose(found, other, rtol=units, atol=0, err_msg=name)


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

# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: with LAPACK and without, on any number of threads; singular matrices."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.interpreter import said

import aclhost
from aclhost import ops
from aclhost.calls import abi

# Prints a checksum and the residuals of several results.
PROGRAM = r"""
import hashlib, json
import numpy as np
import aclhost
from aclhost._native import describe_blas

def of(dtype, *shape):
    rng = np.random.default_rng(7)
    parts = rng.normal(size=shape), rng.normal(size=shape)
    return (parts[0] + (1j * parts[1] if "c" in dtype else 0)).astype(dtype)

results, residuals = [], []
for dtype in ("f4", "f8", "c8", "c16"):
    square, tall = of(dtype, 5, 70, 70), of(dtype, 3, 80, 33)
    wide = np.ascontiguousarray(np.swapaxes(tall, 1, 2))
    inverse = aclhost.inverse(square)
    sign, log = aclhost.slogdet(square)
    results += [inverse, sign, log]
    residuals.append(np.abs(inverse @ square - np.eye(70)).max())
    own_sign, own_log = np.linalg.slogdet(square.astype("c16"))
    residuals.append(np.abs(sign * np.exp(log - own_log) - own_sign).max())
    for matrix in (tall, wide):
        for mode in ("reduced", "complete"):
            q, r = aclhost.linalg_qr(matrix, mode)
            results += [q, r]
            residuals.append(np.abs(q @ r - matrix).max())
            residuals.append(np.abs(q.conj().swapaxes(1, 2) @ q - np.eye(q.shape[-1])).max())
            residuals.append(np.abs(np.tril(r, -1)).max())
    a = square / 50 + np.eye(70, dtype=dtype) * 3
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)
        x, _ = aclhost.triangular_solve(square, a, upper=upper, transpose=upper)
        results.append(x)
        residuals.append(np.abs((half.swapaxes(1, 2) if upper else half) @ x - square).max())
print(json.dumps({
    "blas": describe_blas(),
    "bits": [hashlib.sha256(each.tobytes()).hexdigest() for each in results],
    "residuals": [float(each) for each in residuals],
}))
"""


def compute(**environment: str) -> dict:
    return json.loads(said(PROGRAM, **environment))


@pytest.mark.parametrize("blas", ["OpenBLAS", "plain"])
def test_residuals_and_threads(blas: str) -> None:
    """FLOAT may be off by 1e-3: some of the random matrices have small determinants."""
    one = compute(ACLHOST_BLAS=blas, ACLHOST_NUM_THREADS="1")
    assert one["blas"].startswith(blas)
    assert max(one["residuals"]) < 1e-3
    assert compute(ACLHOST_BLAS=blas, ACLHOST_NUM_THREADS="3")["bits"] == one["bits"]


def test_singular_inverse() -> None:
    """The other matrices are inverted all the same."""
    matrices = np.array([[[2, 0], [0, 4]], [[1, 2], [2, 4]], [[0, 1], [1, 0]]], np.float32)
    out = np.zeros_like(matrices)
    with pytest.raises(aclhost.AclnnError, match="number 1 of them, counted from 0, has none"):
        aclhost.inverse(matrices, out=out)
    assert np.isnan(out[1]).all()
    np.testing.assert_array_equal(out[0], [[0.5, 0], [0, 0.25]])
    np.testing.assert_array_equal(out[2], matrices[2])


def test_singular_determinant() -> None:
    sign, log = aclhost.slogdet(np.array([[1, 2], [2, 4]], np.float32))
    assert sign == 0
    assert log == -np.inf


def test_zero_on_the_diagonal() -> None:
    a = np.array([[2, 1], [0, 0]], np.float32)
    x, m = aclhost.triangular_solve(np.ones((2, 1), np.float32), a)
    assert not np.isfinite(x).any()
    np.testing.assert_array_equal(m, a)


@pytest.mark.parametrize("dtype", ["f8", "c8", "c16"])
@pytest.mark.parametrize("count", [1, 7, 65, 20000])
def test_cross_of_vectors_whatever_the_strides(count: int, dtype: str) -> None:
    """Vectors that lie side by side are computed one by one: with the same bits."""
    parts = np.random.default_rng(count).normal(size=(2, 2, count, 3))
    a, b = (parts[0] + 1j * parts[1]).astype(dtype) if dtype[0] == "c" else parts[0]
    wanted = aclhost.linalg_cross(np.asfortranarray(a), np.asfortranarray(b), -1)
    assert aclhost.linalg_cross(a, b, -1).tobytes() == np.ascontiguousarray(wanted).tobytes()
    np.testing.assert_allclose(wanted, np.cross(a, b), rtol=1e-4, atol=1e-5)
    same = a.copy()
    aclhost.linalg_cross(same, b, -1, out=same)
    assert same.tobytes() == np.ascontiguousarray(wanted).tobytes()


def test_cross_of_the_axes() -> None:
    axes = np.eye(3, dtype=np.int32)
    np.testing.assert_array_equal(
        aclhost.linalg_cross(axes, np.roll(axes, -1, 0)), np.roll(axes, -2, 0)
    )


@pytest.mark.usefixtures("no_leaks")
def test_solution_alone(stream: int) -> None:
    """A null pointer for the copy of A, which only C has."""
    op = ops.BY_NAME["aclnnTriangularSolve"]
    call = op.samples[0].passing(mOut=None)
    with abi.prepared_call(op, call) as prepared:
        self, a = (prepared.inputs()[name] for name in ("self", "A"))
        abi.run(op, prepared, stream)
        np.testing.assert_allclose(np.triu(a) @ prepared.result("xOut"), self[None], rtol=1e-5)


DECOMPOSE = r"""
import numpy as np
import aclhost

def residuals(dtype, shape, full, size=1):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    a = (size * (a + (1j * b if "c" in dtype else 0))).astype(dtype)
    a[..., -1, :] = a[..., 0, :]  # a singular value of 0
    sigma, u, v = aclhost.svd(a, full)
    k = sigma.shape[-1]
    assert (np.diff(sigma.real) <= 0).all()
    whole = (u[..., :k] * sigma[..., None, :]) @ v[..., :k].conj().swapaxes(-1, -2)
    yield np.abs(whole - a).max() / sigma.real.max()
    yield np.abs(sigma - np.linalg.svd(a, compute_uv=False)).max() / sigma.real.max()
    yield np.abs(aclhost.svd(a, full, compute_uv=False)[0] - sigma).max() / sigma.real.max()
    for each in (u, v):
        yield np.abs(each.conj().swapaxes(-1, -2) @ each - np.eye(each.shape[-1])).max()

sizes = [each for size in (1e30, 1e-32) for each in residuals("f4", (6, 4), True, size)]
print(max(np.max(sizes) / np.finfo("f4").eps, *(
    float(each / np.finfo(dtype).eps)
    for dtype in ("f4", "f8", "c8", "c16")
    for shape in ((3, 2), (2, 3), (4, 4), (1, 6), (6, 1), (2, 30, 12), (12, 30), (50, 50))
    for full in (False, True)
    for each in residuals(dtype, shape, full)
)))
"""


@pytest.mark.parametrize("blas", ["OpenBLAS", "plain"])
def test_singular_values(blas: str) -> None:
    """Vectors are not unique: their products and lengths are what counts, in steps of rounding."""
    assert float(said(DECOMPOSE, ACLHOST_BLAS=blas)) < 100


def test_singular_values_of_nan_and_zero() -> None:
    broken = np.ones((2, 3, 2), np.float32)
    broken[1, 0, 0] = np.nan
    for each in aclhost.svd(broken, False):
        assert np.isfinite(each[0]).all()
        assert np.isnan(each[1]).all()
    sigma, u, v = aclhost.svd(np.zeros((3, 2)), True)
    np.testing.assert_array_equal(sigma, [0, 0])
    np.testing.assert_allclose(u.T @ u, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(v.T @ v, np.eye(2), atol=1e-15)

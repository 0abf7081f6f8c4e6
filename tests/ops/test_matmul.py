# SPDX-License-Identifier: Apache-2.0
"""Matrix products: with OpenBLAS and without, on any number of threads, and what is not read."""

from __future__ import annotations

import ctypes
import json
import shutil
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from aclhost._native import instruction_set
from support.interpreter import said

import aclhost
from aclhost import acl, aclnn, ops
from aclhost.acl import _capi
from aclhost.calls import abi
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import FLOAT16, INT4, INT8
from aclhost.spec.products import A950

PACKAGE = Path(aclhost.__file__).parent

# Prints what multiplies, and a checksum and the sum of each of several products.
PROGRAM = r"""
import hashlib, json
import ml_dtypes, numpy as np
import aclhost
from aclhost._native import describe_blas

def of(seed, dtype, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)

products = [
    aclhost.mm(of(1, "f4", 300, 700), of(2, "f4", 700, 500)),
    aclhost.mm(of(1, "f2", 200, 900), of(2, "f2", 600, 900).T),
    aclhost.mm(of(1, ml_dtypes.bfloat16, 700, 40).T, of(2, ml_dtypes.bfloat16, 700, 300)),
    aclhost.matmul(of(1, "f4", 3, 40, 50), of(2, "f4", 2, 1, 50, 30)),
    aclhost.mv(of(1, "f4", 3000, 1000), of(2, "f4", 1000)),
    aclhost.mv(of(1, "f2", 1000, 3000).T, of(2, "f2", 1000)),
    aclhost.matmul(of(1, "f4", 3, 1, 90000), of(2, "f4", 3, 90000, 7)),
    aclhost.matmul(of(1, "f4", 5000, 3, 70), of(2, "f4", 5000, 70, 1)),
    aclhost.mm(of(1, ml_dtypes.bfloat16, 90, 333), of(2, ml_dtypes.bfloat16, 75, 333).T),
    aclhost.dot(of(1, "f4", 3_000_001), of(2, "f4", 3_000_001)),
    aclhost.addbmm(of(1, "f4", 90, 70), of(2, "f4", 20, 90, 80), of(3, "f4", 20, 80, 70)),
]
print(json.dumps({
    "blas": describe_blas(),
    "bits": [hashlib.sha256(each.tobytes()).hexdigest() for each in products],
    "sums": [float(np.abs(each).astype(float).sum()) for each in products],
}))
"""

# Multiplies on threads that have computed before, but had no need of memory; now there is none.
WITHOUT_MEMORY = """
import resource
import numpy as np
import aclhost

x = np.ones(3_000_000, "f4")
for _ in range(50):
    aclhost.add(x, x)
a, out = np.ones((600, 1200), "f4")[:, ::2], np.zeros((600, 600), "f4")
mapped = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (mapped, mapped))
for _ in range(20):
    try:
        aclhost.inplace_addmm(out, a, a, 1, 1, 0)
    except (aclhost.AclnnError, MemoryError):
        pass
print("ended")
"""


def has_instruction(name: str) -> bool:
    return f" {name}" in Path("/proc/cpuinfo").read_text()


def multiply(**environment: str) -> dict:
    return json.loads(said(PROGRAM, **environment))


@pytest.fixture(scope="module")
def usual() -> dict:
    return multiply(ACLHOST_NUM_THREADS="1")


def test_openblas_is_there(usual: dict) -> None:
    assert usual["blas"].startswith("OpenBLAS ")
    assert (PACKAGE / "toolkit/licenses/OpenBLAS.txt").is_file()


@pytest.mark.parametrize("threads", ["2", "3", "8"])
def test_threads_do_not_change_bits(usual: dict, threads: str) -> None:
    assert multiply(ACLHOST_NUM_THREADS=threads)["bits"] == usual["bits"]


def test_plain_loops_on_request(usual: dict) -> None:
    plain = multiply(ACLHOST_BLAS="plain")
    assert "plain" in plain["blas"]
    np.testing.assert_allclose(plain["sums"], usual["sums"], rtol=1e-4)
    if not has_instruction("amx_fp16"):
        assert multiply(ACLHOST_BLAS="plain", ACLHOST_ISA="baseline")["bits"] == plain["bits"]


def test_plain_loops_without_the_library(usual: dict, tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("libscipy_openblas.so", "__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "aclhost", ignore=left_out)
    plain = multiply(PYTHONPATH=str(tmp_path))
    assert "no libscipy_openblas.so" in plain["blas"]
    np.testing.assert_allclose(plain["sums"], usual["sums"], rtol=1e-4)


def test_no_threads_of_its_own() -> None:
    program = (
        "import os, numpy as np, aclhost\n"
        "a = np.ones((4, 4), 'f4')\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "aclhost.mm(a, a)\n"
        "print(len(os.listdir('/proc/self/task')) - before)\n"
    )
    assert said(program).strip() == "0"


def test_factors_of_0_read_nothing() -> None:
    nan, ones = np.full((2, 2), np.nan, "f4"), np.ones((2, 2), "f4")
    assert np.array_equal(aclhost.addmm(nan, ones, ones, beta=0, alpha=3), 6 * ones)
    assert np.array_equal(aclhost.addmm(ones, nan, ones, beta=2, alpha=0), 2 * ones)
    empty = np.ones((2, 0), "f4")
    assert np.array_equal(aclhost.addmm(ones, empty, empty.T, beta=2), 2 * ones)


def test_one_rounding() -> None:
    """2048 + 1 + 1 is 2050 in float; FLOAT16 sums would stay at 2048."""
    row = np.array([[2048, 1, 1]], "f2")
    assert aclhost.mm(row, np.ones((3, 1), "f2")) == 2050


def test_a_factor_that_is_the_result() -> None:
    a = np.arange(9, dtype="f4").reshape(3, 3)
    wanted = a @ a + a
    aclhost.inplace_addmm(a, a.copy(), a)
    assert np.array_equal(a, wanted)


def as_laid_out(matrix: np.ndarray) -> list[np.ndarray]:
    """The same matrix with rows that are arrays, with such columns, and with neither."""
    scattered = np.zeros((2 * matrix.shape[0], 3 * matrix.shape[1]), matrix.dtype)[::2, ::3]
    scattered[...] = matrix
    return [np.ascontiguousarray(matrix), np.ascontiguousarray(matrix.T).T, scattered]


@pytest.mark.parametrize("dtype", ["f4", "f2", "bfloat16"])
@pytest.mark.parametrize(
    "shape",
    [
        *((700, 1030), (5, 70001), (1, 31), (33, 64), (700, 1), (1030, 16), (517, 33), (2111, 63)),
        *((550, terms) for terms in (2, 3, 5, 9, 17, 31, 32, 48, 100, 128, 129)),
    ],
)
def test_products_with_vectors_whatever_the_strides(shape: tuple[int, int], dtype: str) -> None:
    rng = np.random.default_rng(3)
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    matrix, vector = rng.normal(size=shape).astype(kind), rng.normal(size=shape[1]).astype(kind)
    first, *others = [aclhost.mv(each, vector) for each in as_laid_out(matrix)]
    wanted = matrix.astype(float) @ vector.astype(float)
    terms = np.abs(matrix.astype(float)) @ np.abs(vector.astype(float))
    step = {"f4": 0, "f2": 2**-11, "bfloat16": 2**-8}[dtype]  # of one rounding
    assert np.all(np.abs(first - wanted) <= 4 * 2**-24 * terms + step * np.abs(wanted))
    assert all(each.tobytes() == first.tobytes() for each in others)
    assert aclhost.mm(vector[None], matrix.T).tobytes() == first.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f2"])
@pytest.mark.parametrize("sizes", [(4, 32), (4, 1024), (3, 63), (1, 33), (513, 65), (4, 31)])
def test_batches_of_short_sums_whatever_the_strides(sizes: tuple[int, int], dtype: str) -> None:
    """Those at the limits of what is multiplied without BLAS, and those just beyond."""
    rng, (m, k) = np.random.default_rng(4), sizes
    a, b = rng.normal(size=(2, 9, m, k)).astype(dtype), rng.normal(size=(2, 9, k, 1)).astype(dtype)
    wanted = a.astype(float) @ b.astype(float)
    terms = np.abs(a).astype(float) @ np.abs(b).astype(float)
    step = {"f4": 4 * 2**-24, "f2": 2**-11}[dtype]
    one = np.broadcast_to(b[:1, :1], b.shape)
    first, *others = [
        [aclhost.matmul(each, b), aclhost.matmul(each, one)]
        for each in (a, np.ascontiguousarray(a.swapaxes(2, 3)).swapaxes(2, 3), turned(a))
    ]
    assert np.all(np.abs(first[0] - wanted) <= step * terms)
    if k >= 32:  # what BLAS multiplies may differ by strides
        assert all(np.array_equal(each, first) for each in others)
        assert np.array_equal(aclhost.matmul(a, one.copy()), first[1])
    assert np.array_equal(aclhost.einsum([b[..., None, :, 0], a[:, :, None]], "abcd,abced->abce"),
                          first[0][:, :, None, :, 0])  # fmt: skip


@pytest.mark.parametrize("k", [1, 13, 14, 15, 128, 129, 511, 512, 513])
@pytest.mark.parametrize("n", [1, 3, 8, 9, 15, 16, 17, 32, 48, 112, 128, 144])
def test_small_products_whatever_the_strides(n: int, k: int) -> None:
    """Those at the limits of what is multiplied without BLAS, and those beyond; all are exact."""
    rng = np.random.default_rng(4)
    for m in (1, 2, 3, 4, 5, 8, 11, 37):
        a, b, room = (rng.integers(-9, 9, (2, *each)).astype("f4")
                      for each in ((m, k), (k, n), (m + 2, n + 3)))  # fmt: skip
        wanted = room.copy()
        wanted[:, 1:-1, 1:-2] = a @ b
        for each in (a, np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2), turned(a)):
            for other in (b, np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2), turned(b)):
                aclhost.matmul(each, other, out=room[:, 1:-1, 1:-2])
                assert np.array_equal(room, wanted)
                assert np.array_equal(
                    aclhost.addbmm(np.ones((m, n), "f4"), each, other, 1, 2, 0),
                    1 + 2 * (a @ b).sum(0),
                )


@pytest.mark.parametrize(
    "sizes",
    [
        *((37, 45, 301), (130, 70, 1024), (2, 33, 2000)),
        *((15, 128, 510), (29, 129, 512), (13, 31, 514), (14, 33, 511), (43, 97, 64)),
    ],
)
def test_products_of_bf16_whatever_the_strides(sizes: tuple[int, int, int]) -> None:
    """Pairs of them are multiplied where the processor can, always in one order."""
    rng, (m, n, k) = np.random.default_rng(4), sizes
    a = rng.normal(size=(m, k)).astype(ml_dtypes.bfloat16)
    b = rng.normal(size=(k, n)).astype(ml_dtypes.bfloat16)
    results = [aclhost.mm(x, y) for x in as_laid_out(a) for y in as_laid_out(b)]
    wanted = a.astype(float) @ b.astype(float)
    terms = np.abs(a.astype(float)) @ np.abs(b.astype(float))
    turned = np.empty((n, m), ml_dtypes.bfloat16).T
    aclhost.mm(a, b, out=turned)
    for each in (*results, turned):
        error = np.abs(each.astype(float) - wanted)
        assert np.all(error <= 4 * 2**-24 * terms + 2**-8 * np.abs(wanted))
    if has_instruction("avx512_bf16") and instruction_set() == "avx512":
        assert all(np.array_equal(each, results[0]) for each in (*results, turned))


def turned(array: np.ndarray) -> np.ndarray:
    """The same values, with the first axis the fastest in memory."""
    return np.ascontiguousarray(array.T).T


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("batches", [7, 8, 31, 33, 150])
def test_batches_that_lie_closer_than_their_elements(batches: int, dtype: str) -> None:
    """Groups of them are brought into order: one, or several that are added up."""
    rng, kind = np.random.default_rng(6), getattr(ml_dtypes, dtype, dtype)
    shapes = ((batches, 50, 60), (batches, 60, 70), (batches, 50, 70))
    a, b, c = (rng.normal(size=shape).astype(kind) for shape in shapes)
    across = [turned(each) for each in (a, b, c)]
    exact = a.astype(float) @ b.astype(float)
    step = {"float32": 2**-20, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    got = aclhost.batch_mat_mul(*across[:2])
    assert np.allclose(got.astype(float), exact, step, 40 * step)
    got = aclhost.baddbmm(across[2], *across[:2], beta=0.5, alpha=2)
    wanted = 0.5 * c.astype(float) + 2 * exact
    assert np.allclose(got.astype(float), wanted, step, 80 * step)
    aclhost.inplace_baddbmm(across[2], across[0], b, beta=0.5, alpha=2)
    assert np.array_equal(across[2], got)
    dense = aclhost.baddbmm(c, a, b, beta=0.5, alpha=2)
    for out in (turned(c), turned(c)[::-1, :, ::-1]):
        aclhost.baddbmm(c, a, b, beta=0.5, alpha=2, out=out)
        assert np.array_equal(out, dense)
    got = aclhost.addbmm(c[0], *across[:2], beta=0.5, alpha=2)
    wanted = 0.5 * c[0].astype(float) + 2 * exact.sum(0)
    assert np.allclose(got.astype(float), wanted, step, 800 * step)
    if dtype == "bfloat16":  # what BLAS multiplies may differ by strides
        assert aclhost.addbmm(c[0], a, b, beta=0.5, alpha=2).tobytes() == got.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("sizes", [(2, 300, 301), (15, 65, 40), (48, 513, 200), (3, 70, 1)])
def test_few_rows_times_weights_whatever_the_strides(
    sizes: tuple[int, int, int], dtype: str
) -> None:
    rng, kind, (m, n, k) = np.random.default_rng(9), getattr(ml_dtypes, dtype, dtype), sizes
    a, b, c = (rng.normal(size=each).astype(kind) for each in ((m, k), (k, n), (1, n)))
    exact = a.astype(float) @ b.astype(float)
    step = {"float32": 2**-20, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    room = np.full((2 * m, n), 7, kind)
    for first in as_laid_out(a):
        for second in as_laid_out(b):
            got = aclhost.mm(first, second, out=room[::2])
            assert np.allclose(got.astype(float), exact, step, 40 * step)
            got = aclhost.addmm(c, first, second, beta=2, alpha=0.5)
            wanted = 0.5 * exact + 2 * c.astype(float)
            assert np.allclose(got.astype(float), wanted, step, 40 * step)
    assert (room[1::2] == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("shape", [(75, 600), (1, 40), (40, 1)])
def test_addends_whatever_the_strides(shape: tuple[int, int], dtype: str) -> None:
    rng, kind = np.random.default_rng(7), getattr(ml_dtypes, dtype, dtype)
    a, b, c = (rng.normal(size=each).astype(kind) for each in ((shape[0], 9), (9, shape[1]), shape))
    first, *others = [aclhost.addmm(each, a, b, beta=3, alpha=2) for each in as_laid_out(c)]
    wanted = 3 * c.astype(float) + 2 * (a.astype(float) @ b.astype(float))
    step = {"float32": 2**-20, "bfloat16": 2**-7}[dtype]
    assert np.allclose(first.astype(float), wanted, step, 20 * step)
    assert all(each.tobytes() == first.tobytes() for each in others)
    for row in (c[:1], turned(np.broadcast_to(c[:, :1], shape))):
        got = aclhost.addmm(row, a, b, beta=3, alpha=2)
        same = aclhost.addmm(np.ascontiguousarray(np.broadcast_to(row, shape)), a, b, 3, 2)
        assert got.tobytes() == same.tobytes()


@pytest.mark.parametrize(
    "dtype", ["f4", "f8", "f2", "bfloat16", "i1", "u1", "i2", "i4", "i8", "c8"]
)
@pytest.mark.parametrize("columns", [1, 15, 31, 33, 63, 65, 257, 316, 511, 513, 1025, 4099])
def test_outer_products_whatever_the_strides(columns: int, dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    rng = np.random.default_rng(columns)
    column, row = ((rng.normal(size=n) * 9).astype(kind) for n in (75, columns))
    expected = column[:, None] * row
    spaced = np.zeros((75, columns + 3), kind)
    with aclhost.soc(A950.default_soc):
        results = [
            aclhost.ger(column, row),
            aclhost.ger(np.repeat(column, 2)[::2], row),
            aclhost.ger(column, np.repeat(row, 3)[::3]),
            aclhost.ger(column[::-1].copy()[::-1], row, out=spaced[:, :columns]),
            aclhost.ger(column, row, out=np.zeros((columns, 75), kind).T),
        ]
    for result in results:
        np.testing.assert_allclose(
            result.astype("c16"), expected.astype("c16"), rtol=1e-6 if kind == "c8" else 0
        )
    assert not spaced[:, columns:].any()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
@pytest.mark.parametrize("step", [1, 3])
def test_products_of_integers_wrap(dtype: str, step: int) -> None:
    numbers = np.random.default_rng(5).integers(0, 256, (2, 9000)).astype(dtype)
    a, b = numbers[0, ::step], numbers[1, ::step]
    wanted = (a.astype(np.int64) * b.astype(np.int64)).sum().astype(dtype)
    assert aclhost.dot(a, b) == wanted


@pytest.mark.parametrize("k", [16, 256, 4096, 100_000])
@pytest.mark.parametrize("shape", [(40, 50), (1, 60), (64, 3)])
def test_accuracy_by_length_of_sums(shape: tuple[int, int], k: int) -> None:
    rng = np.random.default_rng(k)
    a, b = rng.normal(size=(shape[0], k)).astype("f4"), rng.normal(size=(k, shape[1])).astype("f4")
    terms = np.abs(a).astype(float) @ np.abs(b).astype(float)
    error = np.abs(aclhost.mm(a, b) - a.astype(float) @ b.astype(float))
    assert np.max(error / terms) <= 4 * 2**-24


def test_a_weight_is_relabelled(stream: int) -> None:
    """As upstream: phase 1 sets the storage's format and shape, the view keeps its own."""
    op = ops.BY_NAME["aclnnTransMatmulWeight"]
    for dtype, shape, blocks in (
        (FLOAT16, (33, 20), [2, 3, 16, 16]),
        (INT8, (2, 33, 20), [2, 1, 3, 16, 32]),
    ):
        call = op.samples[0].passing(mmWeightRef=TensorArg(shape, dtype))
        with abi.prepared_call(op, call) as prepared:
            before = prepared.inputs()["mmWeightRef"]
            tensor = prepared.handles["mmWeightRef"]
            size, executor, status = abi.phase_one(op, prepared)
            assert status == 0
            assert aclnn.aclGetStorageShape(tensor) == (blocks, 0)
            assert aclnn.aclGetViewShape(tensor) == (list(shape), 0)
            assert aclnn.aclGetFormat(tensor) == (2, 0)
            assert abi.phase_one(op, prepared)[-1] == 161002  # FRACTAL_NZ already
            with abi.workspace(size) as address:
                abi.ok(abi.phase_two(op, executor, stream, address, size))
                abi.ok(acl.rt.synchronize_stream(stream))
            assert np.array_equal(prepared.fetch("mmWeightRef"), before)


@pytest.mark.parametrize(
    ("shape", "dtype", "elements"),
    [((3, 17), 1, 16 * 32), ((2, 3, 17), 27, 2 * 16 * 32), ((3, 33), 2, 16 * 64)],
)
def test_size_of_a_weight(shape: tuple[int, ...], dtype: int, elements: int) -> None:
    array = aclnn.aclCreateIntArray(shape, len(shape))
    size = ctypes.c_uint64()
    function = _capi.library().aclnnCalculateMatmulWeightSizeV2
    assert function(ctypes.c_void_p(array), dtype, ctypes.byref(size)) == 0
    assert size.value == elements
    assert function(None, dtype, ctypes.byref(size)) == 161001
    aclnn.aclDestroyIntArray(array)


def test_weights_of_4_bits(stream: int) -> None:
    """As a client lays them out: transposed, behind an offset that the storage leaves out.

    Memory full of 0xA5 holds 5 and -6 in turns, the lower half of a byte first.
    """
    op, (m, k, n) = ops.BY_NAME["aclnnWeightQuantBatchMatmulV2"], (2, 64, 3)
    scales = (0.5, 2.0, 1.0, 4.0, 0.25, 1.0)  # of a column's two groups, column by column
    call = op.samples[0].passing(
        x=TensorArg((m, k), FLOAT16, (*range(k), *(k * (1,)))),
        weight=TensorArg((k, n), INT4, strides=(1, k), offset=2 * k, storage=k * n),
        antiquantScale=TensorArg((2, n), FLOAT16, tuple(np.reshape(scales, (n, 2)).T.ravel()),
                                 strides=(1, 2)),
        antiquantGroupSize=32,
        y=TensorArg((m, n), FLOAT16),
    )  # fmt: skip
    with abi.prepared_call(op, call) as prepared:
        x = prepared.inputs()["x"].astype(float)
        abi.run(op, prepared, stream)
        got = prepared.fetch("y").astype(float)
    weight = np.tile([5.0, -6.0], k // 2)[:, None] * np.repeat(np.reshape(scales, (n, 2)).T, 32, 0)
    assert np.array_equal(got, (x @ weight).astype("f2"))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("n", [8, 56, 64, 72, 136])
def test_quantised_weights_by_rows_and_columns(n: int, packed: bool) -> None:
    rng, k = np.random.default_rng(n), 96
    weight = rng.integers(-8, 8, size=(k, n)).astype("i1")
    scales, offsets = (rng.integers(1, 5, size=(3, n)).astype("f2") for _ in range(2))
    x = rng.integers(-3, 4, size=(5, k)).astype("f2")
    exact = x.astype(float) @ ((weight + np.repeat(offsets, 32, 0)) * np.repeat(scales, 32, 0))
    rows, columns = weight, turned(weight)
    if packed:  # eight in each INT32, the first in the lowest bits
        bits = (weight.astype("u4") & 15) << (4 * np.arange(n, dtype="u4") % 32)
        rows = np.bitwise_or.reduce(bits.reshape(k, n // 8, 8), -1).view("i4")
        bits = (weight.astype("u4") & 15) << (4 * np.arange(k, dtype="u4")[:, None] % 32)
        columns = turned(np.bitwise_or.reduce(bits.reshape(k // 8, 8, n), 1).view("i4"))
    for each in (rows, columns):
        got = aclhost.weight_quant_batch_matmul_v2(
            x, each, scales, antiquant_offset_optional=offsets, antiquant_group_size=32
        )
        assert np.array_equal(got, exact.astype("f2"))


def test_no_memory_on_several_threads_is_an_error() -> None:
    """OpenBLAS would end the process."""
    assert said(WITHOUT_MEMORY, ACLHOST_BLAS="plain", ACLHOST_NUM_THREADS="3") == "ended\n"

# SPDX-License-Identifier: Apache-2.0
"""Products of two matrices, with batches or without, and of a matrix and a vector."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul.build import (
    CUBE,
    NOTES,
    call_of,
    cube,
    drawn_length,
    drawn_tensor,
    is_empty,
    is_nz,
    not_nz,
    readable,
    result_shape,
    same_length,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.matrices import BatchesFit, ProductShape
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when,
    done_when_empty,
    inner,
    not_null,
    rank_at_least,
    rank_at_most,
    rank_in,
    requires,
    same_dtype,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameCount, ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Equal,
    If,
    Not,
    Or,
    RankOf,
    any_of,
    const,
    promoted,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
Rules = tuple[Rule, ...]
Shape = tuple[int, ...]
_TERMS = ("self", "mat2")
_NEW = promoted("self", "mat2")


def _golden(self: Array, mat2: Array, cube_math_type: int) -> Array:
    import numpy as np

    product: Array = np.matmul(self, mat2)
    return product


def _torch(torch: Torch, self: Torch, mat2: Torch, cube_math_type: int) -> Torch:
    return torch.matmul(self, mat2)


def _call(self: Shape, mat2: Shape, out: Shape, dtype: DataType = FLOAT, **changes: object) -> Call:
    tensors = {
        name: TensorArg(shape, dtype)
        for name, shape in (("self", self), ("mat2", mat2), ("out", out))
    }
    return call_of(**{**tensors, "cubeMathType": 0, **changes})


def _drawn(rng: Random, self: Shape, mat2: Shape, out: Shape) -> Call:
    return call_of(
        self=drawn_tensor(rng, self),
        mat2=drawn_tensor(rng, mat2),
        out=drawn_tensor(rng, out),
        cubeMathType=rng.randint(-1, 4),
    )


def _typical(n: int) -> Call:
    rows = max(n // 256, 1)
    return _call((rows, 256), (256, 256), (rows, 256))


def _drawn_mm(rng: Random) -> Call:
    m, n, k = (drawn_length(rng) for _ in range(3))
    return _drawn(rng, (m, k), (k, n), (m, n))


_MM = Operator(
    "aclnnMm",
    summary="The product of two matrices.",
    formula="`out = self @ mat2`",
    params=(
        TensorIn("self", "[m, k]."),
        TensorIn("mat2", "[k, n]."),
        TensorOut("out", "[m, n].", shape=result_shape("self", "mat2"), dtype=_NEW),
        CUBE,
    ),
    checks=(
        not_null("out", "self", "mat2"),
        cube("self", "mat2", "out"),
        rank_in("mat2", 2),
        rank_in("self", 2),
        same_length("self", Const(1), "mat2", Const(0)),
        shape_is("out", result_shape("self", "mat2"), "[rows of self, columns of mat2]"),
        done_when_empty("out"),
        readable("aclnnMm", "self", "mat2"),
    ),
    golden=_golden,
    reference=_torch,
    summed=_TERMS,
    ulps=4,
    draw=_drawn_mm,
    typical=_typical,
    samples=(
        _call((2, 3), (3, 4), (2, 4)),
        _call((5, 2), (2, 3), (5, 3), FLOAT16),
        _call((1, 4), (4, 1), (1, 1), BF16),
        _call((2, 0), (0, 3), (2, 3)),
    ),
    notes=NOTES,
)


def _drawn_bmm(rng: Random) -> Call:
    m, n, k = (drawn_length(rng) for _ in range(3))
    batch = rng.randint(1, 5)
    first, second = rng.choice(((batch, batch), (1, batch), (batch, 1)))
    return _drawn(rng, (first, m, k), (second, k, n), (batch, m, n))


def _batch() -> Lengths:
    first, second = DimOf("self", Const(0)), DimOf("mat2", Const(0))
    larger = If(AtMost(second, first), first, second)
    return Lengths((larger, DimOf("self", Const(1)), DimOf("mat2", Const(2))))


def _same_batches() -> Rules:
    first, second = DimOf("self", Const(0)), DimOf("mat2", Const(0))
    ones = Or(Equal(first, Const(1)), Equal(second, Const(1)))
    return requires(
        "same_batches", "mat2", Or(Equal(first, second), ones),
        "mat2 must have as many matrices as self, or one of them must have one",
        (Shown("shape", ShapeOf("self")), " and ", Shown("shape", ShapeOf("mat2"))),
        "Repeat a single matrix, or none.",
    )  # fmt: skip


def _whole_blocks() -> Rules:
    ones = Or(*(Equal(DimOf("mat2", Const(axis)), Const(1)) for axis in (1, 2)))
    return requires(
        "whole_blocks", "mat2", Not(And(is_nz("mat2"), ones)),
        "mat2 with the format FRACTAL_NZ must have several rows and columns",
        (Shown("shape", ShapeOf("mat2")),), "Use ND for vectors.",
    )  # fmt: skip


_NO_PRODUCT = Condition(
    any_of(*(
        Equal(DimOf(name, Const(axis)), Const(0))
        for name, axis in (("self", 0), ("self", 1), ("mat2", 2))
    )),
    "there are no batches, rows or columns",
)  # fmt: skip
_BATCHED = Operator(
    "aclnnBatchMatMul",
    summary="The products of matrices in pairs.",
    formula="`out[i] = self[i] @ mat2[i]`; a single matrix counts for all i",
    params=(
        TensorIn("self", "[b, m, k] or [1, m, k]."),
        TensorIn("mat2", "[b, k, n] or [1, k, n]."),
        TensorOut("out", "[b, m, n].", shape=_batch(), dtype=_NEW),
        CUBE,
    ),
    checks=(
        not_null("self", "mat2", "out"),
        cube("self", "mat2", "out"),
        *(rank_in(name, 3) for name in ("self", "mat2", "out")),
        _whole_blocks(),
        same_length("self", Const(2), "mat2", Const(1)),
        _same_batches(),
        shape_is("out", _batch(), "[batches, rows of self, columns of mat2]"),
        not_nz("self", "out"),
        done_when(_NO_PRODUCT),
        readable("aclnnBatchMatMul", "self", "mat2"),
    ),
    golden=_golden,
    reference=_torch,
    summed=_TERMS,
    ulps=4,
    draw=_drawn_bmm,
    typical=lambda n: _call(
        (max(n // 4096, 1), 64, 64), (max(n // 4096, 1), 64, 64), (max(n // 4096, 1), 64, 64)
    ),
    samples=(
        _call((2, 3, 4), (2, 4, 2), (2, 3, 2)),
        _call((1, 2, 3), (4, 3, 2), (4, 2, 2), FLOAT16),
        _call((3, 2, 2), (1, 2, 5), (3, 2, 5), BF16),
    ),
    notes=NOTES,
)

_SUMMED = If(AtMost(RankOf("mat2"), Const(2)), Const(0), Const(-2))


def _drawn_matmul(rng: Random) -> Call:
    m, n, k = (drawn_length(rng) for _ in range(3))
    batches = tuple(rng.randint(1, 3) for _ in range(rng.choice((0, 0, 1, 2, 4))))
    first, second = (
        tuple(rng.choice((1, length)) for length in batches)[rng.randint(0, len(batches)) :]
        for _ in range(2)
    )
    self = (k,) if rng.random() < 0.2 else (*first, m, k)
    mat2 = (k,) if rng.random() < 0.2 else (*second, k, n)
    described = call_of(self=TensorArg(self), mat2=TensorArg(mat2))
    return _drawn(rng, self, mat2, ProductShape("self", "mat2").evaluate(described))


def _same_16_bits() -> Rules:
    other = If(Equal(DtypeOf("self"), const(FLOAT16)), const(BF16), const(FLOAT16))
    halves = Or(Equal(DtypeOf("self"), const(FLOAT16)), Equal(DtypeOf("self"), const(BF16)))
    return requires(
        "same_dtype", "mat2", Not(And(is_nz("mat2"), And(halves, Equal(DtypeOf("mat2"), other)))),
        "mat2 with the format FRACTAL_NZ must not be BF16 beside FLOAT16, nor the other way round",
        (Shown("dtype", DtypeOf("self")), " and ", Shown("dtype", DtypeOf("mat2"))),
        "Cast mat2 before aclnnTransMatmulWeight.",
    )  # fmt: skip


_HAS_TERMS = Condition(Not(is_empty("self", "mat2").term), "neither self nor mat2 is empty")
_MATMUL = Operator(
    "aclnnMatmul",
    summary="The product of matrices or vectors, with batches that broadcast.",
    formula="`out = self @ mat2`; self of one dimension is a row, mat2 of one dimension a column, "
    "and the result has no dimension for it",
    params=(
        TensorIn("self", "[..., m, k] or [k]."),
        TensorIn("mat2", "[..., k, n] or [k]."),
        TensorOut("out", "[..., m, n].", shape=ProductShape("self", "mat2"), dtype=_NEW),
        CUBE,
    ),
    checks=(
        not_null("self", "mat2", "out"),
        cube("self", "mat2", "out"),
        _same_16_bits(),
        rank_at_most("self", 6),
        rank_at_most("mat2", 6),
        rank_at_least("self", 1),
        rank_at_least("mat2", 1),
        same_length("self", Const(-1), "mat2", _SUMMED),
        requires(
            "broadcastable", "mat2", BatchesFit("self", "mat2"),
            "all but the last two dimensions of mat2 must broadcast with those of self",
            (Shown("shape", ShapeOf("self")), " and ", Shown("shape", ShapeOf("mat2"))),
            "Aligned at the right, dimensions must be equal or one of them 1.",
        ),
        not_nz("self", "out"),
        done_when(Condition(
            And(is_empty("out").term, is_empty("self", "mat2").term),
            "out and one of the factors are empty",
        )),
        readable("aclnnMatmul", "self", "mat2"),
        inner(when(_HAS_TERMS, requires(
            "same_count", "out", SameCount(ShapeOf("out"), ProductShape("self", "mat2")),
            "out must have as many elements as the product",
            (Shown("shape", ShapeOf("out")), " instead of ",
             Shown("shape", ProductShape("self", "mat2"))),
            "Create out with that shape.",
        ))),
    ),
    golden=_golden,
    reference=_torch,
    summed=_TERMS,
    ulps=4,
    draw=_drawn_matmul,
    typical=_typical,
    samples=(
        _call((2, 3), (3, 4), (2, 4)),
        _call((2, 3, 4), (4, 2), (2, 3, 2), FLOAT16),
        _call((3,), (3,), (), BF16),
        _call((3, 1, 2, 4), (2, 4, 3), (3, 2, 2, 3)),
        _call((4,), (2, 4, 3), (2, 3)),
        _call((2, 0), (0, 3), (2, 3)),
    ),
    notes=(
        *NOTES,
        "A result of another shape with as many elements is filled in row-major order; where a "
        "factor is empty, a result of any shape becomes 0.",
    ),
)  # fmt: skip


def _drawn_mv(rng: Random) -> Call:
    m, k = drawn_length(rng), drawn_length(rng)
    mat = drawn_tensor(rng, (m, k))
    return call_of(
        self=mat,
        vec=TensorArg((k,), mat.dtype),
        out=TensorArg((m,), mat.dtype),
        cubeMathType=rng.randint(-1, 4),
    )


def _mv_call(m: int, k: int, dtype: DataType = FLOAT) -> Call:
    return call_of(
        self=TensorArg((m, k), dtype), vec=TensorArg((k,), dtype), out=TensorArg((m,), dtype),
        cubeMathType=0,
    )  # fmt: skip


def _golden_mv(self: Array, vec: Array, cube_math_type: int) -> Array:
    import numpy as np

    return np.asarray(np.matmul(self, vec))


_HAS_MATRIX = Condition(Not(is_empty("self").term), "self is not empty")
_MV = Operator(
    "aclnnMv",
    summary="The product of a matrix and a vector.",
    formula="`out = self @ vec`",
    params=(
        TensorIn("self", "[n, m]."),
        TensorIn("vec", "[m]."),
        TensorOut("out", "[n].", shape=Lengths((DimOf("self", Const(0)),)), dtype=DtypeOf("vec")),
        CUBE,
    ),
    checks=(
        not_null("self", "vec", "out"),
        same_dtype("out", "vec"),
        when(_HAS_MATRIX, same_dtype("self", "vec")),
        cube("self", "vec"),
        rank_in("self", 2),
        rank_in("vec", 1),
        rank_in("out", 1),
        shape_is("vec", Lengths((DimOf("self", Const(1)),)), "[columns of self]"),
        shape_is("out", Lengths((DimOf("self", Const(0)),)), "[rows of self]"),
        done_when_empty("out"),
        readable("aclnnMv", others=("self", "vec")),
    ),
    golden=_golden_mv,
    reference=lambda torch, self, vec, cube_math_type: torch.mv(self, vec),
    summed=("self", "vec"),
    ulps=4,
    draw=_drawn_mv,
    typical=lambda n: _mv_call(max(n // 512, 1), 512),
    samples=(
        _mv_call(2, 3), _mv_call(4, 1, FLOAT16), _mv_call(1, 5, BF16), _mv_call(2, 0),
    ),
    notes=NOTES,
)  # fmt: skip

OPS = (_MM, _BATCHED, _MATMUL, _MV)

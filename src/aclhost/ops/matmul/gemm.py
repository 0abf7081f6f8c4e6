# SPDX-License-Identifier: Apache-2.0
"""The product of two matrices, each as it is or transposed, added to a third."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul.build import (
    CUBE,
    NOTES,
    call_of,
    cube_math_type,
    drawn_length,
    drawn_tensor,
    readable,
)
from aclhost.ops.pointwise.declare import NEW_BF16
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import ND
from aclhost.spec.matrices import BroadcastOf, ShapesBroadcast
from aclhost.spec.operator import Operator
from aclhost.spec.params import Float, Int, TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when,
    dtype_in,
    format_in,
    inner,
    not_null,
    rank_in,
    requires,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf
from aclhost.spec.terms import (
    Const,
    DimOf,
    DtypeOf,
    Empty,
    Equal,
    If,
    Not,
    RealIs,
    Term,
    ValueOf,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
Shape = tuple[int, ...]
_TENSORS = ("A", "B", "C", "out")


def _length(matrix: str, axis: int) -> Term:
    """A length of a factor as it is multiplied."""
    return If(ValueOf(f"trans{matrix}"), DimOf(matrix, Const(1 - axis)), DimOf(matrix, Const(axis)))


_M, _N = _length("A", 0), _length("B", 1)
_PRODUCT = Lengths((_M, _N))
_NOTHING = any_of(Equal(_M, Const(0)), Equal(_N, Const(0)))
_OUT = (Shown("shape", ShapeOf("out")), " for ", Shown("shape", _PRODUCT))


def _fits() -> Rules:
    """C may be larger than the product; what it would then be added to is found too late."""
    reads_c = Condition(RealIs("beta", "!=", 0.0), "beta is not 0")
    shapes = (Shown("shape", ShapeOf("C")), " for ", Shown("shape", _PRODUCT))
    return inner(
        shape_is("out", _PRODUCT, "[rows of A, columns of B]"),
        when(reads_c, requires(
            "broadcastable", "C", SameShape(BroadcastOf(ShapeOf("C"), _PRODUCT), _PRODUCT),
            "C must broadcast to the shape of the product", shapes, "Cut C.",
        )),
    )  # fmt: skip


def _shapes() -> Rules:
    factors = (Shown("shape", ShapeOf("A")), " and ", Shown("shape", ShapeOf("B")))
    something = Condition(Not(_NOTHING), "the product is not empty")
    first, second = (DimOf("out", Const(axis)) for axis in (0, 1))
    return (
        *rank_in("A", 2),
        *rank_in("B", 2),
        *requires(
            "same_length", "B", Equal(_length("A", 1), _length("B", 0)),
            "B must have as many rows as A has columns, after they are transposed", factors,
            "Correct transA, transB or a shape.",
        ),
        *requires(
            "broadcastable", "C", ShapesBroadcast(ShapeOf("C"), _PRODUCT),
            "C must broadcast with the product",
            (Shown("shape", ShapeOf("C")), " and ", Shown("shape", _PRODUCT)),
            "Aligned at the right, dimensions must be equal or one of them 1.",
        ),
        *when(Condition(_NOTHING, "the product is empty"), requires(
            "empty", "out", Empty("out"), "out must be empty", _OUT, "Create out likewise.",
        )),
        *when(something, requires(
            "out_lengths", "out", all_of(Equal(first, _M), Equal(second, _N)),
            "the first lengths of out must be those of the product", _OUT,
            "Create out with the shape of the product.",
        )),
    )  # fmt: skip


def _golden(
    a: Array, b: Array, c: Array, alpha: float, beta: float, trans_a: int, trans_b: int,
    **others: Any,  # noqa: ANN401
) -> Array:  # fmt: skip
    import numpy as np

    first, second = a.T if trans_a else a, b.T if trans_b else b
    shape = (first.shape[0], second.shape[1])
    product = alpha * np.matmul(first, second) if alpha else np.zeros(shape)
    return np.asarray(product + (beta * c if beta else 0.0))


def _terms(alpha: float, beta: float, **others: Any) -> Array:  # noqa: ANN401
    return _golden(alpha=abs(alpha), beta=abs(beta), **others)


def _torch(torch: Any, a: Any, b: Any, c: Any, **others: Any) -> Any:  # noqa: ANN401
    first, second = a.T if others["trans_a"] else a, b.T if others["trans_b"] else b
    return torch.addmm(c, first, second, beta=others["beta"], alpha=others["alpha"])


def _call(
    lengths: tuple[int, int, int], c: Shape, dtype: DataType = FLOAT, *,
    factors: tuple[float, float] = (1.0, 1.0), turned: tuple[int, int] = (0, 0),
) -> Call:  # fmt: skip
    m, n, k = lengths
    return call_of(
        A=TensorArg((k, m) if turned[0] else (m, k), dtype),
        B=TensorArg((n, k) if turned[1] else (k, n), dtype),
        C=TensorArg(c, dtype), alpha=factors[0], beta=factors[1], transA=turned[0],
        transB=turned[1], out=TensorArg((m, n), dtype), cubeMathType=0,
    )  # fmt: skip


def _draw(rng: Random) -> Call:
    m, n, k = (drawn_length(rng) for _ in range(3))
    c = rng.choice(((m, n), (n,), (1, n), (m, 1), (1,)))
    turned = (rng.choice((0, 1)), rng.choice((0, 2)))
    alpha, beta = (rng.choice((0.0, 1.0, eighths(rng, -3, 3))) for _ in range(2))
    call = _call((m, n, k), c, factors=(alpha, beta), turned=turned)
    dtypes = {name: drawn_tensor(rng, call.shape(name)) for name in _TENSORS}
    return call.passing(**dtypes, cubeMathType=rng.randint(-1, 4))


OP = Operator(
    "aclnnGemm",
    summary="Adds the product of two matrices, each as it is or transposed.",
    formula="`out = alpha * (A @ B) + beta * C`",
    params=(
        TensorIn("A", "[m, k], or [k, m] if transA is not 0."),
        TensorIn("B", "[k, n], or [n, k] if transB is not 0."),
        TensorIn("C", "What the product is added to; broadcasts."),
        Float("alpha", "Factor of the product.", default=1.0),
        Float("beta", "Factor of C.", default=1.0),
        Int("transA", "Whether A is transposed.", default=0),
        Int("transB", "Whether B is transposed.", default=0),
        TensorOut("out", "[m, n].", shape=_PRODUCT, dtype=DtypeOf("C")),
        CUBE,
    ),
    checks=(
        not_null("C", "A", "B", "out"),
        *(dtype_in(name, FLOAT, FLOAT16, NEW_BF16) for name in _TENSORS),
        _shapes(),
        cube_math_type("A", "B"),
        *(format_in(name, ND) for name in _TENSORS),
        done_when(Condition(any_of(Empty("C"), _NOTHING), "C or the product is empty")),
        readable("aclnnGemm", "A", "B", others=("C",)),
        _fits(),
    ),
    golden=_golden,
    terms=_terms,
    reference=_torch,
    summed=("A", "B", "C"),
    ulps=4,
    draw=_draw,
    typical=lambda n: _call((max(n // 256, 1), 256, 256), (256,)),
    samples=(
        _call((2, 4, 3), (2, 4)),
        _call((2, 4, 3), (4,), FLOAT16, factors=(0.5, 2.0), turned=(1, 0)),
        _call((3, 2, 5), (3, 1), BF16, factors=(1.0, 0.0), turned=(1, 1)),
        _call((2, 3, 0), (2, 3), factors=(1.0, 0.5)),
    ),
    notes=(
        *NOTES,
        "Where beta is 0, C is not read; where alpha is 0, the factors are not.",
    ),
)

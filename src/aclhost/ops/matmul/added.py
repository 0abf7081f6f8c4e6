# SPDX-License-Identifier: Apache-2.0
"""Products of matrices added to a tensor, each with its in-place twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul.build import (
    CUBE,
    NOTES,
    call_of,
    cube,
    drawn_factor,
    drawn_length,
    drawn_tensor,
    given,
    not_nz,
    readable,
    result_shape,
    same_length,
)
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.matrices import BatchesFit, BroadcastOf, ProductShape, ShapesBroadcast
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar, TensorIn, TensorInOut, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    done_when,
    inner,
    rank_at_least,
    rank_at_most,
    rank_in,
    requires,
    same_format,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf, ShapeTerm
from aclhost.spec.terms import Const, DimOf, DtypeOf, Empty, Equal, Not, Or, Term, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
Rules = tuple[Rule, ...]
Shape = tuple[int, ...]
Checks = tuple[tuple[Step, ...], ...]
_NOTES = (
    *NOTES,
    "Where beta is 0, the addend is not read; where alpha is 0, the factors are not.",
)


def _golden(product: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    """Factors of 0 leave out what they multiply, NaN included."""

    def golden(beta: float, alpha: float, cube_math_type: int, **tensors: Array) -> Array:
        import numpy as np

        addend, first, second = tensors.values()
        result = np.multiply(product(first, second), alpha) if alpha else 0.0
        shape = product(np.zeros_like(first), np.zeros_like(second)).shape
        return np.asarray(np.broadcast_to(result + (beta * addend if beta else 0.0), shape))

    return golden


def _terms(golden: Callable[..., Array]) -> Callable[..., Array]:
    """The same where factors have no signs."""

    def terms(beta: float, alpha: float, **others: Any) -> Array:  # noqa: ANN401
        return golden(beta=abs(beta), alpha=abs(alpha), **others)

    return terms


@dataclass(frozen=True)
class _Sum:
    """What is special about one of them."""

    name: str  # in-place: aclnnInplace<name>
    summary: str
    formula: str
    factors: tuple[str, str]
    checks: Callable[[str, str, str], Checks]  # of the operator, the addend and the result
    product: Callable[[Array, Array], Array]
    reference: str
    draw: Callable[[Random], tuple[Shape, Shape, Shape, Shape]]  # addend, factors, result
    samples: tuple[tuple[Shape, Shape, Shape, Shape], ...]
    typical: Callable[[int], tuple[Shape, Shape, Shape, Shape]]
    shape: ShapeTerm
    same_dtype: bool = False  # of addend and result


def _tensors(row: _Sum, shapes: tuple[Shape, ...], dtypes: tuple[DataType, ...]) -> dict[str, Any]:
    names = ("self", *row.factors, "out")
    return {
        name: TensorArg(shape, dtype)
        for name, shape, dtype in zip(names, shapes, dtypes, strict=True)
    }


def _call(
    row: _Sum, tensors: dict[str, Any], twin: bool, beta: ScalarArg, alpha: ScalarArg, kind: int
) -> Call:
    if twin:
        tensors = {**tensors, "selfRef": tensors["out"]}
        del tensors["self"], tensors["out"]
    names = [param.name for param in known(_name(row, twin)).params]
    found = {**tensors, "beta": beta, "alpha": alpha, "cubeMathType": kind}
    return call_of(**{name: found[name] for name in names})


def _name(row: _Sum, twin: bool) -> str:
    return f"aclnn{'Inplace' if twin else ''}{row.name}"


def _drawn(row: _Sum, twin: bool) -> Callable[[Random], Call]:
    def draw(rng: Random) -> Call:
        shapes = row.draw(rng)
        dtypes = [drawn_tensor(rng, ()).dtype for _ in shapes]
        if row.same_dtype or twin:
            dtypes[0] = dtypes[-1]
        tensors = _tensors(row, shapes, tuple(dtypes))
        kind = rng.randint(-1, 4)
        return _call(row, tensors, twin, drawn_factor(rng), drawn_factor(rng), kind)

    return draw


def _params(row: _Sum, twin: bool) -> tuple[Parameter, ...]:
    addend: Parameter = TensorIn("self", "What the product is added to; broadcasts.")
    if twin:
        addend = TensorInOut(
            "selfRef", "What the product is added to, overwritten with the result.",
            is_const=row.name != "Addbmm",
        )  # fmt: skip
    out = TensorOut("out", "Result.", shape=row.shape, dtype=DtypeOf("self"))
    return (
        addend,
        TensorIn(row.factors[0], "First factor."),
        TensorIn(row.factors[1], "Second factor."),
        Scalar("beta", "Factor of the addend.", default=1.0),
        Scalar("alpha", "Factor of the product.", default=1.0),
        *(() if twin else (out,)),
        CUBE,
    )


def _declare(row: _Sum, twin: bool) -> Operator:
    name, addend = _name(row, twin), "selfRef" if twin else "self"
    golden = _golden(row.product)

    def made(shapes: tuple[Shape, ...], dtype: DataType = FLOAT, beta: float = 1.0) -> Call:
        factors = ScalarArg(beta), ScalarArg(1.0 if beta == 1.0 else 0.5)
        return _call(row, _tensors(row, shapes, (dtype,) * 4), twin, *factors, 0)

    def reference(torch: Torch, beta: float, alpha: float, **tensors: Torch) -> Torch:
        values = [each for name, each in tensors.items() if name != "cube_math_type"]
        if values[1].ndim == 3 and len(values[1]) != len(values[2]):
            return NotImplemented  # nothing is broadcast there
        return getattr(torch, row.reference)(*values, beta=beta, alpha=alpha)

    return Operator(
        name,
        summary=f"{row.summary}{', in place' if twin else ''}.",
        formula=f"`{addend if twin else 'out'} = beta * {addend} + alpha * {row.formula}`",
        params=_params(row, twin),
        checks=row.checks(name, addend, addend if twin else "out"),
        golden=golden,
        terms=_terms(golden),
        reference=reference,
        summed=(addend, *row.factors),
        ulps=4,
        draw=_drawn(row, twin),
        typical=lambda n: made(row.typical(n)),
        samples=(
            made(row.samples[0]),
            made(row.samples[0], FLOAT16, 0.5),
            made(row.samples[0], BF16, 0.0),
            *map(made, row.samples[1 : 2 if twin else None]),
        ),
        notes=_NOTES,
    )


def _no_rows(first: str, second: str) -> Term:
    """The product has no elements, batches aside."""
    return Or(Equal(DimOf(first, Const(-2)), Const(0)), Equal(DimOf(second, Const(-1)), Const(0)))


def _fits(addend: str, product: ShapeTerm) -> Rules:
    """The addend broadcasts with the product."""
    return requires(
        "broadcastable", addend, ShapesBroadcast(ShapeOf(addend), product),
        f"{addend} must broadcast with the product",
        (Shown("shape", ShapeOf(addend)), " and ", Shown("shape", product)),
        "Aligned at the right, dimensions must be equal or one of them 1.",
    )  # fmt: skip


def _no_larger(addend: str, product: ShapeTerm) -> Rules:
    return requires(
        "broadcastable", addend, SameShape(BroadcastOf(ShapeOf(addend), product), product),
        f"{addend} must broadcast to the shape of the product",
        (Shown("shape", ShapeOf(addend)), " for ", Shown("shape", product)),
        f"Cut {addend}.",
    )  # fmt: skip


def _addmm_checks(name: str, addend: str, out: str) -> Checks:
    product = result_shape("mat1", "mat2")
    nothing = Condition(_no_rows("mat1", "mat2"), "mat1 has no rows or mat2 no columns")
    something = Condition(Not(nothing.term), "mat1 has rows and mat2 has columns")
    twin = addend == out
    return (
        given(addend, "mat1", "mat2", "beta", "alpha", out),
        cube("mat1", "mat2", addend, out, late=True),
        rank_in("mat1", 2),
        rank_in("mat2", 2),
        same_length("mat1", Const(1), "mat2", Const(0)),
        not_nz(addend),
        rank_at_most(addend, 2),
        rank_at_least(addend, 1),
        _fits(addend, product),
        when(nothing, requires(
            "empty", out, Empty(out), f"{out} must be empty", (Shown("shape", ShapeOf(out)),),
            f"Create {out} with the shape of the product.",
        )),
        when(something, shape_is(out, product, "[rows of mat1, columns of mat2]")),
        done_when(Condition(Or(Empty(addend), nothing.term), f"{addend} or the product is empty")),
        readable(name, "mat1", "mat2", others=(addend,)),
        () if twin else inner(_no_larger(addend, product)),
    )  # fmt: skip


def _lengths(rng: Random) -> tuple[int, int, int]:
    return drawn_length(rng), drawn_length(rng), drawn_length(rng)


def _addend(rng: Random, shape: Shape) -> Shape:
    """One that broadcasts to the shape."""
    part = shape[rng.randint(0, len(shape) - 1) :]
    return shape if 0 in shape else tuple(rng.choice((1, each, each)) for each in part)


def _draw_addmm(rng: Random) -> tuple[Shape, Shape, Shape, Shape]:
    m, n, k = _lengths(rng)
    return _addend(rng, (m, n)), (m, k), (k, n), (m, n)


def _matmul(first: Array, second: Array) -> Array:
    import numpy as np

    product: Array = np.matmul(first, second)
    return product


_ADDMM = _Sum(
    "Addmm", "Adds the product of two matrices", "(mat1 @ mat2)", ("mat1", "mat2"),
    _addmm_checks, _matmul, "addmm", _draw_addmm,
    (((2, 4), (2, 3), (3, 4), (2, 4)), ((1, 4), (1, 3), (3, 4), (1, 4)),
     ((4,), (2, 3), (3, 4), (2, 4)),
     ((2, 1), (2, 0), (0, 3), (2, 3))),
    lambda n: ((n // 256 + 1, 256), (n // 256 + 1, 256), (256, 256), (n // 256 + 1, 256)),
    result_shape("mat1", "mat2"),
)  # fmt: skip


def _batched(first: str, second: str) -> ShapeTerm:
    """As many matrices as the first factor has."""
    return Lengths((DimOf(first, Const(0)), DimOf(first, Const(1)), DimOf(second, Const(2))))


def _batches(first: str, second: str) -> Rules:
    return (
        *rank_in(first, 3),
        *rank_in(second, 3),
        *same_length(first, Const(2), second, Const(1)),
        *requires(
            "broadcastable", second, BatchesFit(first, second),
            f"{second} must have as many matrices as {first}, or one of them must have one",
            (Shown("shape", ShapeOf(first)), " and ", Shown("shape", ShapeOf(second))),
            "Repeat a single matrix, or none.",
        ),
    )  # fmt: skip


def _both_empty(addend: str, nothing: Term) -> Rules:
    return requires(
        "both_empty", addend, Equal(Empty(addend), nothing),
        f"{addend} must be empty where the product is, and only there",
        (Shown("shape", ShapeOf(addend)),), f"Create {addend} with the shape of the product.",
    )  # fmt: skip


def _baddbmm_checks(name: str, addend: str, out: str) -> Checks:
    first, second = "batch1", "batch2"
    product = _batched(first, second)
    nothing = any_of(Equal(DimOf(first, Const(0)), Const(0)), _no_rows(first, second))
    return (
        given(addend, first, second, "beta", "alpha", out),
        cube(first, second, addend, out, late=True),
        _batches(first, second),
        _both_empty(addend, nothing),
        _fits(addend, product),
        shape_is(out, BroadcastOf(ShapeOf(addend), product), "to which addend and product fit"),
        _no_larger(addend, product),
        same_format(second, first),
        same_format(out, first),
        done_when(Condition(nothing, "the product is empty")),
        readable(name, first, second, others=(addend,)),
        inner(shape_is(out, ProductShape(first, second), "of the product")),
    )


def _draw_baddbmm(rng: Random) -> tuple[Shape, Shape, Shape, Shape]:
    m, n, k = _lengths(rng)
    batch = rng.randint(1, 4)
    out = (batch, m, n)
    return _addend(rng, out), (batch, m, k), (rng.choice((1, batch)), k, n), out


_BADDBMM = _Sum(
    "Baddbmm", "Adds the products of matrices in pairs", "(batch1 @ batch2)", ("batch1", "batch2"),
    _baddbmm_checks, _matmul, "baddbmm", _draw_baddbmm,
    (((2, 3, 4), (2, 3, 2), (2, 2, 4), (2, 3, 4)), ((1, 3, 4), (1, 3, 2), (1, 2, 4), (1, 3, 4)),
     ((4,), (2, 3, 2), (1, 2, 4), (2, 3, 4)),
     ((2, 1, 3), (2, 2, 0), (2, 0, 3), (2, 2, 3))),
    lambda n: ((n // 4096 + 1, 64, 64),) * 4,
    ProductShape("batch1", "batch2"),
)  # fmt: skip


def _addbmm_checks(name: str, addend: str, out: str) -> Checks:
    first, second = "batch1", "batch2"
    product, nothing = result_shape(first, second), _no_rows(first, second)
    twin = addend == out
    return (
        given(addend, first, second, "beta", "alpha", out),
        cube(first, second, addend, out),
        _batches(first, second),
        _both_empty(addend, nothing),
        rank_at_most(addend, 2),
        _fits(addend, product),
        () if twin else shape_is(out, BroadcastOf(ShapeOf(addend), product), "to which both fit"),
        _no_larger(addend, product),
        shape_is(out, product, "[rows of batch1, columns of batch2]") if twin else (),
        same_format(second, first),
        done_when(Condition(nothing, "the product is empty")),
        readable(name, first, second, others=(addend,)),
    )


def _draw_addbmm(rng: Random) -> tuple[Shape, Shape, Shape, Shape]:
    m, n, k = _lengths(rng)
    batch = rng.randint(0, 4)
    first, second = rng.choice(((batch, batch), (1, batch), (batch, 1)))
    return _addend(rng, (m, n)), (first, m, k), (second, k, n), (m, n)


def _summed(first: Array, second: Array) -> Array:
    import numpy as np

    return np.asarray(np.matmul(first, second).sum(0))


_ADDBMM = _Sum(
    "Addbmm", "Adds the products of matrices in pairs to one matrix", "sum(batch1 @ batch2)",
    ("batch1", "batch2"), _addbmm_checks, _summed, "addbmm", _draw_addbmm,
    (((3, 4), (2, 3, 2), (2, 2, 4), (3, 4)), ((1, 4), (2, 1, 2), (2, 2, 4), (1, 4)),
     ((4,), (2, 3, 2), (1, 2, 4), (3, 4)),
     ((1,), (0, 2, 2), (0, 2, 3), (2, 3))),
    lambda n: ((64, 64), (n // 4096 + 1, 64, 64), (n // 4096 + 1, 64, 64), (64, 64)),
    result_shape("batch1", "batch2"),
)  # fmt: skip

OPS = tuple(_declare(row, twin) for row in (_ADDMM, _BADDBMM, _ADDBMM) for twin in (False, True))

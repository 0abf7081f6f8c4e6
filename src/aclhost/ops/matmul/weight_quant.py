# SPDX-License-Identifier: Apache-2.0
"""Products with weights of 8 or 4 bits."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul import quantised_results
from aclhost.ops.matmul.build import call_of
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT16,
    INT4,
    INT8,
    INT32,
    INT64,
    UINT64,
    DataType,
)
from aclhost.spec.formats import ND
from aclhost.spec.matrices import DenseTransposed
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Parameter, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    contiguous,
    dims_positive,
    dtype_in,
    format_in,
    inner,
    not_null,
    on_products,
    one_of,
    only_on,
    rank_in,
    refused_unless_on,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    AtMost,
    Const,
    Contiguous,
    DimOf,
    Divided,
    DtypeOf,
    Equal,
    If,
    In,
    Not,
    Or,
    Present,
    RankOf,
    Sum,
    Term,
    Times,
    ValueOf,
    all_of,
    any_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
_SCALE, _OFFSET, _BIAS = "antiquantScale", "antiquantOffsetOptional", "biasOptional"
_QUANT = (quantised_results.SCALE, quantised_results.OFFSET)
_GROUP = ValueOf("antiquantGroupSize")
_PACKED = Equal(DtypeOf("weight"), const(INT32))
_TURNED = all_of(DenseTransposed("weight"), Not(Contiguous("weight")))
_EIGHT = Const(8)  # INT4 in an INT32, along the arrays of weight


def _unpacked(dim: int, packed: Term) -> Term:
    length = DimOf("weight", Const(dim))
    return If(all_of(_PACKED, packed), Times(length, _EIGHT), length)


_K, _N = _unpacked(0, _TURNED), _unpacked(1, Not(_TURNED))
_RESULT = Lengths((DimOf("x", Const(0)), _N))
_RESULT_DTYPE = If(quantised_results.QUANTISED, const(INT8), DtypeOf("x"))
_LIMIT = 65535
_IS_NARROW = Not(In(DtypeOf(_SCALE), (UINT64, INT64)))
_NARROW = Condition(_IS_NARROW, f"{_SCALE} is not of 64 bits")
_NARROW_OFFSET = Condition(
    all_of(_IS_NARROW, Present(_OFFSET)), f"{_OFFSET} is given and {_SCALE} is not of 64 bits"
)


def _given(name: str) -> Condition:
    return Condition(Present(name), f"{name} is given")


def _dense_or_turned(name: str) -> Rules:
    """Rows or columns lie side by side."""
    return requires(
        "contiguous", name, Or(Contiguous(name), DenseTransposed(name)),
        f"{name} must be contiguous, or so once it is transposed", (Shown("strides", name),),
        f"Copy {name}.",
    )  # fmt: skip


def _follows_weight(name: str) -> Rules:
    """Where the weight is transposed, parameters may lie as they like."""
    turned = DenseTransposed("weight")
    return requires(
        "contiguous", name, any_of(Not(Present(name)), turned, Contiguous(name)),
        f"{name} must be contiguous unless weight is transposed", (Shown("strides", name),),
        f"Copy {name}, or transpose weight as well.",
    )  # fmt: skip


def _bias_dtype() -> Rules:
    x = DtypeOf("x")
    half = Condition(all_of(Present(_BIAS), Equal(x, const(FLOAT16))), "x has dtype FLOAT16")
    brain = Condition(all_of(Present(_BIAS), Equal(x, const(BF16))), "x has dtype BF16")
    return (
        *when(half, dtype_in(_BIAS, FLOAT16)),
        *when(brain, dtype_in(_BIAS, FLOAT, only_on(BF16, A950))),
    )


def _lengths() -> Rules:
    limited = Condition(on_products(A3, A2).term, "the product is Atlas A3 or Atlas A2")
    turned = DenseTransposed("weight")
    halves = Or(Not(Equal(DtypeOf("weight"), const(INT4))), _even(turned))
    return (
        *requires(
            "same_length", "x", Equal(DimOf("x", Const(1)), _K),
            "x must have as many columns as weight has rows",
            (Shown("shape", ShapeOf("x")), " and ", Shown("shape", ShapeOf("weight"))),
            "Each INT32 of weight counts as eight numbers along its arrays.",
        ),
        *dims_positive("x", 0),
        *dims_positive("weight", 0),
        *when(limited, requires(
            "length_limit", "weight", all_of(AtMost(_K, Const(_LIMIT)), AtMost(_N, Const(_LIMIT))),
            f"rows and columns of weight must be at most {_LIMIT}",
            (Shown("shape", ShapeOf("weight")),), "Split the product.",
        )),
        *requires(
            "even_length", "weight", halves,
            "weight of dtype INT4 must have an even length along its arrays",
            (Shown("shape", ShapeOf("weight")),), "Pad it: two numbers share a byte.",
        ),
        *shape_is("y", _RESULT, "[rows of x, columns of weight]"),
    )  # fmt: skip


def _even(turned: Term) -> Term:
    def is_even(length: Term) -> Term:
        return Equal(Times(Divided(length, Const(2)), Const(2)), length)

    return Or(all_of(turned, is_even(_K)), all_of(Not(turned), is_even(_N)))


def _groups() -> Rules:
    whole = Equal(Times(Divided(_GROUP, Const(32)), Const(32)), _GROUP)
    fits = all_of(whole, AtMost(Const(32), _GROUP), AtMost(Sum(_GROUP, Const(1)), _K))
    none = Equal(_GROUP, Const(0))
    columns = DimOf(_SCALE, Const(-1))
    wide = Or(Equal(columns, Const(1)), Equal(columns, _N))
    one_row = Or(Equal(RankOf(_SCALE), Const(1)), Equal(DimOf(_SCALE, Const(0)), Const(1)))
    count = Divided(Sum(_K, Sum(_GROUP, Const(-1))), _GROUP)
    in_groups = SameShape(ShapeOf(_SCALE), Lengths((count, _N)))
    return (
        *requires(
            "group_size", "antiquantGroupSize", Or(none, fits),
            "antiquantGroupSize must be 0, or a multiple of 32 below the rows of weight",
            (Shown("integer", _GROUP),), "Pass 0 for one scale for each column.",
        ),
        *when(Condition(none, "antiquantGroupSize is 0"), requires(
            "scale_shape", _SCALE, all_of(wide, one_row),
            f"{_SCALE} must have the shape [1], [n], [1, 1] or [1, n]",
            (Shown("shape", ShapeOf(_SCALE)),), "Pass one scale for each column, or one for all.",
        )),
        *when(Condition(Not(none), "antiquantGroupSize is not 0"), requires(
            "scale_shape", _SCALE, in_groups,
            f"{_SCALE} must have the shape [groups of rows of weight, n]",
            (Shown("shape", ShapeOf(_SCALE)),), "Pass one scale for each group and column.",
        )),
        *when(_given(_OFFSET), same_shape(_OFFSET, _SCALE)),
    )  # fmt: skip


def _bias_shape() -> Rules:
    one, length = Equal(RankOf(_BIAS), Const(1)), DimOf(_BIAS, Const(0))
    flat = all_of(one, Or(Equal(length, Const(0)), Equal(length, _N)))
    row = SameShape(ShapeOf(_BIAS), Lengths((Const(1), _N)))
    return when(_given(_BIAS), requires(
        "bias_shape", _BIAS, Or(flat, row), f"{_BIAS} must have the shape [n] or [1, n]",
        (Shown("shape", ShapeOf(_BIAS)),), "Pass one number for each column.",
    ))  # fmt: skip


def _no_result_scales() -> Rules:
    return tuple(
        rule.with_code(Status.PARAM_NULLPTR)
        for name in _QUANT
        for rule in when(on_products(A950, P310P), requires(
            "must_be_null", name, Not(Present(name)), f"{name} must be null", ("a tensor",),
            "Quantise y afterwards.",
        ))
    )  # fmt: skip


def _checks(precise: bool) -> tuple[tuple[Step, ...], ...]:
    products = tuple(
        rule.with_code(Status.RUNTIME_ERROR) for rule in refused_unless_on(A950, A3, A2, P310P)
    )
    return (
        products,
        not_null("x", "weight", _SCALE, "y"),
        _no_result_scales(),
        when(on_products(A950), format_in("weight", ND)),
        *((one_of("innerPrecise", 0, 1),) if precise else ()),
        _dense_or_turned("x"),
        _dense_or_turned("weight"),
        _follows_weight(_SCALE),
        _follows_weight(_OFFSET),
        contiguous("y"),
        *(contiguous(name) for name in (*_QUANT, _BIAS)),
        dtype_in("x", FLOAT16, only_on(BF16, A950, A3, A2)),
        dtype_in("weight", INT8, *(only_on(each, A950, A3, A2) for each in (INT4, INT32))),
        dtype_in(_SCALE, FLOAT16, only_on(BF16, A950, A3, A2), *(
            only_on(each, A3, A2) for each in (UINT64, INT64)
        )),
        dtype_in("y", FLOAT16, only_on(BF16, A950, A3, A2), only_on(INT8, A3, A2)),
        quantised_results.result_dtype("x"),
        *(rank_in(name, 2) for name in ("x", "weight", "y")),
        when(_NARROW, same_dtype(_SCALE, "x")),
        when(_NARROW_OFFSET, same_dtype(_OFFSET, _SCALE)),
        _bias_dtype(),
        format_in(_SCALE, ND),
        when(_given(_BIAS), rank_in(_BIAS, 1, 2)),
        *(when(_given(name), format_in(name, ND)) for name in (_OFFSET, *_QUANT)),
        rank_in(_SCALE, 1, 2),
        quantised_results.scale_dtypes(),
        _lengths(),
        _groups(),
        quantised_results.scale_shapes(_N),
        _bias_shape(),
        inner(dtype_in(_SCALE, FLOAT16, BF16)),
        quantised_results.late(),
        supported_on(A950, A3, A2) if precise else (),
    )  # fmt: skip


def _numbers(weight: Array, rows: int) -> Array:
    """Eight numbers for each INT32, the lowest four bits first."""
    import numpy as np

    if weight.dtype != np.int32:
        return weight
    shifts = np.arange(28, -4, -4, dtype=np.int32)
    if len(weight) == rows:
        return np.asarray((weight[:, :, None] << shifts >> 28).reshape(rows, -1))
    return np.asarray((weight[:, None] << shifts[:, None] >> 28).reshape(rows, -1))


def _golden(
    x: Array,
    weight: Array,
    antiquant_scale: Array,
    antiquant_group_size: int,
    **others: Any,  # noqa: ANN401
) -> Array:
    import numpy as np

    weight = _numbers(weight, x.shape[-1])

    def spread(values: Array) -> Array:
        group = antiquant_group_size
        return np.repeat(values, group, 0)[: len(weight)] if group else values

    offset, bias = others.get("antiquant_offset_optional"), others.get("bias_optional")
    whole = weight.astype(float) + (0.0 if offset is None else spread(offset))
    product = np.matmul(x, whole * spread(antiquant_scale))
    result = np.asarray(product if bias is None or not bias.size else product + bias)
    scales = others.get("quant_scale_optional")
    return result if scales is None else quantised_results.quantise(result, scales)


def _terms(**arguments: Any) -> Array:  # noqa: ANN401
    """Magnitudes of what is added up."""
    import numpy as np

    numbers = _numbers(arguments["weight"], arguments["x"].shape[-1]).astype(float)
    sizes: dict[str, Any] = {
        name: np.abs(each) if isinstance(each, np.ndarray) else each
        for name, each in {**arguments, "weight": numbers}.items()
    }
    return _golden(**sizes)


def _torch(torch: Any, x: Any, weight: Any, antiquant_scale: Any, **others: Any) -> Any:  # noqa: ANN401
    if others["quant_scale_optional"] is not None:
        return NotImplemented
    group = others["antiquant_group_size"]
    offset, bias = others["antiquant_offset_optional"], others["bias_optional"]
    weight = torch.from_numpy(_numbers(weight.numpy(), x.shape[-1]))

    def spread(values: Any) -> Any:  # noqa: ANN401
        return values.repeat_interleave(group, 0)[: weight.shape[0]] if group else values

    numbers = weight.double() if offset is None else weight + spread(offset)
    product = x @ (numbers * spread(antiquant_scale))
    return product if bias is None else product + bias


def _torch_in_x(torch: Any, x: Any, weight: Any, antiquant_scale: Any, **others: Any) -> Any:  # noqa: ANN401
    """As a user of torch computes it: in the dtype of x. For whole bytes without offset or bias."""
    group = others["antiquant_group_size"]
    if weight.shape[0] != x.shape[-1]:
        return NotImplemented
    scale = antiquant_scale.repeat_interleave(group, 0) if group else antiquant_scale
    return x @ (weight.to(x.dtype) * scale[: weight.shape[0]])


def _call(
    m: int, k: int, n: int, dtype: DataType = FLOAT16, group: int = 0, *,
    scale: tuple[int, ...] = (), offset: bool = False, bias: bool = False, turned: bool = False,
    packed: bool = False, precise: bool = False,
) -> Call:  # fmt: skip
    scale = scale or ((-(-k // group), n) if group else (n,))
    rows, columns = (k // 8, n) if packed and turned else (k, n // 8 if packed else n)
    strides = (1, rows) if turned else None
    span = (-(2**31), 2**31) if packed else (-128, 128)
    extra: dict[str, Argument] = {"innerPrecise": 0} if precise else {}
    return call_of(
        x=TensorArg((m, k), dtype),
        weight=TensorArg((rows, columns), INT32 if packed else INT8, strides=strides, span=span),
        antiquantScale=TensorArg(scale, dtype, span=(0.125, 1.5)),
        antiquantOffsetOptional=TensorArg(scale, dtype, span=(-9, 9)) if offset else None,
        quantScaleOptional=None,
        quantOffsetOptional=None,
        biasOptional=TensorArg((n,), FLOAT if dtype is BF16 else dtype) if bias else None,
        antiquantGroupSize=group,
        **extra,
        y=TensorArg((m, n), dtype),
    )


def _quantised(call: Call, rng: Random, count: int = 0, *, offset: bool = False) -> Call:
    """With numbers whose products are exact, so that no sum lies on the other side of a half."""
    (m, k), n = call.shape("x"), call.shape("y")[1]
    scales = tuple(
        quantised_results.packed(2.0 ** rng.randint(-9, -5), rng.randint(-40, 40))
        for _ in range(count or rng.choice((1, n)))
    )
    dtype, few = call.tensor("x").dtype, tuple(eighths(rng, 0, 1) + 0.125 for _ in range(n))
    return call.passing(
        x=TensorArg((m, k), dtype, tuple(eighths(rng, -1, 1) for _ in range(m * k))),
        antiquantScale=TensorArg((n,), dtype, few),
        quantScaleOptional=TensorArg((len(scales),), UINT64, scales),
        quantOffsetOptional=TensorArg((len(scales),), FLOAT) if offset else None,
        y=TensorArg((m, n), INT8),
    )


def _drawn(precise: bool) -> Callable[[Random], Call]:
    def draw(rng: Random) -> Call:
        m, n, k = rng.randint(1, 9), rng.randint(1, 20), rng.randint(33, 150)
        packed = rng.random() < 0.4
        if packed:
            n, k = 8 * n, k // 8 * 8
        group = rng.choice((0, 0, 32, 64)) if k > 64 else 0
        if not packed and rng.random() < 0.3:
            plain = _call(m, k, n, rng.choice((FLOAT16, BF16)), precise=precise)
            return _quantised(plain, rng, offset=rng.random() < 0.5)
        shapes: tuple[tuple[int, ...], ...] = ((1,), (n,), (1, n), (1, 1))
        return _call(
            m, k, n, rng.choice((FLOAT16, BF16)), group, scale=() if group else rng.choice(shapes),
            offset=rng.random() < 0.5, bias=rng.random() < 0.5,
            turned=not packed and rng.random() < 0.5, packed=packed, precise=precise,
        )  # fmt: skip

    return draw


def _params(precise: bool) -> tuple[Parameter, ...]:
    inner_precise = Int("innerPrecise", "0 precise, 1 fast; here the same.", default=0, bits=32)
    return (
        TensorIn("x", "[m, k]."),
        TensorIn(
            "weight",
            "[k, n]; two INT4 numbers share a byte and eight an INT32, the lowest bits first.",
        ),
        TensorIn(_SCALE, "Scales: one, one for each column, or also for each group of rows."),
        TensorIn(_OFFSET, "What is added to weight before it is scaled.", optional=True),
        TensorIn(_QUANT[0], "Scales and offsets of INT8 results, one or one for each column, in 64 "
                 "bits: the scale as FLOAT in the lower half, the offset in bits 37 to 45.",
                 optional=True),
        TensorIn(_QUANT[1], "Not used: offsets are part of scales.", optional=True),
        TensorIn(_BIAS, "What is added to each row.", optional=True),
        Int("antiquantGroupSize", "Rows that share a scale; 0: all.", default=0, bits=32),
        *((inner_precise,) if precise else ()),
        TensorOut("y", "[m, n].", shape=_RESULT, dtype=_RESULT_DTYPE, is_const=True),
    )  # fmt: skip


def _operator(version: int) -> Operator:
    precise = version == 3
    return Operator(
        f"aclnnWeightQuantBatchMatmulV{version}",
        summary="The product with a matrix of small integers, each with a scale and an offset.",
        formula="`y = x @ ((weight + antiquantOffset) * antiquantScale) + bias`, with quantScale "
        "`y = round(y * scale) + offset`",
        params=_params(precise),
        checks=_checks(precise),
        golden=_golden,
        terms=_terms,
        reference=_torch,
        peer=_torch_in_x,
        summed=("x", "weight", _SCALE, _OFFSET, _BIAS),
        ulps=4,
        draw=_drawn(precise),
        typical=lambda n: _call(16, 256, max(n // 256, 1), group=32, precise=precise),
        samples=(
            _call(2, 40, 4, precise=precise),
            _call(3, 64, 2, BF16, 32, offset=True, bias=True, precise=precise),
            _call(2, 96, 4, group=32, bias=True, turned=True, precise=precise),
            _call(1, 8, 6, scale=(1, 1), offset=True, precise=precise),
            _call(2, 40, 16, bias=True, packed=True, precise=precise),
            _call(2, 64, 3, group=32, turned=True, packed=True, precise=precise),
            _quantised(_call(3, 40, 4, precise=precise), Random(3), 4, offset=True),
            _quantised(_call(2, 8, 3, precise=precise), Random(4), 3),
        ),
        notes=(
            "Weights are scaled in FLOAT and not rounded to x's dtype.",
            "8- and 4-bit floats and antiquantScale of 64 bits are refused; upstream's further "
            "limits on INT4 and INT32 with the format FRACTAL_NZ are not.",
            "INT8 results are `round(result * scale) + offset`, rounded to even, NaN to 0, and "
            "kept within INT8; quantOffset is checked and not read, as upstream's kernels do.",
        ),
    )


OPS = (_operator(2), _operator(3))

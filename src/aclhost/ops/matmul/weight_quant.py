# SPDX-License-Identifier: Apache-2.0
"""Products with weights of 8 or 4 bits."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul import quantised_results
from aclhost.ops.matmul.build import call_of
from aclhost.ops.matmul.weight_quant_checks import (
    BIAS,
    OFFSET,
    QUANT,
    RESULT,
    RESULT_DTYPE,
    SCALE,
    checks,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Parameter, TensorIn, TensorOut

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


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
        TensorIn(SCALE, "Scales: one, one for each column, or also for each group of rows."),
        TensorIn(OFFSET, "What is added to weight before it is scaled.", optional=True),
        TensorIn(QUANT[0], "Scales and offsets of INT8 results, one or one for each column, in 64 "
                 "bits: the scale as FLOAT in the lower half, the offset in bits 37 to 45.",
                 optional=True),
        TensorIn(QUANT[1], "Not used: offsets are part of scales.", optional=True),
        TensorIn(BIAS, "What is added to each row.", optional=True),
        Int("antiquantGroupSize", "Rows that share a scale; 0: all.", default=0, bits=32),
        *((inner_precise,) if precise else ()),
        TensorOut("y", "[m, n].", shape=RESULT, dtype=RESULT_DTYPE, is_const=True),
    )  # fmt: skip


def _operator(version: int) -> Operator:
    precise = version == 3
    return Operator(
        f"aclnnWeightQuantBatchMatmulV{version}",
        summary="The product with a matrix of small integers, each with a scale and an offset.",
        formula="`y = x @ ((weight + antiquantOffset) * antiquantScale) + bias`, with quantScale "
        "`y = round(y * scale) + offset`",
        params=_params(precise),
        checks=checks(precise),
        golden=_golden,
        terms=_terms,
        reference=_torch,
        peer=_torch_in_x,
        summed=("x", "weight", SCALE, OFFSET, BIAS),
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

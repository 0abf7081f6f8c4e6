# SPDX-License-Identifier: Apache-2.0
"""Random calls of the operators that work on volumes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from aclhost.campaign.tensors import (
    ALL,
    SEEDS,
    allowed_dtype,
    placed,
    product,
    random_input,
    random_output,
    rarely,
)
from aclhost.reference.pooling import pool_windows
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import NCDHW, ND, NDHWC, Format
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950, Product

FORMATS = st.sampled_from([ND, ND, NCDHW, NDHWC])


def _lengths(draw: st.DrawFn, largest: int) -> tuple[int, ...]:
    return tuple(draw(st.integers(1, largest)) for _ in range(3))


def _lead(draw: st.DrawFn) -> tuple[int, ...]:
    """Batch and channels, or one of them; seldom an empty batch."""
    batch = 0 if rarely(draw) else draw(st.integers(1, 3))
    return (batch, *([draw(st.integers(1, 3))] if draw(st.booleans()) else []))


def _arranged(shape: tuple[int, ...], layout: Format) -> tuple[int, ...]:
    """N, C, D, H, W in the order of the format."""
    return (shape[0], *shape[2:], shape[1]) if layout is NDHWC else shape


def _indices(
    draw: st.DrawFn, shape: tuple[int, ...], volume: int, dtype: DataType, *, repeated: bool
) -> TensorArg:
    """Positions inside the volume; repeated ones crowd on few places."""
    rng = np.random.default_rng(draw(SEEDS))
    high = min(volume, 4) if repeated else volume
    start = draw(st.integers(0, volume - high))
    given = rng.integers(start, start + high, int(np.prod(shape)))
    return placed(draw, shape, dtype, tuple(given.tolist()))


@dataclass(frozen=True)
class Unpooling:
    """What both directions of max-unpooling share."""

    product: Product
    dtype: DataType
    small: tuple[int, ...]
    large: tuple[int, ...]
    indices: TensorArg
    arrays: dict[str, tuple[int, ...]]


def _unpooling(draw: st.DrawFn, op: Operator, values_name: str) -> Unpooling:
    on = product(draw, op)
    lead, spatial = _lead(draw), _lengths(draw, 6)
    volume = int(np.prod(spatial))
    inner = _lengths(draw, 4)
    assume(np.prod(inner) <= volume)
    small = (*lead, *inner)
    index_dtype = allowed_dtype(draw, op, on, "indices")
    return Unpooling(
        on,
        allowed_dtype(draw, op, on, values_name),
        small,
        (*lead, *spatial),
        _indices(draw, small, volume, index_dtype, repeated=draw(st.booleans())),
        {"outputSize": spatial, "stride": _lengths(draw, 3), "padding": _lengths(draw, 3)},
    )


def max_unpool3d(draw: st.DrawFn, op: Operator) -> Call:
    it = _unpooling(draw, op, "self")
    arguments: dict[str, Argument] = {
        "self": random_input(draw, it.small, it.dtype, ALL),
        "indices": it.indices,
        **it.arrays,
        "outRef": TensorArg(it.large, it.dtype),
    }
    return Call(arguments, it.product)


def max_unpool3d_backward(draw: st.DrawFn, op: Operator) -> Call:
    it = _unpooling(draw, op, "gradOutput")
    arguments: dict[str, Argument] = {
        "gradOutput": random_input(draw, it.large, it.dtype, ALL),
        "self": random_input(draw, it.small, it.dtype, ALL),
        "indices": it.indices,
        **it.arrays,
        "out": TensorArg(it.small, it.dtype),
    }
    return Call(arguments, it.product)


def _scales(draw: st.DrawFn, source: tuple[int, ...], target: tuple[int, ...]) -> dict[str, float]:
    """None, those that belong to the lengths, any, or some that do not count."""
    ratios = [float(o / i) for i, o in zip(source, target, strict=True)]
    numbers = st.integers(1, 40).map(lambda tenths: tenths / 10)
    scales = draw(
        st.sampled_from([[0.0] * 3, ratios])
        | st.lists(numbers, min_size=3, max_size=3)
        | st.lists(numbers | st.sampled_from([0.0, -1.0]), min_size=3, max_size=3)
    )
    return dict(zip(("scalesD", "scalesH", "scalesW"), scales, strict=True))


def upsample_nearest3d(draw: st.DrawFn, op: Operator) -> Call:
    on = product(draw, op)
    dtype, layout = allowed_dtype(draw, op, on, "self"), draw(FORMATS)
    lead = (0 if rarely(draw) else draw(st.integers(1, 2)), draw(st.integers(1, 3)))
    source, target = _lengths(draw, 7), _lengths(draw, 11)
    given, resized = (_arranged((*lead, *each), layout) for each in (source, target))
    arguments: dict[str, Argument] = {
        "self": random_input(draw, given, dtype, ALL, format=layout),
        "outputSize": target,
        **_scales(draw, source, target),
        "out": random_output(draw, resized, dtype, format=layout),
    }
    return Call(arguments, on)


def upsample_nearest3d_backward(draw: st.DrawFn, op: Operator) -> Call:
    on = product(draw, op)
    dtype, layout = allowed_dtype(draw, op, on, "gradOut"), draw(FORMATS)
    lead = (0 if rarely(draw) else draw(st.integers(1, 2)), draw(st.integers(1, 3)))
    source, target = _lengths(draw, 7), _lengths(draw, 11)
    given, resized = (_arranged((*lead, *each), layout) for each in (source, target))
    arguments: dict[str, Argument] = {
        "gradOut": random_input(draw, resized, dtype, format=layout),
        "outputSize": target,
        "inputSize": (*lead, *source),
        **_scales(draw, source, target),
        "gradInput": random_output(draw, given, dtype, format=layout),
    }
    return Call(arguments, on)


@dataclass(frozen=True)
class Pooling:
    """What both directions of max-pooling share: the window, and what it makes of the lengths."""

    product: Product
    spatial: tuple[int, ...]
    pooled: tuple[int, ...]
    window: dict[str, tuple[int, ...] | bool]


def _one_or_three(values: tuple[int, ...], draw: st.DrawFn) -> tuple[int, ...]:
    return values[:1] if len(set(values)) == 1 and draw(st.booleans()) else values


def _pooling(draw: st.DrawFn, op: Operator, *, dilated_on: tuple[Product, ...]) -> Pooling:
    on = product(draw, op)
    kernel = _lengths(draw, 4)
    padding = tuple(draw(st.integers(0, size // 2)) for size in kernel)
    dilation = _lengths(draw, 3) if on in dilated_on else (1, 1, 1)
    stride = _lengths(draw, 4) if draw(st.booleans()) else ()
    ceil_mode = draw(st.booleans())
    spatial = tuple(
        draw(st.integers(max(1, d * (k - 1) + 1 - 2 * p), d * (k - 1) + 5))
        for k, p, d in zip(kernel, padding, dilation, strict=True)
    )
    _, pooled = pool_windows(spatial, kernel, stride, padding, dilation, ceil_mode)
    window: dict[str, tuple[int, ...] | bool] = {
        "kernelSize": _one_or_three(kernel, draw),
        "stride": _one_or_three(stride, draw),
        "padding": _one_or_three(padding, draw),
        "dilation": _one_or_three(dilation, draw),
        "ceilMode": ceil_mode,
    }
    return Pooling(on, spatial, pooled, window)


def max_pool3d_with_argmax(draw: st.DrawFn, op: Operator) -> Call:
    it = _pooling(draw, op, dilated_on=(A950,))
    dtype, index_dtype = (allowed_dtype(draw, op, it.product, name) for name in ("self", "indices"))
    lead = _lead(draw)
    layout = draw(FORMATS) if len(lead) == 2 else ND
    shape, pooled = (_arranged((*lead, *each), layout) for each in (it.spatial, it.pooled))
    arguments: dict[str, Argument] = {
        "self": random_input(draw, shape, dtype, ALL, format=layout),
        **it.window,
        "out": random_output(draw, pooled, dtype, format=layout),
        "indices": random_output(draw, pooled, index_dtype, format=layout),
    }
    return Call(arguments, it.product)


def max_pool3d_with_argmax_backward(draw: st.DrawFn, op: Operator) -> Call:
    it = _pooling(draw, op, dilated_on=op.products)
    dtype, index_dtype = (allowed_dtype(draw, op, it.product, name) for name in ("self", "indices"))
    lead = _lead(draw)
    shape, pooled = (*lead, *it.spatial), (*lead, *it.pooled)
    volume = int(np.prod(it.spatial))
    arguments: dict[str, Argument] = {
        "gradOutput": random_input(draw, pooled, dtype),
        "self": random_input(draw, shape, dtype, ALL),
        "indices": _indices(draw, pooled, volume, index_dtype, repeated=draw(st.booleans())),
        **it.window,
        "gradInput": random_output(draw, shape, dtype),
    }
    return Call(arguments, it.product)

# SPDX-License-Identifier: Apache-2.0
"""What the runner is given: all declared samples, random calls, and calls worth several threads."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity

from aclhost import ops
from aclhost.calls.pointwise_cases import resized, samples
from aclhost.campaign.case import Case, cases
from aclhost.campaign.rounds import round_seed
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.products import DEFAULT

ROUTE = "C ABI"
LINE = (57, 1003)  # odd enough to leave ends over everywhere
BLOCK = (1031,)  # prime, and more than a block of the engine
FEW = 20  # random calls of an operator that has no sizes here: there are hundreds
PAST_CACHE = (3_300_000,)  # Note [Stores past the cache] in native/simd/simd.h
SMALL, LARGE = (2, 5, 9, 17, 33), (2, 5, 13, 40, 61)
POOLED = (2, 5, 4, 8, 16)  # SMALL by windows of 2
WINDOW = {"kernelSize": (2,) * 3, "stride": (2,) * 3, "padding": (0,) * 3, "dilation": (1,) * 3}
OVERLAP = {**WINDOW, "kernelSize": (3,) * 3, "padding": (1,) * 3}
OVERLAPPED = (2, 5, 5, 9, 17)

# By operator: arrays to pass, and the shape of each tensor.
Shapes = dict[str, tuple[int, ...]]
SIZES: dict[str, list[tuple[dict[str, Argument], Shapes]]] = {
    "elu": [({}, dict.fromkeys(("self", "out"), shape)) for shape in (LINE, PAST_CACHE)],
    "inplace_elu": [({}, {"selfRef": LINE})],
    "elu_backward": [
        ({"isResult": flag}, dict.fromkeys(("gradOutput", "selfOrResult", "gradInput"), LINE))
        for flag in (False, True)
    ],
    "smooth_l1_loss": [({}, dict.fromkeys(("self", "target", "result"), LINE))],
    "smooth_l1_loss_backward": [
        ({}, dict.fromkeys(("gradOut", "self", "target", "gradInput"), LINE))
    ],
    "upsample_nearest3d": [({"outputSize": LARGE[2:]}, {"self": SMALL, "out": LARGE})],
    "upsample_nearest3d_backward": [
        ({"outputSize": LARGE[2:], "inputSize": SMALL}, {"gradOut": LARGE, "gradInput": SMALL}),
        (
            {"outputSize": (18, 34, 66), "inputSize": SMALL},
            {"gradOut": (2, 5, 18, 34, 66), "gradInput": SMALL},
        ),
    ],
    "max_pool3d_with_argmax": [
        (dict(window), {"self": SMALL, "out": pooled, "indices": pooled})
        for window, pooled in ((WINDOW, POOLED), (OVERLAP, OVERLAPPED))
    ],
    "max_pool3d_with_argmax_backward": [
        (
            dict(window),
            {"gradOutput": pooled, "self": SMALL, "indices": pooled, "gradInput": SMALL},
        )
        for window, pooled in ((WINDOW, POOLED), (OVERLAP, OVERLAPPED))
    ],
    "max_unpool3d": [
        ({"outputSize": SMALL[2:]}, {"self": POOLED, "indices": POOLED, "outRef": SMALL})
    ],
    "max_unpool3d_backward": [
        (
            {"outputSize": SMALL[2:]},
            {"gradOutput": SMALL, "self": POOLED, "indices": POOLED, "out": POOLED},
        )
    ],
}


def _pool_indices(call: Call) -> Call:
    """With the indices that a pool of random numbers gives, where a call reads any."""
    pooled = call.tensor("indices").shape
    window = OVERLAP if pooled == OVERLAPPED else WINDOW
    pool = ops.BY_NAME["aclnnMaxPool3dWithArgmax"]
    numbers = np.random.default_rng(5).normal(size=SMALL)
    arrays = {pool.parameter(name).python_name: value for name, value in window.items()}
    _, indices = pool.golden(self=numbers, ceil_mode=False, **arrays)
    return call.changing(("indices",), values=tuple(indices.ravel().tolist()))


def _sized_pointwise(op: Operator) -> Iterator[Call]:
    """Samples with a block and a bit more; threads are for operators with sizes of their own."""
    for sample in samples(op):
        tensors = [each for each in sample.arguments.values() if isinstance(each, TensorArg)]
        if len({tensor.shape for tensor in tensors}) == 1 or (op.kernel and op.kernel.reduction):
            yield resized(op, sample, BLOCK)


def _sized(op: Operator) -> Iterator[Call]:
    """Calls with tensors large enough to be shared among threads; of every dtype if known here."""
    if op.kernel is not None:
        yield from _sized_pointwise(op)
        return
    if op.snake_name not in SIZES:
        assert op.typical is not None
        yield op.typical(prod(LINE))
        return
    rule = op.dtype_rule(op.tensors[0].name)
    assert rule is not None
    for arrays, shapes in SIZES[op.snake_name]:
        call = op.samples[0].passing(**arrays)
        for name, shape in shapes.items():
            call = call.reshaped(shape, name)
        if "indices" in shapes and op.snake_name != "max_pool3d_with_argmax":
            call = _pool_indices(call)
        for dtype in rule.dtypes(DEFAULT):
            yield call.retyped(dtype, *(name for name in shapes if name != "indices"))


def _drawn(op: Operator, count: int, seed: int) -> list[Case]:
    """Calls as the campaign draws them."""
    drawn: list[Case] = []

    @hypothesis.seed(round_seed(seed, op, 0))
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(cases(op))
    def collect(case: Case) -> None:
        drawn.append(Case(op, ROUTE, case.call))

    collect()
    return drawn


def all_cases(count: int, seed: int) -> Iterator[Case]:
    """Of every operator; `count` is that of the random ones."""
    for op in ops.ALL:
        declared = op.samples if op.kernel is None else samples(op)
        for call in (*declared, *_sized(op)):
            yield Case(op, ROUTE, call)
        if not count:
            continue
        yield from _drawn(op, count if op.snake_name in SIZES else min(count, FEW), seed)

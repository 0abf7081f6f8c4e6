# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.windows import ONE, have_windows, item, length, lengths_positive
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    all_one,
    all_positive,
    done_when_empty,
    dtype_in,
    inside_storage,
    length_in,
    not_null,
    not_private,
    one_of,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_format,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import WithLast
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Equal,
    If,
    ItemOf,
    LengthOf,
    Sum,
    Term,
    ValueOf,
    WindowCount,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_NEWEST = tuple(only_on(d, A950) for d in (BF16, INT32, INT64, UINT8, INT16, INT8, UINT16))


def _pad(axis: int, *, after: bool) -> Term:
    """One value for all, two for height and width, four with those after the input apart."""
    place = axis + 2 if after else axis
    four = Equal(LengthOf("pads"), Const(4))
    return If(four, ItemOf("pads", Const(place)), item("pads", axis))


_COUNTS = tuple(
    WindowCount(
        length("self", axis, 2),
        item("kernelShape", axis),
        If(Equal(LengthOf("strides"), Const(0)), ONE, item("strides", axis)),
        _pad(axis, after=False),
        _pad(axis, after=True),
        ONE,
        ValueOf("ceilMode"),
    )
    for axis in range(2)
)
_POOLED = WithLast("self", 0, _COUNTS)


def golden(
    self: Array,
    kernel_shape: Ints,
    strides: Ints,
    auto_pad: int,
    pads: Ints,
    dilations: Ints,
    ceil_mode: int,
) -> Array:
    """The maximum of each slice; -inf, or the least integer, where a window sees only padding."""
    import numpy as np

    call = _call(FLOAT, self.shape, (kernel_shape, strides, pads), ceil_mode)
    lowest = np.iinfo(self.dtype).min if self.dtype.kind in "iu" else -np.inf
    out = np.full(_POOLED.evaluate(call), lowest, self.dtype)
    for place in np.ndindex(*out.shape[-2:]):
        rows, columns = (_seen(call, axis, o) for axis, o in enumerate(place))
        window = self[..., rows, columns]
        if window.shape[-1] and window.shape[-2]:
            out[..., place[0], place[1]] = window.max((-2, -1))
    return out


def _seen(call: Call, axis: int, window: int) -> slice:
    first = window * _COUNTS[axis].stride.evaluate(call) - _COUNTS[axis].before.evaluate(call)
    return slice(max(first, 0), max(first + _COUNTS[axis].kernel.evaluate(call), 0))


def _reference(torch: Any, self: Any, **given: Any) -> Any:  # noqa: ANN401
    pads = given["pads"]
    even = len(pads) < 4 or pads[:2] == pads[2:]
    # Torch takes at most half of the kernel as padding.
    small = all(
        2 * pad <= given["kernel_shape"][0 if len(given["kernel_shape"]) == 1 else axis]
        for axis, pad in enumerate(pads[:2])
    )
    if not (even and small and self.dtype.is_floating_point):
        return NotImplemented
    return torch.nn.functional.max_pool2d(
        self, given["kernel_shape"], given["strides"] or 1, pads[:2] or 0,
        ceil_mode=bool(given["ceil_mode"]),
    )  # fmt: skip


Arrays = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _call(
    dtype: DataType, shape: tuple[int, ...], arrays: Arrays, ceil_mode: int, *dilations: int
) -> Call:
    kernel, strides, pads = arrays
    call = Call(
        {
            "self": TensorArg(shape, dtype),
            "kernelShape": kernel,
            "strides": strides,
            "autoPad": 0,
            "pads": pads,
            "dilations": dilations,
            "ceilMode": ceil_mode,
            "out": None,
        }
    )
    return call.passing(out=TensorArg(_POOLED.evaluate(call), dtype))


def _drawn(rng: Random) -> Call:
    lengths = (rng.randint(1, 9), rng.randint(1, 9))
    kernel = tuple(rng.randint(1, min(n, 4)) for n in lengths)
    before = tuple(rng.randint(0, k // 2) for k in kernel)
    after = tuple(
        rng.randint(0, k - p) if k > 1 else 0 for k, p in zip(kernel, before, strict=True)
    )
    strides = (rng.randint(1, 3), rng.randint(1, 3))
    arrays = (
        kernel,
        rng.choice(((), strides[:1], strides)),
        rng.choice(((), before, before + after)),
    )
    shape = (*rng.choice(((2,), (1, 3))), *lengths)
    on_newest = rng.random() < 0.5
    dtypes = (BF16, INT32, INT64, UINT8, INT16, INT8, UINT16) if on_newest else (FLOAT, FLOAT16)
    call = _call(rng.choice(dtypes), shape, arrays, rng.randint(0, 1), *rng.choice(((), (1, 1))))
    return call.on(A950) if on_newest else call


_PLAIN: Arrays = ((2, 3), (1, 2), (1, 0))
OP = Operator(
    "aclnnMaxPool",
    summary="Two-dimensional max pooling.",
    formula=(
        "A window starts at `o * strides - pads` along each axis and takes `kernelShape` "
        "positions; those outside self do not count. out is the largest value; a NaN counts as "
        "larger than every number.\n\n"
        "Length of an axis: `floor((I + before + after - kernelShape) / strides) + 1`; with "
        "ceilMode the division rounds up, less 1 if the last window would start beyond the input "
        "and its left padding."
    ),
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        IntArray("kernelShape", "Window along height and width; one value for both.", length=2),
        IntArray("strides", "Distance of windows; none means 1.", length=2, default=()),
        Int("autoPad", "Must be 0: padding as given.", default=0, spelling="const int64_t"),
        IntArray(
            "pads",
            "Padding: none, one value for all, two for height and width, or before height, before "
            "width, after height, after width.",
            length=2,
            default=(),
        ),
        IntArray("dilations", "Must be 1 where given.", length=2, default=()),
        Int("ceilMode", "Whether a last partial window counts.", 0, spelling="const int64_t"),
        TensorOut("out", "Maxima.", shape=_POOLED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "kernelShape", "strides", "pads", "dilations", "out"),
        dtype_in("self", FLOAT16, only_on(FLOAT, A950, A3, A2), *_NEWEST),
        same_dtype("out", "self"),
        same_format("out", "self"),
        not_private("self"),
        rank_in("self", 3, 4),
        length_in("kernelShape", 1, 2),
        length_in("strides", 0, 1, 2),
        length_in("pads", 0, 1, 2, 4),
        length_in("dilations", 0, 1, 2, 4),
        one_of("autoPad", 0),
        all_one("dilations"),
        all_positive("kernelShape"),
        all_positive("strides"),
        requires(
            "pads_fit",
            "pads",
            all_of(
                *(
                    AtMost(
                        Sum(_pad(axis, after=False), _pad(axis, after=True)),
                        item("kernelShape", axis),
                    )
                    for axis in range(2)
                )
            ),
            "the padding before and after an axis must together be at most kernelShape",
            (Shown("array", "pads"), " and ", Shown("array", "kernelShape")),
            "Reduce pads or enlarge kernelShape.",
        ),
        lengths_positive("self", -3, -2, -1),
        have_windows("self", _COUNTS),
        shape_is("out", _POOLED, "that pooling self gives"),
        done_when_empty("self", "out"),
        supported_on(A950, A3, A2, T910),
        inside_storage("self"),
    ),
    golden=golden,
    reference=_reference,
    samples=(
        _call(FLOAT, (1, 2, 4, 5), _PLAIN, 0),
        _call(FLOAT16, (2, 4, 5), ((3,), (), (1,)), 1, 1),
        *(
            _call(dtype, (1, 2, 4, 5), ((2, 3), (), (1, 0, 0, 2)), 0).on(A950)
            for dtype in (BF16, INT32, INT64, UINT8, INT16, INT8, UINT16)
        ),
    ),
    draw=_drawn,
    typical=lambda n: _call(FLOAT, (1, max(n // 3136, 1), 56, 56), ((3, 3), (2, 2), (1, 1)), 0),
    formats="Any public label, the same on self and out; data are read as (N,) C, H, W.",
    notes=(
        "Negative padding, which upstream's checks let through, makes windows start inside self.",
        "A window that sees only padding gives -inf, or the least integer.",
    ),
)

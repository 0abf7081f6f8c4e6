# SPDX-License-Identifier: Apache-2.0
"""What the max pools of images share: windows, checks, goldens, calls."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.windows import (
    CEIL,
    at_most_half_of,
    except_on,
    format_is,
    have_windows,
    item,
    step,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import NHWC
from aclhost.spec.params import Flag, IntArray
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    all_one,
    all_positive,
    length_in,
    none_negative,
    on_products,
    requires,
    when,
)
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import ShapeIf, ShapeOf, WithLast
from aclhost.spec.terms import AtMost, Const, DimOf, If, Term, ValueOf, WindowCount, all_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

ARRAYS = ("kernelSize", "stride", "padding", "dilation")
WINDOW = (
    IntArray("kernelSize", "Window along height and width; one value for both.", length=2),
    IntArray("stride", "Distance of windows; none means the kernel's size.", length=2, default=()),
    IntArray("padding", "Positions around each axis that count as -inf.", length=2, default=0),
    IntArray("dilation", "Distance of positions inside a window.", length=2, default=1),
    Flag("ceilMode", CEIL, default=False),
)
_IS_LAST = format_is("self", NHWC)


def _dim(channels_first: int, channels_last: int) -> Term:
    """A dimension of self, counted from the end, by its label."""
    return If(_IS_LAST, DimOf("self", Const(channels_last)), DimOf("self", Const(channels_first)))


HEIGHT, WIDTH, CHANNELS = _dim(-2, -3), _dim(-1, -2), _dim(-3, -1)
COUNTS = tuple(
    WindowCount(
        length,
        item("kernelSize", axis),
        step("stride", "kernelSize", axis),
        item("padding", axis),
        item("padding", axis),
        item("dilation", axis),
        ValueOf("ceilMode"),
    )
    for axis, length in enumerate((HEIGHT, WIDTH))
)
POOLED = ShapeIf(_IS_LAST, WithLast("self", 1, COUNTS), WithLast("self", 0, COUNTS))

LENGTHS: tuple[tuple[Rule, ...], ...] = (
    length_in("kernelSize", 1, 2),
    length_in("stride", 0, 1, 2),
    length_in("padding", 1, 2),
    length_in("dilation", 1, 2),
)
VALUES: tuple[tuple[Rule, ...], ...] = (
    all_positive("kernelSize"),
    all_positive("stride"),
    none_negative("padding"),
    at_most_half_of("padding", "kernelSize", 2),
)
DILATION = (
    when(on_products(A950), all_positive("dilation")),
    when(except_on(A950), all_one("dilation")),
)
NOT_EMPTY = requires(
    "dims_positive",
    "self",
    all_of(*(AtMost(Const(1), length) for length in (CHANNELS, HEIGHT, WIDTH))),
    "channels, height and width of self must be greater than 0",
    (Shown("shape", ShapeOf("self")),),
    "Skip the call when there is nothing to compute.",
)
HAS_WINDOWS = have_windows("self", COUNTS)


def pool_golden(self: Array, given: dict[str, Any]) -> tuple[Array, Ints]:
    """Maxima and positions of planes."""
    from aclhost.reference.pooling import pool_windows, window_maxima

    arrays = [tuple(given[name]) for name in ("kernel_size", "stride", "padding", "dilation")]
    kernel, stride, padding, dilation = (each * 2 if len(each) == 1 else each for each in arrays)
    planes = self.reshape(*self.shape[:-2], 1, *self.shape[-2:])
    positions, shape = pool_windows(
        planes.shape, (1, *kernel), (1, *(stride or kernel)), (0, *padding), (1, *dilation),
        given["ceil_mode"],
    )  # fmt: skip
    maxima, indices = window_maxima(planes, positions, 3)
    shape = (*shape[:-3], *shape[-2:])
    return maxima.reshape(shape), indices.reshape(shape)


def torch_pool(torch: Any, self: Any, given: dict[str, Any]) -> Any:  # noqa: ANN401
    """Torch's pool with indices."""
    if torch.isinf(self).any():
        return NotImplemented
    kernel = given["kernel_size"]
    return torch.nn.functional.max_pool2d(
        self, kernel, given["stride"] or kernel, given["padding"], given["dilation"],
        given["ceil_mode"], return_indices=True,
    )  # fmt: skip


Window = dict[str, Any]  # by upstream's names
Make = Callable[[DataType, tuple[int, ...], Window], Call]
PLAIN: Window = {
    "kernelSize": (2, 3),
    "stride": (1, 2),
    "padding": (1, 0),
    "dilation": (1, 1),
    "ceilMode": False,
}
SINGLE: Window = {**PLAIN, "kernelSize": (1, 1), "stride": (1, 1), "padding": (0, 0)}


def pooled_tensor(self: TensorArg, window: Window) -> TensorArg:
    """What pooling gives."""
    return TensorArg(POOLED.evaluate(Call({"self": self, **window})), self.dtype)


def drawn(make: Make, *dtypes: DataType) -> Callable[[Random], Call]:
    """A kernel that fits, and everything else at random."""

    def draw(rng: Random) -> Call:
        lengths = (rng.randint(1, 9), rng.randint(1, 9))
        kernel = tuple(rng.randint(1, min(n, 4)) for n in lengths)
        strides = (rng.randint(1, 3), rng.randint(1, 4))
        window = {
            "kernelSize": kernel,
            "stride": rng.choice(((), strides[:1], strides)),
            "padding": tuple(rng.randint(0, k // 2) for k in kernel),
            "dilation": (1,),
            "ceilMode": rng.random() < 0.5,
        }
        shape = (*rng.choice(((2,), (1, 3))), *lengths)
        return make(rng.choice(dtypes), shape, window)

    return draw


def typical_window(make: Make, dtype: DataType) -> Callable[[int], Call]:
    """Windows of 3, a stride of 2, as image classifiers begin."""
    window = {**PLAIN, "kernelSize": (3, 3), "stride": (2, 2), "padding": (1, 1)}
    return lambda n: make(dtype, (1, max(n // 3136, 1), 56, 56), window)

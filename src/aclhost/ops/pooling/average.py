# SPDX-License-Identifier: Apache-2.0
"""What average pools of images and of volumes share: goldens, references, calls."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.windows import counts, labelled
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.shapes import ShapeTerm, WithLast
from aclhost.spec.terms import ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Names = tuple[str, str, str]  # of kernel, stride and padding
Make = Callable[[DataType, tuple[int, ...], dict[str, Any]], Call]
_VALUES = ("ceilMode", "countIncludePad", "divisorOverride")


def _window(given: dict[str, Any]) -> tuple[Any, Any, Any, bool]:
    """Kernel, stride, padding and ceil mode, whatever the arrays are called."""
    stride = given.get("stride", given.get("strides"))
    padding = given.get("padding", given.get("paddings"))
    return given["kernel_size"], stride, padding, given["ceil_mode"]


def golden(spatial: int) -> Callable[..., Array]:
    """Window by window."""

    def forward(self: Array, **given: Any) -> Array:  # noqa: ANN401
        from aclhost.reference.window_slices import average, sliding

        axes = sliding(self.shape[-spatial:], *_window(given))
        return average(self, axes, given["count_include_pad"], given["divisor_override"])

    return forward


def golden_backward(spatial: int) -> Callable[..., Array]:
    """Every window spreads its gradient."""

    def backward(grad_output: Array, self: Array, **given: Any) -> Array:  # noqa: ANN401
        from aclhost.reference.window_slices import sliding, spread

        axes = sliding(self.shape[-spatial:], *_window(given))
        divisor = given["divisor_override"]
        return spread(grad_output, self.shape, axes, given["count_include_pad"], divisor)

    return backward


def _torch_pool(torch: Any, self: Any, given: dict[str, Any], spatial: int) -> Any:  # noqa: ANN401
    """Torch refuses kernels that are larger than the padded input."""
    kernel, stride, padding, ceil_mode = _window(given)
    for axis in range(spatial):
        k, p = (each[0 if len(each) == 1 else axis] for each in (kernel, padding))
        if k > self.shape[axis - spatial] + 2 * p:
            return NotImplemented
    pool = getattr(torch.nn.functional, f"avg_pool{spatial}d")
    divisor = given["divisor_override"] or None
    return pool(
        self, kernel, stride or kernel, padding, ceil_mode, given["count_include_pad"], divisor
    )


def reference(spatial: int) -> Callable[..., Any]:
    """Torch's pool."""
    return lambda torch, self, **given: _torch_pool(torch, self, given, spatial)


def reference_backward(spatial: int) -> Callable[..., Any]:
    """The gradient that torch works out itself."""

    def backward(torch: Any, grad_output: Any, self: Any, **given: Any) -> Any:  # noqa: ANN401
        leaf = self.clone().requires_grad_(True)
        out = _torch_pool(torch, leaf, given, spatial)
        return out if out is NotImplemented else torch.autograd.grad(out, leaf, grad_output)[0]

    return backward


def pooled(names: Names, spatial: int) -> ShapeTerm:
    """The shape that pooling self gives."""
    return WithLast("self", 0, counts("self", names, ValueOf("ceilMode"), spatial))


def forward_call(names: Names, spatial: int, **more: int) -> Make:
    """Makes calls of dtype, shape and window; images are labelled."""
    tensor = labelled if spatial == 2 else TensorArg

    def make(dtype: DataType, shape: tuple[int, ...], window: dict[str, Any]) -> Call:
        arrays = zip(names, ("kernel", "stride", "padding"), strict=True)
        call = Call(
            {
                "self": tensor(shape, dtype),
                **{name: window[each] for name, each in arrays},
                **{name: window[name] for name in _VALUES},
                **more,
                "out": None,
            }
        )
        return call.passing(out=tensor(pooled(names, spatial).evaluate(call), dtype))

    return make


def backward_call(names: Names, spatial: int, result: str, **more: int) -> Make:
    """The same of the gradient."""
    forward = forward_call(names, spatial, **more)

    def make(dtype: DataType, shape: tuple[int, ...], window: dict[str, Any]) -> Call:
        call = forward(dtype, shape, window)
        given = dict(call.arguments)
        self, out = given.pop("self"), given.pop("out")
        return Call({"gradOutput": out, "self": self, **given, result: self})

    return make


def samples(make: Make, shape: tuple[int, ...]) -> tuple[Call, ...]:
    """Each dtype, and a tensor without a batch."""
    spatial = len(shape) - 2
    window: dict[str, Any] = {
        "kernel": (2, 3, 1)[:spatial],
        "stride": (1, 2, 2)[:spatial],
        "padding": (1, 0, 0)[:spatial],
        "ceilMode": False,
        "countIncludePad": True,
        "divisorOverride": 0,
    }
    plain = {**window, "kernel": (3,), "stride": (), "padding": (1,)}
    return (
        *(make(dtype, shape, window) for dtype in (FLOAT, FLOAT16, BF16)),
        make(FLOAT, shape[1:], plain),
    )


def drawn(make: Make, spatial: int) -> Callable[[Random], Call]:
    """A kernel that fits, and everything else at random."""

    def draw(rng: Random) -> Call:
        lengths = tuple(rng.randint(1, 9) for _ in range(spatial))
        shape = (*rng.choice(((2,), (1, 3), (2, 1))), *lengths)
        kernel = tuple(rng.randint(1, min(n, 4)) for n in lengths)
        strides = tuple(rng.randint(1, 4) for _ in range(spatial))
        window = {
            "kernel": kernel,
            "stride": rng.choice(((), strides[:1], strides)),
            "padding": tuple(rng.randint(0, k // 2) for k in kernel),
            "ceilMode": rng.random() < 0.5,
            "countIncludePad": rng.random() < 0.5,
            "divisorOverride": rng.choice((0, 0, 3, -7)),
        }
        return make(rng.choice((FLOAT, FLOAT16, BF16)), shape, window)

    return draw


def typical(make: Make, spatial: int) -> Callable[[int], Call]:
    """Windows of 2, side by side."""
    lengths = (56, 56) if spatial == 2 else (16, 28, 28)
    size = 56 * 56 if spatial == 2 else 16 * 28 * 28

    def call(n: int) -> Call:
        two = (2,) * spatial
        window = {
            "kernel": two,
            "stride": two,
            "padding": (0,) * spatial,
            "ceilMode": False,
            "countIncludePad": True,
            "divisorOverride": 0,
        }
        return make(FLOAT, (1, max(n // size, 1), *lengths), window)

    return call

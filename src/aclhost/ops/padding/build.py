# SPDX-License-Identifier: Apache-2.0
"""What paddings of one to three dimensions and their gradients have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DataType
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import DEFAULT, Product
from aclhost.spec.rules import Condition, Rule, rank_in, requires, same_rank, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Padded, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Empty,
    Equal,
    In,
    ItemOf,
    Not,
    RankOf,
    Sum,
    Term,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Rules = tuple[Rule, ...]
Places = Callable[[Any, int], Any]  # where positions counted from self's first one lie in self

PADDED = Padded("self", "padding")
WORDS = "of self, longer by padding"
AXES = {
    1: "the last dimension: left, right",
    2: "the last two dimensions: left, right, top, bottom",
    3: "the last three dimensions: left, right, top, bottom, front, back",
}


def forward_params(dims: int) -> tuple[TensorIn, IntArray, TensorOut]:
    """Of self, how much is added, and the result."""
    return (
        TensorIn("self", "Input."),
        IntArray("padding", f"What is added to {AXES[dims]}.", length=2 * dims),
        TensorOut("out", "Result.", shape=PADDED, dtype=DtypeOf("self")),
    )


def backward_params(dims: int) -> tuple[TensorIn | IntArray | TensorOut, ...]:
    """The gradient of the result, self, how much was added, and the gradient of self."""
    return (
        TensorIn("gradOutput", "Gradient of the padded tensor."),
        TensorIn("self", "Input of the forward; only its shape counts."),
        IntArray("padding", f"What the forward added to {AXES[dims]}.", length=2 * dims),
        TensorOut("gradInput", "Gradient of self.", like="self"),
    )


def ranks(dims: int, padded: str) -> Rules:
    """With or without a batch, and as many dimensions after padding."""
    return (*rank_in("self", dims + 1, dims + 2), *same_rank(padded, "self"))


def _axis(number: int) -> Const:
    return Const(-1 - number // 2)


def shorter_than_self(dims: int) -> Rules:
    """Every padding is less than the dimension it is added to."""
    lengths = [
        AtMost(Sum(ItemOf("padding", Const(i)), Const(1)), DimOf("self", _axis(i)))
        for i in range(2 * dims)
    ]
    return requires(
        "padding_less_than_dimension",
        "padding",
        all_of(*lengths),
        "every value of padding must be less than the dimension of self it is added to",
        (Shown("array", "padding"), " for ", Shown("shape", ShapeOf("self"))),
        "Pad less, or in several steps.",
    )


def padded_lengths(dims: int, padded: str) -> Rules:
    """The last dimensions are those of self and the padding."""

    def length(axis: int) -> Term:
        pair = Sum(ItemOf("padding", Const(2 * axis)), ItemOf("padding", Const(2 * axis + 1)))
        return Sum(DimOf("self", Const(-1 - axis)), pair)

    lengths = [Equal(DimOf(padded, Const(-1 - axis)), length(axis)) for axis in range(dims)]
    last = "dimension" if dims == 1 else f"{dims} dimensions"
    return requires(
        "padded_lengths",
        padded,
        all_of(*lengths),
        f"the last {last} of {padded} must be those of self, longer by padding",
        (Shown("shape", ShapeOf(padded)), " instead of ", Shown("shape", PADDED)),
        f"Create {padded} with these lengths.",
    )


def nothing_empty(rank: int, padded: str) -> Rules:
    """Without a batch, there are elements before and after padding."""
    rules = requires(
        "not_empty",
        "self",
        Not(any_of(Empty("self"), Empty(padded))),
        f"neither self nor {padded} may be empty",
        (Shown("shape", ShapeOf("self")), " and ", Shown("shape", ShapeOf(padded))),
        "Skip the call when there is nothing to compute.",
    )
    return when(Condition(In(RankOf("self"), (rank,)), f"self has {rank} dimensions"), rules)


def mapped(places: Places, self: Array, padding: Ints) -> Array:
    """Along each axis, a gather."""
    import numpy as np

    result = self
    for pair in range(len(padding) // 2):
        axis, (before, after) = self.ndim - 1 - pair, padding[2 * pair : 2 * pair + 2]
        length = self.shape[axis]
        positions = np.arange(-before, length + after)
        result = result.take(places(positions, length), axis)
    return result


def collected(places: Places, grad_output: Array, self: Array, padding: Ints) -> Array:
    """Along each axis, every gradient is added where its element came from."""
    import numpy as np

    result = grad_output
    for pair in range(len(padding) // 2):
        axis, (before, after) = self.ndim - 1 - pair, padding[2 * pair : 2 * pair + 2]
        length = self.shape[axis]
        positions = places(np.arange(-before, length + after), length)
        moved = np.moveaxis(result, axis, 0)
        sums = np.zeros((length, *moved.shape[1:]), result.dtype)
        np.add.at(sums, positions, moved)
        result = np.moveaxis(sums, 0, axis)
    return result


def reflected(positions: Any, length: int) -> Any:  # noqa: ANN401
    """Positions beyond an end are as far from it inside."""
    import numpy as np

    return length - 1 - np.abs(length - 1 - np.abs(positions))


def replicated(positions: Any, length: int) -> Any:  # noqa: ANN401
    """Positions beyond an end are that end."""
    return positions.clip(0, length - 1)


def repeated(positions: Any, length: int) -> Any:  # noqa: ANN401
    """Positions go round and round."""
    return positions % length


def forward_call(
    dtype: DataType, shape: Sequence[int], padding: Sequence[int], product: Product = DEFAULT
) -> Call:
    """A call that pads."""
    arguments = Call({"self": TensorArg(tuple(shape), dtype), "padding": tuple(padding)})
    out = TensorArg(PADDED.evaluate(arguments), dtype)
    return arguments.passing(out=out).on(product)


def backward_call(
    dtype: DataType, shape: Sequence[int], padding: Sequence[int], product: Product = DEFAULT
) -> Call:
    """A call for the gradient of one."""
    forward = forward_call(dtype, shape, padding, product)
    self = forward.tensor("self")
    return Call(
        {
            "gradOutput": forward.tensor("out"),
            "self": self,
            "padding": tuple(padding),
            "gradInput": self,
        },
        product,
    )


def drawn(
    rng: Random, dims: int, call: Callable[..., Call], choices: Sequence[tuple[DataType, Product]]
) -> Call:
    """A small tensor with paddings of both signs that leave something of every dimension."""
    dtype, product = rng.choice(choices)
    crops = dtype is not BF16  # whose gradient in two dimensions takes none below 0
    shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 2))]
    shape += [rng.randint(2, 7) for _ in range(dims)]
    padding = [
        rng.randint(-1 if crops and shape[axis] > 2 and rng.random() < 0.2 else 0, shape[axis] - 1)
        for axis in range(len(shape) - 1, len(shape) - 1 - dims, -1)
        for _ in range(2)
    ]
    return call(dtype, shape, padding, product)


def common(n: int, dims: int, call: Callable[..., Call], dtype: DataType) -> Call:
    """A batch of images, volumes or signals, with a border of 1."""
    leading, side = (8, 16), 16 if dims == 3 else 64
    lengths = [side] * dims
    lengths[0] = max(n // (leading[0] * leading[1] * side ** (dims - 1)), 4)
    return call(dtype, (*leading, *lengths), (1,) * (2 * dims))


def torch_padding(mode: str) -> Callable[..., Any]:
    """The same in torch, which pads no integers and refuses what leaves nothing."""

    def reference(torch: Any, self: Any, padding: Ints) -> Any:  # noqa: ANN401
        if not (self.is_floating_point() or self.is_complex()):
            return NotImplemented
        if mode == "circular" and min(padding) < 0:
            return NotImplemented
        return torch.nn.functional.pad(self, list(padding), mode=mode)

    return reference


def torch_gradient(mode: str) -> Callable[..., Any]:
    """The derivative that torch works out itself."""
    padded = torch_padding(mode)

    def reference(torch: Any, grad_output: Any, self: Any, padding: Ints) -> Any:  # noqa: ANN401
        leaf = self.detach().clone().requires_grad_()
        out = padded(torch, leaf, padding)
        if out is NotImplemented:
            return NotImplemented
        return torch.autograd.grad(out, leaf, grad_output)[0]

    return reference

# SPDX-License-Identifier: Apache-2.0
"""The three sums of a convolution in NumPy, element of the kernel by element, and torch's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any


def pairs(padding: Ints, axes: int) -> list[tuple[int, int]]:
    """Padding before and after each axis; single values count for both sides."""
    if len(padding) == axes:
        return [(each, each) for each in padding]
    return [*zip(padding[::2], padding[1::2], strict=True)]


def _grouped(tensor: Array, groups: int) -> Array:
    return tensor.reshape(tensor.shape[0], groups, tensor.shape[1] // groups, *tensor.shape[2:])


def _weights(weight: Array, groups: int) -> Array:
    return weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])


def _windows(image: Array, map_lengths: Ints, weight: Array, window: dict[str, Any]) -> Any:  # noqa: ANN401
    """Each element of the kernel with what it meets at all positions."""
    import numpy as np

    axes = image.ndim - 2
    padded = np.pad(image, [(0, 0), (0, 0), *pairs(window["padding"], axes)])
    grouped: Any = _grouped(padded, window["groups"])
    for tap in np.ndindex(*weight.shape[2:]):
        starts = [k * step for k, step in zip(tap, window["dilation"], strict=True)]
        places = tuple(
            slice(start, start + max((count - 1) * step + 1, 0), step)
            for start, count, step in zip(starts, map_lengths, window["stride"], strict=True)
        )
        yield tap, grouped[(..., *places)]


def convolved(image: Array, weight: Array, lengths: Ints, window: dict[str, Any]) -> Array:
    """The map of an image."""
    import numpy as np

    weights = _weights(weight, window["groups"])
    total = np.zeros((image.shape[0], *weights.shape[:2], *lengths))
    for tap, part in _windows(image, lengths, weight, window):
        total += np.einsum("ngc...,gmc->ngm...", part, weights[(..., *tap)])
    return total.reshape(image.shape[0], weight.shape[0], *lengths)


def spread(map: Array, weight: Array, lengths: Ints, window: dict[str, Any]) -> Array:
    """The image that a map comes from; positions outside the map count as zeros."""
    import numpy as np

    groups, axes = window["groups"], map.ndim - 2
    weights = _weights(weight, groups)
    values = _grouped(np.pad(map, [(0, 0), (0, 0), *[(0, 1)] * axes]), groups)
    image = np.zeros((map.shape[0], groups, weight.shape[1], *lengths))
    for tap in np.ndindex(*weight.shape[2:]):
        places, positions = [], []
        for axis, k in enumerate(tap):
            start = pairs(window["padding"], axes)[axis][0] - k * window["dilation"][axis]
            place = np.arange(lengths[axis])
            place = place[(place + start) % window["stride"][axis] == 0]
            position = (place + start) // window["stride"][axis]
            outside = (position < 0) | (position >= map.shape[2 + axis])
            places.append(place)
            positions.append(np.where(outside, map.shape[2 + axis], position))
        part = values[(slice(None), slice(None), slice(None), *np.ix_(*positions))]
        product = np.einsum("ngm...,gmc->ngc...", part, weights[(..., *tap)])
        image[(slice(None), slice(None), slice(None), *np.ix_(*places))] += product
    return image.reshape(map.shape[0], groups * weight.shape[1], *lengths)


def weighed(image: Array, map: Array, weight: Array, window: dict[str, Any]) -> Array:
    """The gradient of the weight."""
    import numpy as np

    total = np.zeros(weight.shape)
    values = _grouped(map, window["groups"])
    for tap, part in _windows(image, map.shape[2:], weight, window):
        found = (values[:, :, :, None] * part[:, :, None]).sum(axis=(0, *range(4, part.ndim + 1)))
        total[(slice(None), slice(None), *tap)] = found.reshape(weight.shape[:2])
    return total


def map_lengths(lengths: Ints, kernel: Ints, window: dict[str, Any]) -> tuple[int, ...]:
    """How many positions there are."""
    return tuple(
        (length + sum(pad) - step * (size - 1) - 1) // stride + 1
        for length, size, pad, step, stride in zip(
            lengths,
            kernel,
            pairs(window["padding"], len(lengths)),
            window["dilation"],
            window["stride"],
            strict=True,
        )
    )


def image_lengths(
    lengths: Ints, kernel: Ints, window: dict[str, Any], more: Ints
) -> tuple[int, ...]:
    """How long the axes of a transposed convolution are."""
    return tuple(
        (length - 1) * stride - sum(pad) + step * (size - 1) + 1 + extra
        for length, size, pad, step, stride, extra in zip(
            lengths,
            kernel,
            pairs(window["padding"], len(lengths)),
            window["dilation"],
            window["stride"],
            more,
            strict=True,
        )
    )


def torch_convolution(
    torch: Torch,
    input: Torch,
    weight: Torch,
    bias: Torch,
    window: dict[str, Any],
    more: Ints | None,
) -> Torch:  # fmt: skip
    """The same by torch; `more` is the output padding of a transposed one."""
    axes = input.dim() - 2
    sides = pairs(window["padding"], axes)
    symmetric = [before for before, _ in sides]
    steps = {key: [*window[key]] for key in ("stride", "dilation")}
    if more is not None:
        if any(before != after for before, after in sides) or not weight.isfinite().all():
            return NotImplemented  # what lies outside counts as 0 here and not at all in torch
        function = getattr(torch.nn.functional, f"conv_transpose{axes}d")
        return function(
            input, weight, bias, padding=symmetric, output_padding=[*more],
            groups=window["groups"], **steps,
        )  # fmt: skip
    edges = [edge for side in reversed(sides) for edge in side]
    padded = torch.nn.functional.pad(input, edges)
    function = getattr(torch.nn.functional, f"conv{axes}d")
    return function(padded, weight, bias, groups=window["groups"], **steps)

# SPDX-License-Identifier: Apache-2.0
"""Shapes of pooled, unpooled and resized volumes, and what can be said about volumes.

Terms like those of `aclhost.spec.shapes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec import formats
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.shapes import Shape, ShapeTerm
from aclhost.spec.terms import INT64_MAX, Term, window_count


def _three(values: Shape) -> Shape:
    return tuple(values[0 if len(values) == 1 else axis] for axis in range(3))


def _padded(values: Shape, count: int) -> Shape:
    return (*values[:count], *(0,) * (count - len(values)))


@dataclass(frozen=True)
class WithSpatial(ShapeTerm):
    """A tensor's shape with its last three dimensions replaced, where it has that many."""

    parameter: str
    lengths: str

    def evaluate(self, call: Call) -> Shape:
        shape = call.shape(self.parameter)
        lengths = _padded(call.integers(self.lengths), 3)
        return shape if len(shape) < 3 else (*shape[:-3], *lengths)


@dataclass(frozen=True)
class VolumeShape(ShapeTerm):
    """N, C and three lengths of arrays; C comes last where the tensor is labelled NDHWC."""

    parameter: str
    batch: str  # the array whose first two values are N and C
    lengths: str
    first: int  # position of the first length

    def evaluate(self, call: Call) -> Shape:
        n, c = _padded(call.integers(self.batch), 2)
        lengths = _padded(call.integers(self.lengths)[self.first :], 3)
        return _volume(call, self.parameter, n, c, lengths)


@dataclass(frozen=True)
class ResizedVolume(ShapeTerm):
    """A volume's shape with other lengths, N and C staying, in the order of its label."""

    parameter: str
    lengths: str

    def evaluate(self, call: Call) -> Shape:
        shape = call.shape(self.parameter)
        n = shape[0] if shape else 0
        lengths = _padded(call.integers(self.lengths), 3)
        return _volume(call, self.parameter, n, _channels(call, self.parameter), lengths)


def _is_channels_last(call: Call, parameter: str) -> bool:
    argument = call.arguments[parameter]
    return isinstance(argument, TensorArg) and argument.format is formats.NDHWC


def _volume(call: Call, parameter: str, n: int, c: int, lengths: Shape) -> Shape:
    return (n, *lengths, c) if _is_channels_last(call, parameter) else (n, c, *lengths)


def _channels(call: Call, parameter: str) -> int:
    shape = call.shape(parameter)
    axis = 4 if _is_channels_last(call, parameter) else 1
    return shape[axis] if axis < len(shape) else 0


@dataclass(frozen=True)
class Pooled(ShapeTerm):
    """What a window's positions leave of a volume.

    One value of an array stands for three, no stride for the kernel.
    """

    parameter: str
    kernel: str
    stride: str
    padding: str
    dilation: str
    ceil_mode: str
    by_format: int  # whether the label NDHWC counts

    def evaluate(self, call: Call) -> Shape:
        shape = list(call.shape(self.parameter))
        last = self.by_format and _is_channels_last(call, self.parameter)
        first = len(shape) - (4 if last else 3)
        for axis in range(3 if first >= 0 else 0):
            shape[first + axis] = self._positions(call, shape[first + axis], axis)
        return tuple(shape)

    def _positions(self, call: Call, length: int, axis: int) -> int:
        def value(array: str) -> int:
            values = call.integers(array)
            return (*values, 0, 0, 0)[0 if len(values) == 1 else axis]

        return window_count(
            length,
            value(self.kernel),
            value(self.stride if call.integers(self.stride) else self.kernel),
            (value(self.padding), value(self.padding)),
            value(self.dilation),
            bool(call.arguments[self.ceil_mode]),
        )


@dataclass(frozen=True)
class SameLeading(Term):
    """All but the last three dimensions agree, as far as both have them."""

    first: str
    second: str

    def evaluate(self, call: Call) -> int:
        one, other = call.shape(self.first), call.shape(self.second)
        count = max(min(len(one), len(other)) - 3, 0)
        return int(one[:count] == other[:count])


@dataclass(frozen=True)
class SpatialPositive(Term):
    """Depth, height and width by the label are above 0; ones that do not exist are not."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        first = 1 if _is_channels_last(call, self.parameter) else 2
        lengths = call.shape(self.parameter)[first : first + 3]
        return int(len(lengths) == 3 and min(lengths) > 0)


@dataclass(frozen=True)
class Channels(Term):
    """The number of channels by the label; 0 where there are none."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return _channels(call, self.parameter)


@dataclass(frozen=True)
class VolumeFits31Bits(Term):
    """The product of the last three dimensions is below 2^31."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        volume = 1
        for length in call.shape(self.parameter)[-3:]:
            volume *= length
            if volume >= 2**31:
                return 0
        return 1


@dataclass(frozen=True)
class AtMostHalf(Term):
    """No value of an array exceeds half of the other's; one value stands for three."""

    first: str
    second: str

    def evaluate(self, call: Call) -> int:
        small = _three(_padded_or_one(call.integers(self.first)))
        large = _three(_padded_or_one(call.integers(self.second)))
        pairs = zip(small, large, strict=True)
        return int(all(a <= abs(b) // 2 * (1 if b >= 0 else -1) for a, b in pairs))


def _padded_or_one(values: Shape) -> Shape:
    return values if len(values) == 1 else _padded(values, 3)


@dataclass(frozen=True)
class HoldsVolume(Term):
    """The product of three values is at least that of a tensor's last three dimensions."""

    array: str
    tensor: str

    def evaluate(self, call: Call) -> int:
        needed, there = 1, 1
        lengths = _padded(call.shape(self.tensor)[-3:], 3)
        for length, value in zip(lengths, _padded(call.integers(self.array), 3), strict=True):
            needed *= length
            there = min(there * value, INT64_MAX)
            if needed > INT64_MAX:
                return 0
        return int(there >= needed)

# SPDX-License-Identifier: Apache-2.0
"""Rules about shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class ShapeRule(Rule):
    """A rule that shows the tensor's shape when it is broken."""

    def got(self) -> str:
        return f"shape_text(a.{self.parameter})"


@dataclass(frozen=True)
class SameShape(Rule):
    """Two tensors share a shape."""

    other: str

    def violated(self) -> str:
        return f"!same_shape(a.{self.parameter}, a.{self.other})"

    def got(self) -> str:
        return f'shape_text(a.{self.parameter}) + " and " + shape_text(a.{self.other})'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the same shape as {self.other}"

    def advice(self) -> str:
        return f"Create {self.parameter} with the shape of {self.other}; nothing is broadcast here."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.other).shape
        yield call.reshaped((*shape[:-1], shape[-1] + 1), self.parameter)
        if not any(rule.fixes_rank_of(self.parameter) for rule in op.rules_before(self)):
            yield call.reshaped((*shape, 1), self.parameter)


@dataclass(frozen=True)
class ShapeIs(Rule):
    """The shape follows from other arguments."""

    expected: str  # C++ expression for a Shape
    words: str
    test: str = "has_shape"  # or a more tolerant one

    def violated(self) -> str:
        return f"!{self.test}(a.{self.parameter}, {self.expected})"

    def got(self) -> str:
        return f'shape_text(a.{self.parameter}) + " instead of " + shape_text({self.expected})'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the shape {self.words}"

    def advice(self) -> str:
        return f"Create {self.parameter} with that shape."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape or (1,)
        names = op.tied_before(self, SameShape)
        yield call.reshaped((*shape[:-1], shape[-1] + 1), *names)


@dataclass(frozen=True)
class SameLeading(Rule):
    """All dimensions but the last three agree."""

    other: str

    def violated(self) -> str:
        return f"!same_leading(a.{self.parameter}, a.{self.other})"

    def got(self) -> str:
        return f'shape_text(a.{self.parameter}) + " and " + shape_text(a.{self.other})'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} and {self.other} must agree in all but the last three dimensions"

    def advice(self) -> str:
        return "Use the same batch and channels for both."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape
        names = op.tied_before(self, SameShape)
        yield call.reshaped((shape[0] + 1, *shape[1:]), *names)
        yield call.reshaped((*shape[:-4], shape[-4] + 1, *shape[-3:]), *names)


@dataclass(frozen=True)
class RankAtMost(Rule):
    """The number of dimensions has an upper bound."""

    most: int

    def violated(self) -> str:
        return f"a.{self.parameter}.rank > {self.most}"

    def got(self) -> str:
        return f'"rank " + std::to_string(a.{self.parameter}.rank)'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have at most {self.most} dimensions"

    def advice(self) -> str:
        return "Merge dimensions until the rank fits."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        names = op.tied_before(self, SameShape)
        yield call.reshaped((1,) * (self.most + 1), *names)


@dataclass(frozen=True)
class RankIn(Rule):
    """The number of dimensions is one of a few."""

    ranks: tuple[int, ...]

    def violated(self) -> str:
        return f"!one_of(a.{self.parameter}.rank, {{{', '.join(map(str, self.ranks))}}})"

    def got(self) -> str:
        return f'"rank " + std::to_string(a.{self.parameter}.rank)'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have {listing(self.ranks)} dimensions"

    def advice(self) -> str:
        return f"Reshape {self.parameter}: the last three dimensions are depth, height and width."

    def fixes_rank_of(self, parameter: str) -> bool:
        return parameter == self.parameter

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        names = op.tied_before(self, SameShape)
        shape = call.tensor(self.parameter).shape
        yield call.reshaped((*(1,) * (max(self.ranks) + 1 - len(shape)), *shape), *names)
        # Where lengths are looked at first, missing ones count as 0 and fail that rule instead.
        if not any(isinstance(rule, SpatialPositive) for rule in op.rules_before(self)):
            yield call.reshaped(shape[: min(self.ranks) - 1], *names)


@dataclass(frozen=True)
class SameRank(Rule):
    """Two tensors have the same number of dimensions."""

    other: str

    def violated(self) -> str:
        return f"a.{self.parameter}.rank != a.{self.other}.rank"

    def got(self) -> str:
        return (
            f'"rank " + std::to_string(a.{self.parameter}.rank) + " and rank " + '
            f"std::to_string(a.{self.other}.rank)"
        )

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have as many dimensions as {self.other}"

    def advice(self) -> str:
        return f"Reshape {self.parameter} to the rank of {self.other}."

    def fixes_rank_of(self, parameter: str) -> bool:
        return parameter == self.parameter

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape
        names = op.tied_before(self, SameShape)
        other_rank = (1, *shape) if len(shape) == 4 else shape[1:]
        yield call.reshaped(other_rank, *names)


@dataclass(frozen=True)
class DimsPositive(ShapeRule):
    """Every dimension from some position on is above zero."""

    first: int

    def violated(self) -> str:
        return f"!dims_positive(a.{self.parameter}, {self.first})"

    def sentence(self, product: Product | None = None) -> str:
        return f"only dimension 0 of {self.parameter} may be 0"

    def advice(self) -> str:
        return "Skip the call when there is nothing to compute."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        names = op.tied_before(self, SameShape)
        shape = call.tensor(self.parameter).shape
        for axis in range(self.first, len(shape)):
            yield call.reshaped((*shape[:axis], 0, *shape[axis + 1 :]), *names)


@dataclass(frozen=True)
class SpatialPositive(ShapeRule):
    """Depth, height and width are above zero; ones that do not exist count as 0."""

    def violated(self) -> str:
        return f"!spatial_positive(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"depth, height and width of {self.parameter} must be greater than 0"

    def advice(self) -> str:
        return "Skip the call when there is nothing to compute."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape
        for axis in range(2, 5):
            yield call.reshaped((*shape[:axis], 0, *shape[axis + 1 :]), self.parameter)
        yield call.reshaped(shape[:4], self.parameter)


@dataclass(frozen=True)
class ChannelsPositive(ShapeRule):
    """There is at least one channel."""

    def violated(self) -> str:
        return f"channels_of(a.{self.parameter}) <= 0"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have at least one channel"

    def advice(self) -> str:
        return "Skip the call when there is nothing to compute; its gradient accepts 0 channels."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape
        yield call.reshaped((shape[0], 0, *shape[2:]), self.parameter)


LIMIT = 2**31 - 1


@dataclass(frozen=True)
class VolumeAtMost(ShapeRule):
    """Depth * height * width can be counted in 32 bits."""

    def violated(self) -> str:
        return f"!volume_at_most(a.{self.parameter}, INT32_MAX)"

    def sentence(self, product: Product | None = None) -> str:
        return f"depth * height * width of {self.parameter} must be at most {LIMIT}"

    def advice(self) -> str:
        return "Split the tensor; only Ascend 950 takes larger ones."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = (*call.tensor(self.parameter).shape[:-3], 1, 1, LIMIT + 1)
        names = op.tied_before(self, SameShape)
        yield call.without_memory(*names).reshaped(shape, *names)


@dataclass(frozen=True)
class LengthsAtMost(ShapeRule):
    """Every dimension can be counted in 32 bits."""

    array: str = ""  # the array whose last value the tensor's last dimension has to equal

    def violated(self) -> str:
        return f"!dims_at_most(a.{self.parameter}, INT32_MAX)"

    def sentence(self, product: Product | None = None) -> str:
        return f"every dimension of {self.parameter} must be at most {LIMIT}"

    def advice(self) -> str:
        return "Split the tensor; only Ascend 950 takes longer dimensions."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = (*call.tensor(self.parameter).shape[:-1], LIMIT + 1)
        call = call.reshaped(shape, self.parameter).without_memory(self.parameter)
        if self.array:
            call = call.passing(**{self.array: (*call.array(self.array)[:-1], LIMIT + 1)})
        yield call


@dataclass(frozen=True)
class OneElement(ShapeRule):
    """The tensor holds a single element, whatever its rank."""

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        return f"a.{self.parameter}.elements() != 1"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must hold exactly one element"

    def advice(self) -> str:
        return f"Create {self.parameter} with shape [1] or []."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.reshaped((2,), self.parameter)
        yield call.reshaped((1, 3), self.parameter)


@dataclass(frozen=True)
class Broadcastable(Rule):
    """The tensor broadcasts with those before it."""

    others: tuple[str, ...]

    def violated(self) -> str:
        views = ", ".join(f"&a.{name}" for name in (*self.others, self.parameter))
        return f"!can_broadcast({{{views}}})"

    def got(self) -> str:
        texts = [f"shape_text(a.{name})" for name in (*self.others, self.parameter)]
        return ' + " and " + '.join(texts)

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must broadcast with {listing(self.others, 'and')}"

    def advice(self) -> str:
        return "Aligned at the right, dimensions must be equal or one of them 1."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        shape = call.tensor(self.parameter).shape
        yield call.reshaped((*shape[:-1], shape[-1] + 1), self.parameter)


@dataclass(frozen=True)
class Contiguous(Rule):
    """The tensor is dense."""

    def violated(self) -> str:
        return f"!is_contiguous(a.{self.parameter})"

    def got(self) -> str:
        return f"strides_text(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must be contiguous"

    def advice(self) -> str:
        return f"Write to a contiguous {self.parameter} and copy from there."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        tensor = call.tensor(self.parameter)
        doubled = tuple(2 * step for step in tensor.row_major)
        yield call.passing(**{self.parameter: replace(tensor, strides=doubled, values=None)})

# SPDX-License-Identifier: Apache-2.0
"""Rules about storage and formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aclhost.spec import formats
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class InsideStorage(Rule):
    """A strided input stays inside the storage it was created with; dense ones are not tested."""

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        return f"!inside_storage(a.{self.parameter})"

    def got(self) -> str:
        return f"reach_text(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter}, when not contiguous, must stay inside its storage"

    def advice(self) -> str:
        return "Correct strides, offset or storage dimensions in aclCreateTensor."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        tensor = call.tensor(self.parameter)
        doubled = tuple(2 * step for step in tensor.row_major)
        inside = replace(tensor, strides=doubled, values=None)
        yield call.passing(**{self.parameter: replace(inside, storage=inside.storage_elements - 1)})
        backwards = tuple(-step for step in doubled)
        yield call.passing(**{self.parameter: replace(inside, strides=backwards, storage=1000)})


@dataclass(frozen=True)
class SameFormatUnlessNd(Rule):
    """The result keeps the input's format, so the output must carry it too; ND fits everything."""

    other: str

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        return (
            f"a.{self.other}.format != ACL_FORMAT_ND && "
            f"a.{self.other}.format != a.{self.parameter}.format"
        )

    def got(self) -> str:
        return (
            f'std::string(format_name(a.{self.parameter}.format)) + " and " + '
            f"format_name(a.{self.other}.format)"
        )

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the format of {self.other} unless that is ND"

    def advice(self) -> str:
        return f"Create {self.parameter} with the format of {self.other}, or both with ND."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        labelled = replace(call.tensor(self.other), format=formats.NCHW)
        yield call.passing(**{self.other: labelled})


@dataclass(frozen=True)
class SameFormat(Rule):
    """Two tensors carry the same format."""

    other: str

    def violated(self) -> str:
        return f"a.{self.parameter}.format != a.{self.other}.format"

    def got(self) -> str:
        return (
            f'std::string(format_name(a.{self.parameter}.format)) + " and " + '
            f"format_name(a.{self.other}.format)"
        )

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the same format as {self.other}"

    def advice(self) -> str:
        return f"Create {self.parameter} with the format of {self.other}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        present = call.tensor(self.other).format
        other = formats.ND if present is not formats.ND else formats.NCDHW
        yield call.relabelled(other, self.parameter)


@dataclass(frozen=True)
class FormatRule(Rule):
    """A rule that shows the tensor's format when it is broken."""

    def got(self) -> str:
        return (
            f'std::string(format_name(a.{self.parameter}.format)) + " with rank " + '
            f"std::to_string(a.{self.parameter}.rank)"
        )


@dataclass(frozen=True)
class NotPrivate(FormatRule):
    """The format is one that programs exchange, not one of the device's own."""

    def violated(self) -> str:
        return f"is_private(a.{self.parameter}.format)"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must not have a private format such as NC1HWC0 or FRACTAL_NZ"

    def advice(self) -> str:
        return f"Create {self.parameter} with ND, NCDHW or another public format."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for private in (formats.NC1HWC0, formats.FRACTAL_NZ):
            yield call.relabelled(private, *op.tied_before(self, SameFormat))


@dataclass(frozen=True)
class FormatIn(FormatRule):
    """The format is one of a few."""

    allowed: tuple[formats.Format, ...]

    def violated(self) -> str:
        names = ", ".join(fmt.c_name for fmt in self.allowed)
        return f"!one_of(a.{self.parameter}.format, {{{names}}})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have format {listing(self.allowed)}"

    def advice(self) -> str:
        return f"Create {self.parameter} with one of these formats."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.relabelled(formats.HWCN, *op.tied_before(self, SameFormat))


@dataclass(frozen=True)
class FormatFitsRank(FormatRule):
    """A label that implies a rank stands on a tensor of that rank."""

    code = Status.INNER_NULLPTR

    def violated(self) -> str:
        return f"!format_fits_rank(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have the rank that its format implies"

    def advice(self) -> str:
        return "Use ND, which fits every rank, or a label of the right rank."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        rank = len(call.tensor(self.parameter).shape)
        wrong = formats.NCDHW if rank == 4 else formats.NCHW
        yield call.relabelled(wrong, *op.tied_before(self, SameFormat))

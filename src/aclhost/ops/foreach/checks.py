# SPDX-License-Identifier: Apache-2.0
"""What phase 1 checks of lists: as upstream generates it, and as it is written by hand."""

from __future__ import annotations

from collections.abc import Mapping

from aclhost.spec.dtypes import DataType
from aclhost.spec.params import Parameter, Scalar, ScalarList, TensorIn, TensorListOut
from aclhost.spec.products import A2, A3, A950, Product
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    done_when,
    dtype_in,
    each,
    in_tiling,
    inner,
    inside_storage,
    not_null,
    not_private,
    one_element,
    rank_at_most,
    refused_unless_on,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown, listing
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import SameShape, ShapeOf, ShapeOfMember
from aclhost.spec.status import Status
from aclhost.spec.terms import MEMBER, Const, DtypeOf, Elements, Equal, In, LengthOf, Position, Term

Dtypes = tuple[DataType | Limited, ...]
Numbers = Mapping[DataType, Dtypes]
Rules = tuple[Rule, ...]
Checks = tuple[tuple[Step, ...], ...]

_NEW = (A950, A3, A2)


def _one_for_each(
    parameter: str, count: Term, x: str, text: str, code: Status = Status.PARAM_INVALID
) -> Rules:
    shown = (Shown("integer", count), " for ", Shown("integer", LengthOf(x)))
    holds = Equal(count, LengthOf(x))
    return requires("as_many", parameter, holds, text, shown, "Pass one for each tensor.", code)


def as_many(parameter: str, x: str, code: Status = Status.PARAM_INVALID) -> Rules:
    """A list has as many members as another."""
    text = f"{parameter} must have as many members as {x}"
    return _one_for_each(parameter, LengthOf(parameter), x, text, code)


def shaped_like(parameter: str, x: str) -> Rules:
    """Each member has the shape of its counterpart."""
    same = requires(
        "same_shape",
        MEMBER,
        SameShape(ShapeOf(MEMBER), ShapeOfMember(x, Position())),
        f"{MEMBER} must have the shape of its counterpart in {x}",
        (),
        f"Create {MEMBER} with these shapes.",
    )
    return each(parameter, same)


def _of_one_element(parameter: str) -> Rules:
    one = requires(
        "one_element",
        MEMBER,
        Equal(Elements(MEMBER), Const(1)),
        f"{MEMBER} must hold exactly one element",
        (),
        f"Create {MEMBER} with shape [1] or [].",
    )
    return each(parameter, one)


def _holds_numbers(parameter: str, x: str) -> Rules:
    text = f"{parameter} must hold as many elements as {x} has members"
    return _one_for_each(parameter, Elements(parameter), x, text)


def _number_dtypes(parameter: str, x: str, numbers: Numbers) -> Rules:
    """The dtypes that a number may have beside those of the tensors."""
    beside: dict[Dtypes, list[DataType]] = {}
    for dtype, allowed in numbers.items():
        beside.setdefault(allowed, []).append(dtype)
    if len(beside) == 1:
        return dtype_in(parameter, *next(iter(beside)))
    return tuple(
        rule
        for allowed, group in beside.items()
        for rule in when(
            Condition(In(DtypeOf(x), tuple(group)), f"{x} is {listing(group)}"),
            dtype_in(parameter, *allowed),
        )
    )


class Lists:
    """The parameters by what they are, and what they may hold."""

    def __init__(
        self,
        params: tuple[Parameter, ...],
        walked: tuple[str, ...],
        dtypes: Dtypes,
        number_dtypes: Numbers,  # beside a tensor's dtype
        *,
        shaped: bool,  # whether results have the shapes of x
    ) -> None:
        self.dtypes, self.number_dtypes, self.shaped = dtypes, number_dtypes, shaped
        self.all = tuple(param.name for param in params)
        self.lists = tuple(param.name for param in params if "TensorList" in param.kind)
        self.x, self.others = self.lists[0], self.lists[1:]
        self.inputs = tuple(
            p.name for p in params if p.name in self.lists and not isinstance(p, TensorListOut)
        )
        kinds = (Scalar, ScalarList, TensorIn)
        self.numbers = tuple(param.name for param in params if isinstance(param, kinds))
        self.scalar_lists = tuple(p.name for p in params if isinstance(p, ScalarList))
        tensors = tuple(param.name for param in params if isinstance(param, TensorIn))
        self.elements = tuple(name for name in tensors if name in walked)
        self.single = tuple(name for name in tensors if name not in walked)

    def nothing(self) -> Condition:
        return Condition(Equal(LengthOf(self.x), Const(0)), f"{self.x} has no members")

    def shapes(self) -> Rules:
        """Of all lists but the first, and of tensors that numbers are read from."""
        return (
            *each(self.x, rank_at_most(MEMBER, 8)),
            *(
                rule
                for name in self.others
                for rule in (
                    shaped_like(name, self.x)
                    if self.shaped or name != "out"
                    else _of_one_element(name)
                )
            ),
        )

    def tensors_of_numbers(self) -> Rules:
        return (
            *(rule for name in self.single for rule in one_element(name)),
            *(rule for name in self.elements for rule in _holds_numbers(name, self.x)),
        )

    def stored(self) -> Rules:
        """What is read lies in its memory; a single element is contiguous."""
        return (
            *(rule for name in self.inputs for rule in each(name, inside_storage(MEMBER))),
            *inside_storage(*self.elements),
        )


def _joined(*groups: Rules) -> Rules:
    return tuple(rule for group in groups for rule in group)


def generated(lists: Lists, products: tuple[Product, ...]) -> Checks:
    """Pointers, the combination of dtypes, the product; the rest is left to the tiling."""
    x = lists.x
    return (
        not_null(*lists.all),
        _joined(*(each(name, not_null(MEMBER)) for name in lists.lists)),
        done_when(lists.nothing()),
        dtype_in(x, *lists.dtypes),
        _joined(*(_number_dtypes(name, x, lists.number_dtypes) for name in lists.numbers)),
        _joined(*(same_dtype(name, x) for name in lists.others)),
        supported_on(*products),
        lists.stored(),
        in_tiling(
            *(as_many(name, x) for name in (*lists.others, *lists.scalar_lists)),
            *(each(name, same_dtype(MEMBER, x)) for name in lists.lists),
            lists.shapes(),
            lists.tensors_of_numbers(),
        ),
    )


def stated(
    lists: Lists,
    products: tuple[Product, ...],
    inner_dtypes: Dtypes,
    count_code: Status,
) -> Checks:
    """Everything is an invalid parameter (161002) but for what the inner operator refuses."""
    x, tensors = lists.x, (*lists.single, *lists.elements)
    looked_at = tuple(name for name in lists.numbers if name not in lists.elements)
    missing = _joined(*(each(name, not_null(MEMBER)) for name in lists.lists))
    return (
        not_null(*lists.all),
        _joined(*(as_many(name, x, count_code) for name in lists.others)),
        refused_unless_on(*_NEW),
        tuple(rule.with_code(Status.PARAM_INVALID) for rule in missing),
        done_when(lists.nothing()),
        dtype_in(x, *lists.dtypes),
        _joined(*(_number_dtypes(name, x, lists.number_dtypes) for name in looked_at)),
        _joined(*(each(name, same_dtype(MEMBER, x)) for name in lists.lists)),
        lists.shapes(),
        _joined(*(each(name, not_private(MEMBER)) for name in lists.lists)),
        supported_on(*products) if set(products) != set(_NEW) else (),
        inner(dtype_in(x, *inner_dtypes)) if inner_dtypes else (),
        inner(*(_number_dtypes(name, x, _held(lists.number_dtypes)) for name in tensors)),
        lists.stored(),
        lists.tensors_of_numbers(),
    )


def _held(numbers: Numbers) -> Numbers:
    """What the inner operator takes of the dtypes of a tensor that holds a number."""
    wide = ("DOUBLE", "INT64")
    return {
        dtype: tuple(each for each in allowed if getattr(each, "name", "") not in wide)
        for dtype, allowed in numbers.items()
    }

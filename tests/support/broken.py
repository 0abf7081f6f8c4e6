# SPDX-License-Identifier: Apache-2.0
"""Calls that break one rule first, found by changing valid ones until the evaluator says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from aclhost.spec import dtypes, formats, products
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.evaluate import Outcome, evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, Flag, Float, Int, Parameter, TensorIn, Text
from aclhost.spec.rules.base import Rule

LONG = 2**31
WIDE = 2**16  # several of them are too much
MANY = 300  # members of a list
_FORMATS = (formats.NCHW, formats.NHWC, formats.NCDHW, formats.NDHWC, formats.HWCN, formats.NCL,
            formats.NC1HWC0, formats.FRACTAL_NZ)  # fmt: skip


@dataclass(frozen=True)
class Broken:
    """A call and the rule that it breaks first."""

    op: Operator
    call: Call
    outcome: Outcome
    sample: Call  # what it was made of

    @property
    def rule(self) -> Rule:
        assert self.outcome.rule is not None
        return self.outcome.rule


@cache
def broken_calls(op: Operator, most: int = 3) -> dict[int, list[Broken]]:
    """For the number of each rule, up to so many calls that break it first."""
    found: dict[int, list[Broken]] = {}
    missing = most * len(op.rules)
    for sample, call in _one_change(op):
        missing -= _keep(op, call, sample, found, most)
        if missing == 0:  # no other would be kept
            return found
    for sample, call in _two_changes(op):
        if len(found) == len(op.rules):
            break
        _keep(op, call, sample, found, most)
    return found


def _keep(
    op: Operator, call: Call, sample: Call, found: dict[int, list[Broken]], most: int
) -> bool:
    """Whether it was."""
    outcome = evaluate(op, call)
    if outcome.rule is None or len(found.get(outcome.number, ())) == most or not _fits(op, call):
        return False
    found.setdefault(outcome.number, []).append(Broken(op, call, outcome, sample))
    return True


def _fits(op: Operator, call: Call) -> bool:
    """Whether C's parameters can hold the integers."""
    pairs = ((param, call.arguments[param.name]) for param in op.params if isinstance(param, Int))
    return all(abs(value) < 2 ** (param.bits - 1) for param, value in pairs if value is not None)


def _one_change(op: Operator) -> Iterator[tuple[Call, Call]]:
    """Samples, each with what one change makes of it."""
    return ((sample, call) for sample in op.samples for call in changed(op, sample))


def _two_changes(op: Operator) -> Iterator[tuple[Call, Call]]:
    """What depends on circumstances: those first, then whatever breaks under them."""
    for sample in op.samples:
        for arranged in _circumstances(op, sample):
            if evaluate(op, arranged).rule is None:
                yield from ((sample, call) for call in changed(op, arranged))


def _circumstances(op: Operator, call: Call) -> Iterator[Call]:
    for product in products.ALL:
        yield call.on(product)
    for param in op.params:
        argument = call.arguments[param.name]
        if not isinstance(argument, TensorArg):
            for value in _values(op, param, argument):
                yield call.passing(**{param.name: value})
    yield from _tensor_changes(call, _relabelled)
    yield from _tensor_changes(call, _retyped)


def changed(op: Operator, call: Call) -> Iterator[Call]:
    """Everything that one change makes of a call."""
    for product in products.ALL:
        yield call.on(product)
    for param in op.params:
        argument = call.arguments[param.name]
        if param.kind not in ("kFlag", "kInt", "kDtype", "kFloat", "kDouble"):
            yield call.passing(**{param.name: None})
        if argument is None and isinstance(param, TensorIn):
            yield call.passing(**{param.name: TensorArg((1,))})
        for value in _values(op, param, argument):
            yield call.passing(**{param.name: value})
    for change in (_retyped, _reshaped, _relabelled, _moved):
        yield from _tensor_changes(call, change)
        yield from _member_changes(call, change)
    yield from _other_lengths(call)


def _tensors(call: Call) -> dict[str, TensorArg]:
    return {name: each for name, each in call.arguments.items() if isinstance(each, TensorArg)}


def _tensor_changes(
    call: Call, change: Callable[[TensorArg], Iterator[TensorArg]]
) -> Iterator[Call]:
    """Each tensor alone, and together with those that look the same."""
    tensors = _tensors(call)
    changes = {name: list(change(tensor)) for name, tensor in tensors.items()}
    groups = {
        group
        for name, tensor in tensors.items()
        for group in (
            (name,),
            tuple(other for other, each in tensors.items() if each.shape == tensor.shape),
            tuple(other for other, each in tensors.items() if each.dtype is tensor.dtype),
            tuple(tensors),
        )
    }
    for group in sorted(groups):
        for position in range(max(len(changes[name]) for name in group)):
            yield call.passing(
                **{name: changes[name][min(position, len(changes[name]) - 1)] for name in group}
            )


def _member_changes(
    call: Call, change: Callable[[TensorArg], Iterator[TensorArg]]
) -> Iterator[Call]:
    """One member of a list, or all of them, or those of all lists."""
    lists = {
        name: members
        for name, members in call.arguments.items()
        if isinstance(members, tuple) and any(isinstance(each, TensorArg) for each in members)
    }
    for name, members in lists.items():
        first = next(member for member in members if isinstance(member, TensorArg))
        for other in (None, *change(first)):
            yield call.passing(**{name: (other, *members[1:])})
            yield call.passing(**{name: (*members[:-1], other)})
            yield call.passing(**{name: (other,) * len(members)})
            yield call.passing(**{each: (other,) * len(lists[each]) for each in lists})


def _other_lengths(call: Call) -> Iterator[Call]:
    """Wherever a length stands, in shapes and in arrays, another one; then in integers, too."""
    arguments = [*call.arguments.values()]
    members = [member for each in arguments if isinstance(each, tuple) for member in each]
    tensors = [each for each in (*arguments, *members) if isinstance(each, TensorArg)]
    lengths = {length for tensor in tensors for length in tensor.shape}
    for length in sorted(lengths):
        for other in (0, length + 1, WIDE, LONG):
            changed = call.passing(
                **{name: _exchanged(each, length, other) for name, each in call.arguments.items()}
            )
            yield changed
            integers = [name for name, each in call.arguments.items() if each == length]
            if integers:
                yield changed.passing(**dict.fromkeys(integers, other))


def _exchanged(argument: Argument, length: int, other: int) -> Argument:
    def swap(values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(other if value == length else value for value in values)

    if isinstance(argument, TensorArg):
        shape = swap(argument.shape)
        return TensorArg(shape, argument.dtype, format=argument.format, backed=other < WIDE)
    if isinstance(argument, tuple) and any(isinstance(each, TensorArg) for each in argument):
        return tuple(_exchanged(each, length, other) for each in argument)  # type: ignore[misc]
    if isinstance(argument, tuple) and all(isinstance(value, int) for value in argument):
        return swap(tuple(value for value in argument if isinstance(value, int)))
    return argument


def _retyped(tensor: TensorArg) -> Iterator[TensorArg]:
    for dtype in dtypes.ALL:
        yield replace(tensor, dtype=dtype, values=None)


def _reshaped(tensor: TensorArg) -> Iterator[TensorArg]:
    shape = tensor.shape
    for other in (
        (*shape[:-1], shape[-1] + 1) if shape else (2,),
        (shape[0] + 1, *shape[1:]) if shape else (3,),
        (*shape, 1), (1, *shape), shape[1:], shape[:-1], (1,) * 9, (2,), (1, 3), (),
        *((*shape[:axis], 0, *shape[axis + 1 :]) for axis in range(len(shape))),
        *((*shape[:axis], shape[axis] + 1, *shape[axis + 1 :]) for axis in range(1, len(shape))),
    ):  # fmt: skip
        yield TensorArg(other, tensor.dtype, format=tensor.format)
    for rank in {3, 4, 5} - {len(shape)}:
        yield TensorArg((1,) * rank, tensor.dtype, format=formats.of_rank(rank))
    if shape:
        yield TensorArg((*shape[:-1], LONG), tensor.dtype, format=tensor.format, backed=False)
        alone = (1,) * (len(shape) - 1)
        yield TensorArg((*alone, LONG), tensor.dtype, format=tensor.format, backed=False)


def _relabelled(tensor: TensorArg) -> Iterator[TensorArg]:
    for label in _FORMATS:
        yield replace(tensor, format=label)


def _moved(tensor: TensorArg) -> Iterator[TensorArg]:
    doubled = tuple(2 * step for step in tensor.row_major)
    spread = replace(tensor, strides=doubled, values=None, offset=0, storage=None)
    yield spread
    yield replace(spread, storage=max(spread.storage_elements - 1, 0))
    yield replace(spread, strides=tuple(-step for step in doubled), storage=1000)


def _values(op: Operator, param: Parameter, argument: Argument) -> Iterator[Argument]:
    if argument is None and isinstance(param, TensorIn):
        yield TensorArg((1,))
    elif isinstance(argument, ScalarArg):
        for dtype in (dtypes.FLOAT, dtypes.DOUBLE, dtypes.INT64, dtypes.BOOL, dtypes.COMPLEX64,
                      dtypes.COMPLEX128, dtypes.BF16, dtypes.UINT8, dtypes.INT32,
                      dtypes.UINT16, dtypes.FLOAT8_E5M2):  # fmt: skip
            yield ScalarArg(1, dtype)
        for value in (-1.0, 0.0, float("inf"), float("nan"), 3.0):
            yield ScalarArg(value)
        for value in (-1, LONG):
            yield ScalarArg(value, dtypes.INT64)
    elif isinstance(param, Flag):
        yield not argument
    elif isinstance(param, Float):
        yield from (-1.0, 0.0, float("nan"), float("inf"), 2.5)
    elif isinstance(param, Dtype):
        yield from dtypes.ALL
    elif isinstance(param, Text):
        yield from ("", "quux", *dict.fromkeys(each.arguments[param.name] for each in op.samples))
    elif isinstance(param, Int) or param.kind == "kInt":
        yield from (-1, 0, 1, 2, 3, 4, -9, 9, 100, -100)
        if getattr(param, "bits", 64) == 64:
            yield LONG
    elif isinstance(argument, tuple):
        yield from _array_values(argument)


def _array_values(values: tuple[Any, ...]) -> Iterator[Argument]:
    numbers = tuple(value for value in values if isinstance(value, int | float))
    if len(numbers) != len(values):
        yield from ((), values[:-1], (*values, values[-1]), values[:1] * MANY)
        return
    first = numbers[0] if numbers else 1
    yield from ((), (first,), (first,) * 2, (first,) * 4, (*numbers, first), numbers[:-1], (2,))
    for position in range(len(numbers)):
        for other in (0, -1, 2, 7, LONG):
            yield (*numbers[:position], other, *numbers[position + 1 :])

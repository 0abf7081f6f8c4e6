# SPDX-License-Identifier: Apache-2.0
"""Inputs that share memory with an output: what was there before the call is what counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import aclhost
from aclhost import ops
from aclhost.calls.drawn import inputs_of, python_results, valid_draw
from aclhost.calls.python_call import call_function
from aclhost.calls.values import flat
from aclhost.spec.call import Call
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorInOut, TensorList, TensorListInOut

LENGTH = 1 << 17  # enough for several blocks and threads
SIDE = 192
View = Callable[[np.ndarray], np.ndarray]
VIEWS: dict[str, tuple[View, View]] = {
    "first element": (lambda x: x, lambda x: x[:1]),
    "last element": (lambda x: x, lambda x: x[-1:]),
    "backwards": (lambda x: x, lambda x: x[::-1]),
    "one behind": (lambda x: x[1:], lambda x: x[:-1]),
    "one ahead": (lambda x: x[:-1], lambda x: x[1:]),
    "far behind": (lambda x: x[5000:], lambda x: x[:-5000]),
    "every other": (lambda x: x[: LENGTH // 2], lambda x: x[::2]),
}


def values(dtype: Any) -> np.ndarray:
    return (np.arange(LENGTH) % 23 + 1).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "complex128"])
@pytest.mark.parametrize("name", VIEWS)
def test_operators_in_place(name: str, dtype: str) -> None:
    written, read = VIEWS[name]
    x, wanted = values(dtype), values(dtype)
    written(wanted)[...] = written(wanted) + read(values(dtype))
    aclhost.inplace_add(written(x), read(x), 1)
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("name", VIEWS)
def test_fused_operators(name: str, dtype: str) -> None:
    written, read = VIEWS[name]
    x = (values(dtype) - 12) / 4
    target, source = written(x), np.broadcast_to(read(x), written(x).shape)
    wanted = aclhost.elu(source.copy())
    aclhost.elu(source, out=target)
    np.testing.assert_array_equal(target, wanted)


@pytest.mark.parametrize("name", VIEWS)
def test_fused_operators_of_two(name: str) -> None:
    written, read = VIEWS[name]
    x, other = values("float32"), values("float32")[::-1].copy()
    target, source = written(x), read(x)
    wanted = aclhost.smooth_l1_loss(written(other), source.copy(), "none", 2.0)
    aclhost.smooth_l1_loss(written(other), source, "none", 2.0, out=target)
    np.testing.assert_array_equal(target, wanted)


def test_fused_operator_of_another_width() -> None:
    x = values("float32")
    half = x.view(np.float16)[:LENGTH]
    half[...] = values("float16") - 12
    wanted = aclhost.elu(half.copy()).astype(np.float32)
    aclhost.elu(half, out=x)
    np.testing.assert_array_equal(x, wanted)


def test_transposed_in_place() -> None:
    x = values("float32")[: SIDE * SIDE].reshape(SIDE, SIDE)
    wanted = x + x.T
    aclhost.inplace_add(x, x.T, 1)
    np.testing.assert_array_equal(x, wanted)


def test_result_of_another_width() -> None:
    x = values("float32")
    wanted = x > 5
    out = x.view(np.bool_)[7 : 7 + LENGTH]
    aclhost.gt_scalar(x, 5.0, out=out)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("name", VIEWS)
def test_copies(name: str) -> None:
    written, read = VIEWS[name]
    x, wanted = values("float32"), values("float32")
    written(wanted)[...] = read(values("float32"))
    aclhost.inplace_copy(written(x), read(x))
    np.testing.assert_array_equal(x, wanted)


def placed(
    one: np.ndarray, other: np.ndarray, apart: int, first: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Arrays like these two that begin so many bytes apart in the same memory."""
    memory = np.zeros(one.nbytes + other.nbytes + apart, np.uint8)

    def array(like: np.ndarray, start: int) -> np.ndarray:
        return memory[start : start + like.nbytes].view(like.dtype).reshape(like.shape)

    return array(one, 0 if first else apart), array(other, apart if first else 0)


def places(holder: Any, keys: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Where arrays with elements are kept, those in lists included."""
    for key in keys:
        if isinstance(holder[key], list):
            yield from places(holder[key], range(len(holder[key])))
        elif isinstance(holder[key], np.ndarray) and holder[key].size:
            yield holder, key


def inputs_only(op: Operator) -> list[str]:
    """Python's names of tensors, and lists of them, that are read and not written."""
    return [
        p.python_name
        for p in op.params
        if isinstance(p, TensorIn | TensorList) and not isinstance(p, TensorListInOut)
    ]


def in_place(op: Operator) -> list[str]:
    """Python's names of tensors that are overwritten."""
    return [p.python_name for p in op.params if isinstance(p, TensorInOut)]


DRAWN = [op for op in ops.ALL if op.draw is not None]
WALKED = [op for op in DRAWN if inputs_only(op) and (op.outputs or in_place(op))]


SEVERAL = [op for op in DRAWN if len(op.outputs) + len(in_place(op)) > 1]


class Drawn:
    """A call with arrays that can be moved before it is made."""

    def __init__(self, op: Operator, call: Call, seed: int) -> None:
        self.op, self.call = op, call
        self.inputs = inputs_of(op, call, seed)
        self.function, self.arguments, self.outputs = call_function(op, call)
        names = {p.python_name: p.name for p in op.python_params()}
        self.given = {name: own for name, own in names.items() if own in self.inputs}
        self.arguments.update({name: self.inputs[own] for name, own in self.given.items()})

    def written(self) -> list[tuple[Any, Any]]:
        """Where the arrays are kept that the call writes."""
        outputs = places(self.outputs, range(len(self.outputs)))
        return [*outputs, *places(self.arguments, in_place(self.op))]

    def run(self) -> list[np.ndarray]:
        outputs = self.outputs
        if outputs:
            self.arguments["out"] = outputs[0] if len(outputs) == 1 else tuple(outputs)
        with aclhost.soc(self.call.product.default_soc):
            return flat(self.function(**self.arguments))


def distance(rng: Random, one: np.ndarray, other: np.ndarray) -> int:
    """How many bytes apart two arrays begin."""
    elements = rng.choice((0, 0, 1, 3, one.size // 2, other.size // 2))
    return int(elements * max(one.itemsize, other.itemsize))


@pytest.mark.parametrize("op", WALKED, ids=lambda op: op.name)
def test_walk(op: Operator) -> None:
    """An input somewhere in an output's memory: the bits are those of separate memory."""
    rng, compared = Random(f"{op.name} overlap"), 0
    for number in range(12):
        drawn = Drawn(op, valid_draw(op, rng), number)
        call, arguments = drawn.call, drawn.arguments
        read = list(places(arguments, inputs_only(op)))
        written = drawn.written()
        if not read or not written:
            continue
        (reader, name), (writer, key) = rng.choice(read), rng.choice(written)
        one, other = reader[name], writer[key]
        is_read = writer is arguments
        if is_read and one.dtype != other.dtype and other.dtype.kind not in "iu":
            continue  # what the input leaves there may be a NaN, or no BOOL
        apart = distance(rng, one, other)
        reader[name], writer[key] = placed(one, other, apart, rng.random() < 0.5)
        writer[key][...] = other
        reader[name][...] = one
        if is_read:
            drawn.inputs[drawn.given[key]] = writer[key].copy()
        wanted = python_results(op, call, drawn.inputs)
        results = drawn.run()
        for ours, separate in zip(results, wanted, strict=True):
            assert ours.tobytes() == separate.tobytes(), (number, name, apart, call)
        compared += 1
    assert compared, "no call has both inputs and outputs"


@pytest.mark.parametrize("op", SEVERAL, ids=lambda op: op.name)
def test_outputs_in_each_other(op: Operator) -> None:
    """Nobody says what they hold then; but inputs and the memory around stay as they are."""
    rng = Random(f"{op.name} outputs")
    for number in range(6):
        drawn = Drawn(op, valid_draw(op, rng), number)
        call, arguments = drawn.call, drawn.arguments
        written = drawn.written()
        if len(written) < 2:
            continue
        (holder, name), (writer, key) = rng.sample(written, 2)
        one, other = holder[name], writer[key]
        memory = np.full(one.nbytes + other.nbytes + 4096, 77, np.uint8)
        apart = min(distance(rng, one, other), one.nbytes)
        holder[name] = memory[1024:][: one.nbytes].view(one.dtype).reshape(one.shape)
        writer[key] = memory[1024 + apart :][: other.nbytes].view(other.dtype).reshape(other.shape)
        writer[key][...] = other
        if not np.may_share_memory(holder[name], writer[key]):
            holder[name][...] = one
        kept = {each: np.copy(arguments[each]) for each in inputs_only(op)
                if isinstance(arguments.get(each), np.ndarray)}  # fmt: skip
        drawn.run()
        end = 1024 + max(one.nbytes, apart + other.nbytes)
        assert (memory[:1024] == 77).all()
        assert (memory[end:] == 77).all()
        for each, before in kept.items():
            assert arguments[each].tobytes() == before.tobytes(), (each, call)

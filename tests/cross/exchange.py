# SPDX-License-Identifier: Apache-2.0
"""Cases as runner.cpp reads them, and what it says has become of their memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from aclhost import ops
from aclhost.calls.values import (
    Storage,
    grouped,
    make_output,
    make_storage,
    member_name,
    named,
    scalar_value,
)
from aclhost.campaign.case import Case
from aclhost.campaign.check import MismatchError, check_memory, judge, read, written
from aclhost.campaign.rounds import one_thread
from aclhost.spec.call import Argument, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.params import Float, Parameter

Storages = dict[str, Storage]  # by parameter, or by member of a list
_LISTS = {"kTensorList": "l", "kTensorListOut": "l", "kScalarList": "m"}  # letters of runner.cpp
_ARRAYS = {
    "kIntArray": ("a", "int64"),
    "kFloatArray": ("F", "float32"),
    "kBoolArray": ("B", "bool"),
}


def _numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


def _with_length(values: tuple[int, ...]) -> bytes:
    return _numbers(len(values), *values)


def _tensor(tensor: TensorArg, memory: bytes) -> bytes:
    return b"".join(
        (
            _numbers(ord("t"), tensor.dtype.value, tensor.format.value, tensor.offset),
            _with_length(tensor.shape),
            _with_length(tensor.element_strides),
            _numbers(tensor.storage_elements, len(memory)),
            memory,
        )
    )


def _argument(param: Parameter, argument: Argument, name: str, storages: Storages) -> bytes:
    if isinstance(argument, TensorArg):
        return _tensor(argument, storages[name].memory.tobytes())
    if isinstance(param, Float):
        assert isinstance(argument, int | float)
        return _numbers(ord("f")) + struct.pack("<d", argument)
    if argument is None:
        return _numbers(ord("n"))
    if isinstance(argument, DataType):
        return _numbers(ord("i"), argument.value)
    if isinstance(argument, ScalarArg):
        value = scalar_value(argument).tobytes()
        return _numbers(ord("s"), argument.dtype.value, len(value)) + value
    if isinstance(argument, tuple) and param.kind in _LISTS:
        members = (
            _argument(param, each, member_name(name, position), storages)
            for position, each in enumerate(argument)
        )
        return _numbers(ord(_LISTS[param.kind]), len(argument)) + b"".join(members)
    if isinstance(argument, tuple):
        letter, numbers = _ARRAYS[param.kind]
        memory = np.array(argument, numbers).tobytes()
        return _numbers(ord(letter), len(memory)) + memory
    if isinstance(argument, str):
        text = argument.encode() + b"\0"
        return _numbers(ord("c"), len(text)) + text
    assert isinstance(argument, int)  # a bool, too
    return _numbers(ord("i"), argument)


def storages_of(case: Case, seed: int) -> Storages:
    """The memory of its tensors before the call."""
    rng = np.random.default_rng(seed)
    inputs = named({param.name: case.call.arguments[param.name] for param in read(case)})
    in_order = {param.name: case.call.arguments[param.name] for param in case.op.params}
    return {
        name: make_storage(tensor, rng) if name in inputs else make_output(tensor)
        for name, tensor in named(in_order).items()
        if isinstance(tensor, TensorArg)
    }


def write(path: Path, cases: Iterable[tuple[Case, Storages]]) -> None:
    """The file that the runner reads."""
    pairs = list(cases)
    with path.open("wb") as file:
        file.write(_numbers(len(pairs)))
        for case, storages in pairs:
            file.write(_numbers(ops.ALL.index(case.op), len(case.op.params)))
            for param in case.op.params:
                argument = case.call.arguments[param.name]
                file.write(_argument(param, argument, param.name, storages))


def _fetch(file: BinaryIO, storages: Storages) -> Storages:
    """The same tensors with the memory that the file holds."""
    after = {}
    for name, storage in storages.items():
        memory = storage.memory.copy()
        memory[...] = np.frombuffer(file.read(memory.nbytes), memory.dtype)
        view = storage.view
        offset = view.ctypes.data - storage.memory.ctypes.data if view.size else 0
        after[name] = Storage(
            memory, np.ndarray(view.shape, view.dtype, memory, offset, view.strides)
        )
    return after


def _judged(
    path: Path, cases: Iterable[tuple[Case, Storages]], judge: Callable[..., object]
) -> Iterator[Case]:
    """Compares the results in a file with the goldens."""
    with path.open("rb") as file:
        for case, before in cases:
            after = _fetch(file, before)
            results = {name: after[name].view for name in written(case)}
            views = grouped({name: storage.view.copy() for name, storage in before.items()})
            inputs = {param.name: views.get(param.name, []) for param in read(case)}
            try:
                for name, storage in after.items():
                    check_memory(case, name, before[name].memory, storage.memory, results.get(name))
                with one_thread():
                    judge(case, inputs, results)
            except MismatchError as error:
                raise MismatchError(f"{case!r}\n{error}") from None
            yield case
        assert not file.read(), "more results than cases"


def judged(
    cases: Iterable[Case],
    directory: Path,
    execute: Callable[[Path, Path, str], object],
    judge: Callable[..., object] = judge,
) -> Iterator[Case]:
    """Cases as they turn out right, product by product.

    `execute` runs the program on a file of cases, into a file of results, for a product; `judge`
    looks at the values.

    Raises:
        MismatchError: a result is wrong, or memory has changed that should not.

    """
    everything = list(cases)
    given, results = directory / "cases.bin", directory / "results.bin"
    for soc in sorted({case.call.product.default_soc for case in everything}):
        chosen = [case for case in everything if case.call.product.default_soc == soc]
        pairs = [(case, storages_of(case, n)) for n, case in enumerate(chosen)]
        write(given, pairs)
        execute(given, results, soc)
        yield from _judged(results, pairs, judge)

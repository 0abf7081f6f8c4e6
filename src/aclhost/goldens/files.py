# SPDX-License-Identifier: Apache-2.0
"""Operators on files: arguments that are read from them, results that are written to some."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import aclhost
from aclhost import goldens
from aclhost.arrays import NDArray, UnreadableArrayError, as_array, load_one, write_all
from aclhost.compare import Comparison, compare
from aclhost.spec import described, names
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorList, TensorOut

T = TypeVar("T")
_DESCRIBED = re.compile(r"(?P<file>.*\.bin):(?P<dtype>\w+)(\[(?P<shape>[^\]]*)\])?")


@dataclass(frozen=True)
class Raw:
    """Dtypes and shapes of raw files, by parameter; "" stands for all."""

    dtypes: Mapping[str, DataType] = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of_options(cls, op: Operator, dtypes: Sequence[str], shapes: Sequence[str]) -> Raw:
        """From `[ARG=]DTYPE` and `[ARG=]2,3`.

        Raises:
            ValueError: one of them cannot be read, or is given twice.

        """
        return cls(
            {n: names.dtype(text) for n, text in _by_parameter(op, "--dtype", dtypes).items()},
            {n: sizes(text) for n, text in _by_parameter(op, "--shape", shapes).items()},
        )

    def load(self, param: Parameter, path: Path) -> NDArray:
        """The array of a file; `FILE.bin:float16[8,16]` says itself what it holds."""
        dtype = self.dtypes.get(param.name, self.dtypes.get(""))
        shape = self.shapes.get(param.name, self.shapes.get(""))
        told = _DESCRIBED.fullmatch(str(path))
        if told:
            path, dtype = Path(told["file"]), names.dtype(told["dtype"])
            shape = None if told["shape"] is None else sizes(told["shape"])
        array = np.array(load_one(path, dtype))
        if path.suffix != ".bin" or shape is None:
            return array
        if math.prod(shape) != array.size:
            wanted = " x ".join(map(str, shape))
            raise ValueError(f"{path}: holds {array.size} elements, and its shape is {wanted}")
        return array.reshape(shape)


def _by_parameter(op: Operator, option: str, texts: Sequence[str]) -> dict[str, str]:
    result: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        key = names.parameter(op, name).name if equals else ""
        if key in result:
            raise described.MalformedError(f"{option} is given twice for {key or 'all'}")
        result[key] = value
    return result


def sizes(text: str) -> tuple[int, ...]:
    """A shape: `8,16` or `8x16`.

    Raises:
        MalformedError: it is something else.

    """
    try:
        found = tuple(int(word) for word in re.split(r"[,x ]+", text.strip("[]() ")) if word)
    except ValueError:
        found = (-1,)
    if any(size < 0 for size in found):
        raise described.MalformedError(f"--shape {text}: write sizes like 8,16")
    return found


def by_parameter(op: Operator, words: Mapping[str, T]) -> dict[str, T]:
    """Texts, or values, under the names that C has.

    Raises:
        ValueError: the operator has no such parameter, or has it twice here.

    """
    given: dict[str, T] = {}
    for word, text in words.items():
        name = names.parameter(op, word).name
        if name in given:
            raise described.MalformedError(f"{name} is given twice")
        given[name] = text
    return given


def refuse_results(op: Operator, given: Iterable[str]) -> None:
    """Raises MalformedError if what is computed was given."""
    for param in op.params:
        if isinstance(param, TensorOut) and param.name in given:
            raise described.MalformedError(f"{param.name} is a result of {op.name}")


def missing(op: Operator, given: Iterable[str]) -> list[Parameter]:
    """Parameters that have no default and no text."""
    return [
        param
        for param in op.params
        if not isinstance(param, TensorOut)
        and param.name not in given
        and param.python_default is None
    ]


def values(op: Operator, given: Mapping[str, str | tuple[str, ...]], raw: Raw) -> dict[str, Any]:
    """The arguments as Python's functions take them, by their names there.

    Raises:
        ValueError: a file or a text cannot be read.

    """
    found: dict[str, Any] = {}
    for param in op.params:
        if isinstance(param, TensorOut):
            continue
        if param.name in given:
            found[param.python_name] = _value(param, given[param.name], raw)
        else:
            found[param.python_name] = default(param, found)
    return found


def default(param: Parameter, found: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A parameter's default, next to the values of those before it."""
    rank = next((each.ndim for each in found.values() if isinstance(each, np.ndarray)), 0)
    return goldens.plain(described.default(param, rank))


def _value(param: Parameter, text: str | tuple[str, ...], raw: Raw) -> Any:  # noqa: ANN401
    if isinstance(text, tuple):
        return [raw.load(param, Path(file)) for file in text]
    if isinstance(param, (*TENSORS, TensorList)) and text.lower() in ("null", "none"):
        return None
    if isinstance(param, TENSORS):
        return raw.load(param, Path(text))
    if isinstance(param, TensorList):
        return [raw.load(param, Path(file)) for file in files_of(param, text)]
    return goldens.plain(described.argument(param, text))


def files_of(param: Parameter, text: str | tuple[str, ...]) -> list[str]:
    """The files that an argument names: none if it is no tensor, several of a list."""
    if isinstance(text, tuple):
        return list(text)
    if text.lower() in ("null", "none"):
        return []
    if isinstance(param, TensorList):
        return re.split(r",(?![^\[]*\])", text)  # not inside the brackets of a shape
    return [text] if isinstance(param, TENSORS) else []


@dataclass(frozen=True, eq=False)
class Result:
    """One result of a call.

    Attributes:
        name: As in C; members of lists have a number.
        native: What the library computes, in the dtype that the operator gives.
        exact: What the definition gives in float64; integers stay integers.

    """

    name: str
    native: NDArray
    exact: NDArray

    def compare(self, actual: NDArray | None = None) -> Comparison:
        """How far a result is from the exact one: that of a device, or the native one."""
        return compare(self.native if actual is None else as_array(actual), self.exact)


def compute(op: Operator, arguments: Mapping[str, Any], soc: str = "") -> list[Result]:
    """The results of an operator, on a SoC or on the current one.

    Raises:
        AclnnError: the operator refuses the arguments.
        ValueError: no product has such a SoC.

    """
    with aclhost.soc(names.soc(soc) if soc else aclhost.soc_name()):
        computed = goldens.native_results(op, arguments)
    exact = goldens.reference(op, arguments)
    return [
        Result(name, result, _as_delivered(each, result))
        for (name, result), each in zip(computed.items(), exact, strict=True)
    ]


def _as_delivered(exact: NDArray, native: NDArray) -> NDArray:
    """Of the same shape: one element may come without its axis. Integers wrap as they do there."""
    shaped = exact.reshape(native.shape)
    whole = shaped.dtype.kind in "iu" and native.dtype.kind in "iu"
    return shaped.astype(native.dtype) if whole else shaped


def write(
    op: Operator, directory: Path, kind: str, results: Sequence[Result], may_write: Targets
) -> dict[str, tuple[str, str]]:
    """Writes all results; both files of each by its name.

    Raises:
        ValueError: a file is there already.
        OSError: one cannot be written.

    """
    content, where = packed(op, directory, kind, results)
    may_write.check(content)
    directory.mkdir(parents=True, exist_ok=True)
    write_all(content)
    return where


def packed(
    op: Operator, directory: Path, kind: str, results: Sequence[Result]
) -> tuple[dict[Path, bytes], dict[str, tuple[str, str]]]:
    """What is written to which files, and where each result is."""
    arrays: dict[str, NDArray] = {}
    for result in results:
        arrays[result.name], arrays[f"{result.name}.float64"] = result.native, result.exact
    if kind == "npy":
        where = {name: f"{directory / name}.npy" for name in arrays}
        content = {Path(where[name]): _npy(array) for name, array in arrays.items()}
    else:
        file = directory / f"{op.snake_name}.{kind}"
        where = {name: f"{file}:{name}" for name in arrays}
        content = {file: _npz(arrays) if kind == "npz" else _torch(arrays)}
    both = {each.name: (where[each.name], where[f"{each.name}.float64"]) for each in results}
    return content, both


@dataclass(frozen=True)
class Targets:
    """Which files may be written."""

    inputs: frozenset[Path] = frozenset()
    force: bool = False

    def check(self, paths: Iterable[Path]) -> None:
        """Raises ValueError for an input, and for a file that is there."""
        there = [path for path in paths if path.exists()]
        for path in there:
            if path.resolve() in self.inputs:
                raise ValueError(f"{path} is an input; choose another directory with -o")
        if there and not self.force:
            listed = ", ".join(map(str, there))
            verb = "is" if len(there) == 1 else "are"
            raise ValueError(f"{listed} {verb} there already; overwrite with --force, or choose -o")


def _npy(array: NDArray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _npz(arrays: Mapping[str, NDArray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _torch(arrays: Mapping[str, NDArray]) -> bytes:
    try:
        import torch
    except ModuleNotFoundError:
        raise UnreadableArrayError("writing .pt needs torch; pip install torch") from None

    def tensor(array: NDArray) -> Any:  # noqa: ANN401
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(np.ascontiguousarray(array))

    stream = io.BytesIO()
    torch.save({name: tensor(array) for name, array in arrays.items()}, stream)
    return stream.getvalue()

# SPDX-License-Identifier: Apache-2.0
"""Files that launched operators write while the program has dumps on, here as on a card.

A file is the length of its head (8 bytes), the head, which is a message of protobuf
(toolkit.dumpdata.DumpData), and the elements of all inputs and then of all outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aclhost.spec.dtypes import BY_NAME

# TYPE.NAME.TASK.STREAM.TIME, and what programs add to failing operators.
_NAME = re.compile(r"[^.]+\.[^.]+\.\d+\.\d+\.\d{16}|.+\.custom\.\d{13}")

# By number; other types have no NumPy counterpart.
_TYPES = {
    1: "FLOAT", 2: "FLOAT16", 3: "INT8", 4: "UINT8", 5: "INT16", 6: "UINT16", 7: "INT32",
    8: "INT64", 9: "UINT32", 10: "UINT64", 11: "BOOL", 12: "DOUBLE", 16: "COMPLEX64",
    17: "COMPLEX128", 27: "BF16", 33: "HIFLOAT8", 34: "FLOAT8_E5M2", 35: "FLOAT8_E4M3FN",
    36: "FLOAT8_E8M0",
}  # fmt: skip
# Numbers of the size of an input and of an output; the other fields agree.
_INPUT, _OUTPUT = (4, 5), (3, 6)


def is_dump(path: Path) -> bool:
    """Whether a file has the name of a dump."""
    return _NAME.fullmatch(path.name) is not None


def load(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a dump: input.0, input.1, ..., output.0, ...

    Raises:
        ValueError: the file ends too early, or has a type that NumPy does not know.

    """
    data = np.memmap(path, np.uint8, "r")
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    if start > data.size:
        raise ValueError("shorter than its head")
    head = _fields(data[8:start].tobytes())
    arrays = {}
    for side, (number, size_number) in (("input", _INPUT), ("output", _OUTPUT)):
        for index, message in enumerate(value for field, value in head if field == number):
            fields = dict(_fields(_bytes(message)))
            end = start + int(fields.get(size_number, 0))
            if end > data.size:
                raise ValueError(f"ends within {side} {index}")
            arrays[f"{side}.{index}"] = _array(fields, data[start:end])
            start = end
    return arrays


def _array(fields: dict[int, int | bytes], data: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    from aclhost.arrays import numpy_dtype  # which reads dumps, too

    number = fields.get(1, 0)
    if number not in _TYPES:
        raise ValueError(f"data type {number!r} has no counterpart in NumPy")
    shape = _fields(_bytes(fields.get(3, b"")))
    dims = [dim for _, packed in shape for dim in _varints(_bytes(packed))]
    return np.asarray(data).view(numpy_dtype(BY_NAME[_TYPES[int(number)]])).reshape(dims)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("not a message of a dump")
    return value


def _varints(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Numbers of fields and their values."""
    found: list[tuple[int, int | bytes]] = []
    place = 0

    def number() -> int:
        nonlocal place
        start = place
        while data[place] & 0x80:
            place += 1
        place += 1
        return next(_varints(data[start:place]))

    while place < len(data):
        key = number()
        value: int | bytes = number()
        if key & 7 == 2:
            end = place + int(value)
            value, place = data[place:end], end
        elif key & 7 != 0:
            raise ValueError("not a message of a dump")
        found.append((key >> 3, value))
    return found

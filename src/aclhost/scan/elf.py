# SPDX-License-Identifier: Apache-2.0
"""The symbols of an ELF file: the little of ELF that this needs."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = b"\x7fELF"
_RELOCATABLE = 1  # e_type of an object file, whose only table of symbols is the full one
_SYMTAB, _DYNSYM = 2, 11  # sh_type


class FormatError(ValueError):
    """The file is damaged, or no ELF file."""


@dataclass(frozen=True)
class _Layout:
    """Where the fields are; word sizes differ between 32 and 64 bits."""

    header: str  # e_type, e_shoff, e_shentsize, e_shnum
    section: str  # sh_type, sh_offset, sh_size, sh_link
    symbol: str  # st_name, st_shndx


_LAYOUTS = {
    1: _Layout("16x H 14x I 10x H H", "4x I 8x I I I", "I 10x H"),
    2: _Layout("16x H 22x Q 10x H H", "4x I 16x Q Q I", "I 2x H 16x"),
}


@dataclass(frozen=True)
class Symbol:
    """A name that a file defines for others, or takes from them."""

    name: str
    defined: bool


def symbols(data: bytes) -> list[Symbol]:
    """What the dynamic loader sees of a file; of an object file, what the linker sees.

    Raises:
        FormatError: the file cannot be read.

    """
    try:
        return list(_symbols(data))
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise FormatError(f"not a readable ELF file: {error}") from error


def _symbols(data: bytes) -> Iterator[Symbol]:
    if data[:4] != MAGIC:
        raise ValueError("no ELF header")
    layout, order = _LAYOUTS[data[4]], "<" if data[5] == 1 else ">"
    kind, start, width, count = struct.unpack_from(order + layout.header, data)
    headers = range(start, start + count * width, width)
    sections = [struct.unpack_from(order + layout.section, data, at) for at in headers]
    wanted = _SYMTAB if kind == _RELOCATABLE else _DYNSYM
    for sh_type, offset, size, link in sections:
        if sh_type == wanted:
            _, names, _, _ = sections[link]
            table = struct.iter_unpack(order + layout.symbol, data[offset : offset + size])
            yield from (Symbol(_text(data, names + at), home != 0) for at, home in table if at)


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("ascii", errors="replace")

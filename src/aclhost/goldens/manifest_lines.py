# SPDX-License-Identifier: Apache-2.0
"""The words of a manifest, line by line: of JSON lines or of CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

Word: TypeAlias = str | tuple[str, ...]  # as it would be typed; a list of texts, as of files
Found: TypeAlias = Iterator[tuple[int, dict[str, Word] | str]]


def lines_of(text: str) -> Found:
    """Numbers of lines with their words by column, or with what is wrong."""
    return _json_lines(text) if text.lstrip().startswith("{") else _csv_lines(text)


def _json_lines(text: str) -> Found:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON: {error}"
            continue
        if isinstance(found, dict):
            yield number, {key: _word(value) for key, value in found.items()}
        else:
            yield number, 'write {"operator": NAME, ARGUMENT: VALUE, ...}'


def _word(value: Any) -> Word:  # noqa: ANN401
    """Texts of a list stay apart: each may have commas."""
    if value and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return _text(value)


def _text(value: Any) -> str:  # noqa: ANN401
    """As it would be typed."""
    if isinstance(value, dict):
        return " ".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ",".join(map(_text, value)) or "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _csv_lines(text: str) -> Found:
    """The first line that is no comment names the columns; empty cells count nothing."""
    head: list[str] = []
    reader = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if not any(row) or row[0].startswith("#"):
                continue
            if head:
                yield reader.line_num, _cells(head, row)
                continue
            head = row
            if wrong := _wrong_head(head):
                yield reader.line_num, wrong
                return
    except csv.Error as error:
        yield reader.line_num, f"not CSV: {error}"


def _wrong_head(head: list[str]) -> str:
    if "operator" not in head:
        return "the first line names the columns, and none is operator"
    twice = [name for name, count in Counter(head).items() if name and count > 1]
    return f"the first line names {', '.join(twice)} more than once" if twice else ""


def _cells(head: list[str], row: list[str]) -> dict[str, Word] | str:
    if len(row) > len(head):
        return f"{len(row)} cells, and the first line names {len(head)} columns"
    return {key: cell for key, cell in zip(head, row, strict=False) if cell}

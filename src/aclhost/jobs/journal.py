# SPDX-License-Identifier: Apache-2.0
"""Rows as JSON lines, each written whole before the next piece of work is waited for."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

_BEGINNING = b'{"key": '


def read_journal(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of an earlier run by their keys; the last one counts, a line cut off does not.

    Raises:
        OSError: it cannot be read, or is something else, which must not be written to.

    """
    rows: dict[str, dict[str, Any]] = {}
    if not path.exists():
        return rows
    text = path.read_bytes()
    if not _BEGINNING.startswith(text[: len(_BEGINNING)]):
        raise OSError(f"{path} is not a journal; choose another file")
    for line in text.decode("ascii", "replace").splitlines():
        try:
            entry = json.loads(line)
            if isinstance(entry["row"], dict):
                rows[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError):
            continue
    return rows


class Journal:
    """Appends rows to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Journal:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = self.path.open("a+", encoding="ascii")  # as json writes it
        size = self._file.tell()
        self._file.seek(max(size - 1, 0))
        if size and self._file.read() != "\n":  # a run was cut off in the middle of a line
            self._file.write("\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, key: str, row: dict[str, Any]) -> None:
        """One line, in the file when this returns."""
        self._file.write(json.dumps({"key": key, "row": row}) + "\n")
        self._file.flush()

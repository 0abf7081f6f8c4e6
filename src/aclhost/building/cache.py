# SPDX-License-Identifier: Apache-2.0
"""Programs that were built before, found by the contents of all that went into them.

One directory for each program: the program, and a list of the files that it was made from.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_KEPT = 50  # programs and build directories
_PARTS = "made_from.json"


def directory() -> Path:
    """ACLHOST_CACHE, or a place below that of all caches; made if it is not there.

    Raises:
        OSError: it cannot be written to.

    """
    given = os.environ.get("ACLHOST_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = Path(given) if given else base / "aclhost"
    path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise PermissionError(f"{path} is not writable")
    return path


def key(words: Sequence[str], files: Sequence[Path]) -> str:
    """For a command on files: their contents count, not their times."""
    text = hashlib.sha256("\0".join(words).encode())
    for file in files:
        text.update(f"\0{file}\0{_digest(file)}".encode())
    return text.hexdigest()[:32]


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def find(entry: Path, name: str) -> Path | None:
    """The program of an entry, unless a file that it was made from has changed."""
    try:
        parts = json.loads((entry / _PARTS).read_text())
        fresh = all(_digest(Path(file)) == digest for file, digest in parts.items())
    except (OSError, ValueError):
        return None
    program = entry / name
    if not fresh or not program.is_file():
        return None
    os.utime(entry)  # the last use, for `forget`
    return program


def store(entry: Path, build: Path, name: str, parts: Sequence[Path]) -> Path:
    """Takes a program from the directory where it was built."""
    made_from = {str(file.resolve()): _digest(file) for file in parts}
    new = Path(tempfile.mkdtemp(dir=entry.parent, prefix=".new-"))
    shutil.copy2(build / name, new / name)
    (new / _PARTS).write_text(json.dumps(made_from))
    shutil.rmtree(entry, ignore_errors=True)
    try:
        new.rename(entry)
    except OSError:  # somebody else was quicker
        shutil.rmtree(new, ignore_errors=True)
    forget(entry.parent)
    return entry / name


def forget(cache: Path) -> None:
    """Removes what was not used for longest."""
    with suppress(OSError):
        entries = [path for path in cache.iterdir() if path.is_dir()]
        entries.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in entries[_KEPT:]:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def locked(entry: Path) -> Iterator[Path]:
    """A directory that one process at a time builds in."""
    entry.mkdir(exist_ok=True)
    with (entry / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.utime(entry)
        yield entry

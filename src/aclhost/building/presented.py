# SPDX-License-Identifier: Apache-2.0
"""The toolkit tree where clients with fixed paths look for it: below /usr/local/Ascend.

Such clients ignore every variable. They look into ascend-toolkit/latest, ascend-toolkit/<version>
or cann-<version>, and there into lib64 or, on any processor, aarch64-linux/lib64.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from aclhost.building import toolkit

DEFAULT = Path("/usr/local/Ascend")
VERSION = "9.1.0"  # of upstream's release whose headers and functions the tree has
# What was made, so that it can be undone: paths below the directory, each with its target.
RECORD = ".aclhost.json"


class PresentationError(ValueError):
    """A place that cannot be used; the message says why, and what to do."""


def links(version: str = VERSION) -> dict[str, str]:
    """Symbolic links by their path below the directory that presents the tree."""
    root = toolkit.prefix()
    home = f"cann-{version}"
    made = {f"{home}/{entry.name}": str(entry) for entry in sorted(root.iterdir())}
    made.setdefault(f"{home}/aarch64-linux", str(root / f"{platform.machine()}-linux"))
    made |= {f"ascend-toolkit/{name}": f"../{home}" for name in (version, "latest")}
    return made | {"cann": home, "latest": home}


def make(directory: Path, version: str = VERSION) -> list[Path]:
    """Presents the tree, or does so anew; the paths that clients know it by."""
    _refuse_foreign(directory)
    try:
        if _recorded(directory):
            remove(directory)
        made = links(version)
        created = _make_parents(directory)
        record = {"links": made, "created": [str(path) for path in created]}
        (directory / RECORD).write_text(json.dumps(record, indent=1) + "\n")
        for name, target in made.items():
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).symlink_to(target)
    except OSError as error:
        raise _unwritable(error) from None
    entries = (f"cann-{version}", f"ascend-toolkit/{version}", "ascend-toolkit/latest")
    return [directory / name for name in (*entries, "cann", "latest")]


def remove(directory: Path) -> int:
    """Takes away what make() made and nothing else; how many links there were."""
    record = _recorded(directory)
    if not record:
        raise PresentationError(f"{directory} was not made by aclhost link; nothing was changed")
    names = [name for name in record["links"] if (directory / name).is_symlink()]
    try:
        for name in names:
            (directory / name).unlink()
        (directory / RECORD).unlink()
        _remove_empty(directory, record)
    except OSError as error:
        raise _unwritable(error) from None
    return len(names)


def _remove_empty(directory: Path, record: dict[str, list[str]]) -> None:
    below = {(directory / name).parent for name in record["links"]} - {directory}
    for path in (*below, *map(Path, reversed(record["created"]))):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _recorded(directory: Path) -> dict[str, list[str]]:
    """What make() noted; empty where it was not."""
    try:
        record: dict[str, list[str]] = json.loads((directory / RECORD).read_text())
    except (OSError, ValueError):
        return {}
    return record


def _refuse_foreign(directory: Path) -> None:
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise PresentationError(f"{directory} is no directory; nothing was changed")
    record = _recorded(directory)
    for path in _foreign(directory, set(record.get("links", ()))):
        raise PresentationError(
            f"{directory} holds {path.relative_to(directory)}, which aclhost did not make: it may"
            " be a real toolkit, and was left alone; choose another directory, or use"
            f" aclhost run --at {directory} COMMAND, which hides it from that command only"
        )


def _foreign(directory: Path, ours: set[str]) -> Iterator[Path]:
    if not directory.is_dir():
        return
    for path in sorted(directory.iterdir()):
        name = path.name
        if name in ours or name == RECORD:
            continue
        inside = {each.partition("/")[2] for each in ours if each.startswith(f"{name}/")}
        if not inside or path.is_symlink() or not path.is_dir():
            yield path
        else:
            yield from (each for each in sorted(path.iterdir()) if each.name not in inside)


def _make_parents(directory: Path) -> list[Path]:
    """Those that did not exist, the outermost first."""
    missing = [path for path in (*reversed(directory.parents), directory) if not path.exists()]
    for path in missing:
        path.mkdir()
    return missing


def _unwritable(error: OSError) -> PresentationError:
    return PresentationError(
        f"{error.filename}: {os.strerror(error.errno or 0)}; run it as root, name a directory of"
        " your own, or use aclhost run --at DIR COMMAND, which needs no rights"
    )

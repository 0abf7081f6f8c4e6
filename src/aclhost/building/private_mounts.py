# SPDX-License-Identifier: Apache-2.0
"""Runs a command that sees other files at one place; nobody else does, and nothing stays behind.

A program of its own, started by path: a process with threads cannot enter a user namespace, and
this one imports nothing that starts any.

    python -I private_mounts.py PLACE LINKS COMMAND [ARGUMENT]...

PLACE gets what LINKS, a JSON object, says: symbolic links by path. Exit status 125 where the
kernel forbids it, 127 where there is no such command, else the command's.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import NoReturn

NOT_ALLOWED = 125
_NOT_FOUND = 127
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> NoReturn:
    """Prepares the place, then becomes the command."""
    place, links, command = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    working_directory = os.getcwd()
    try:
        _unshare()
        _call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
        _cover(place)
        for name, target in links.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).symlink_to(target)
        os.chdir(working_directory)  # where the same path is another directory now
    except OSError as error:
        _give_up(NOT_ALLOWED, _forbidden(error))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _give_up(_NOT_FOUND, f"{command[0]}: {os.strerror(error.errno or 0)}")


def _give_up(status: int, text: str) -> NoReturn:
    print(f"aclhost: {text}", file=sys.stderr)
    sys.exit(status)


def _forbidden(error: OSError) -> str:
    return (
        f"the kernel forbids private mounts here ({error.strerror or error}). In a container, allow"
        " them (docker run --cap-add SYS_ADMIN --security-opt apparmor=unconfined); elsewhere, let"
        " users have namespaces (sysctl kernel.unprivileged_userns_clone=1 or, on Ubuntu,"
        " kernel.apparmor_restrict_unprivileged_userns=0); or let root run: aclhost link"
    )


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _unshare() -> None:
    """A mount namespace; who is not root, or root without its rights, needs a user's, too."""
    if os.geteuid() == 0 and _libc.unshare(_CLONE_NEWNS) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _CLONE_NEWNS | _CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _mount_tmpfs(place: str) -> None:
    _call("mount", b"none", os.fsencode(place), b"tmpfs", ctypes.c_ulong(0), b"mode=755")


def _cover(place: Path) -> None:
    """An empty directory at the place, which need not exist: then its parents are rebuilt."""
    if place.is_dir():
        _mount_tmpfs(str(place.resolve()))
        return
    parent = next(each for each in place.parents if each.is_dir()).resolve()
    old = os.open(parent, os.O_PATH | os.O_DIRECTORY)
    names = os.listdir(parent)
    _mount_tmpfs(str(parent))
    for name in names:
        _show_again(f"/proc/self/fd/{old}/{name}", parent / name)
    os.close(old)
    place.mkdir(parents=True)


def _show_again(source: str, target: Path) -> None:
    if os.path.islink(source):
        target.symlink_to(os.readlink(source))
        return
    if os.path.isdir(source):
        target.mkdir()
    else:
        target.touch()
    flags = ctypes.c_ulong(_MS_BIND | _MS_REC)
    _call("mount", os.fsencode(source), os.fsencode(target), None, flags, None)


if __name__ == "__main__":
    main()

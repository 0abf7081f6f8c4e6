# SPDX-License-Identifier: Apache-2.0
"""Where the toolkit tree lies, and how to build and run against it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import aclhost
from aclhost.spec import libraries


@cache
def prefix() -> Path:
    """The directory that serves as ASCEND_HOME_PATH; FileNotFoundError where nothing is built."""
    # An editable install keeps Python files and built files in different places.
    for directory in aclhost.__path__:
        root = Path(directory).resolve() / "toolkit"
        if (root / "lib64").is_dir():
            return root
    raise FileNotFoundError("aclhost has no toolkit tree here; install it with: pip install .")


def library() -> Path:
    """The runtime library under its classic name."""
    return prefix() / "lib64" / "libascendcl.so"


def cflags() -> list[str]:
    """Compiler flags; upstream's programs include headers with and without their directory."""
    include = prefix() / "include"
    return [f"-I{include}", f"-I{include / 'aclnnop'}", f"-I{include / 'aclnn'}"]


def libs() -> list[str]:
    """Linker flags; a program built with them runs without LD_LIBRARY_PATH."""
    directory = prefix() / "lib64"
    names = (f"-l{name}" for name in libraries.LINKED)
    return [f"-L{directory}", f"-Wl,-rpath,{directory}", *names, *placeholder_libs()]


def placeholder_libs() -> list[str]:
    """Linker flags, to stand last: what nothing else has comes from the placeholders."""
    # A program that needs none shall not load them: dlsym must not find their names.
    state = ("-Wl,--push-state,--as-needed", "-Wl,--pop-state")
    return [state[0], f"-L{prefix() / 'lib64'}", f"-l{libraries.PLACEHOLDERS}", state[1]]


def placeholders() -> Path:
    """The library with the operators that aclhost knows and does not compute."""
    return prefix() / "lib64" / f"lib{libraries.PLACEHOLDERS}.so"


def variables() -> dict[str, str]:
    """What set_env.sh assigns."""
    root = prefix()
    names = ("HOME_PATH", "TOOLKIT_HOME", "INSTALL_PATH", "CUSTOM_PATH", "AICPU_PATH")
    return {**{f"ASCEND_{name}": str(root) for name in names}, "ASCEND_OPP_PATH": f"{root}/opp"}


def search_paths() -> dict[str, str]:
    """What set_env.sh puts in front of colon-separated lists."""
    root = prefix()
    return {
        "LD_LIBRARY_PATH": f"{root}/lib64",
        "PATH": f"{root}/bin",
        "PYTHONPATH": f"{root}/python/site-packages",
    }


def environment(base: dict[str, str]) -> dict[str, str]:
    """A copy of `base` as set_env.sh would leave it."""
    result = {**base, **variables()}
    for name, directory in search_paths().items():
        known = [entry for entry in base.get(name, "").split(":") if entry]
        result[name] = ":".join(known if directory in known else [directory, *known])
    return result

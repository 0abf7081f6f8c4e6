# SPDX-License-Identifier: Apache-2.0
"""`python -m aclhost.gen.check_exports MODULE LIBRARY`: what the library does not export.

Run by the build after linking the Python module, whose import would fail with one mangled name.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from aclhost.scan import elf

_OURS = ("_ZN7aclhost", "_ZNK7aclhost")  # how mangled names of namespace aclhost begin


def missing(module: Path, library: Path) -> list[str]:
    """C++ functions of ours that the module calls and the library does not export."""
    exported = {each.name for each in elf.symbols(library.read_bytes()) if each.defined}
    called = {each.name for each in elf.symbols(module.read_bytes()) if not each.defined}
    return sorted(name for name in called - exported if name.startswith(_OURS))


def _demangled(names: list[str]) -> str:
    text = "".join(f"  {name}\n" for name in names)
    if shutil.which("c++filt") is None:
        return text
    return subprocess.run(
        ["c++filt"], input=text, capture_output=True, text=True, check=True
    ).stdout


if __name__ == "__main__":
    names = missing(Path(sys.argv[1]), Path(sys.argv[2]))
    if names:
        sys.exit(f"PYTHON_MODULE in src/aclhost/gen/exports.py lacks\n{_demangled(names)}")

# SPDX-License-Identifier: Apache-2.0
"""python/aclhost/constants.py: enumerators, macros and status codes as plain assignments."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen.text import banner
from aclhost.spec import enums, error_codes


def emit() -> Iterator[tuple[str, str]]:
    """One module, written out so that type checkers and editors see every name."""
    sections = [(e.name, [(m.name, m.literal) for m in e.members]) for e in enums.ENUMERATIONS]
    sections += [
        (g.summary or g.header, [(m.name, m.literal) for m in g.members]) for g in enums.MACROS
    ]
    sections.append(("Status codes.", [(c.name, str(c.value)) for c in error_codes.ALL]))
    body = "".join(_section(title, rows) for title, rows in sections)
    note = banner("src/aclhost/spec/enums.py and error_codes.py").replace("//", "#")
    summary = '"""The numbers of the C headers under their C names."""\n'
    yield "python/aclhost/constants.py", f"{note}{summary}{body}"


def _section(title: str, rows: list[tuple[str, str]]) -> str:
    return f"\n# {title}\n" + "".join(f"{name} = {value}\n" for name, value in rows)

# SPDX-License-Identifier: Apache-2.0
"""Comparisons for CI: JUnit for its list of tests, Markdown for the summary of a job."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from aclhost.compare.rows import Entry

__all__ = ["junit", "markdown"]

_MOST = 100  # failures that a summary lists
_CONTROL = {code: "?" for code in range(32) if code not in (9, 10, 13)}  # XML has none of these


def junit(entries: Sequence[Entry], known: frozenset[str] | set[str] = frozenset()) -> str:
    """A test case for each pair; known failures are skipped ones."""
    failed = sum(entry.verdict == "fail" and entry.name not in known for entry in entries)
    errors = sum(entry.verdict == "error" and entry.name not in known for entry in entries)
    skipped = sum(not entry.passed and entry.name in known for entry in entries)
    cases = "".join(_case(entry, entry.name in known) for entry in entries)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites><testsuite name="aclhost compare" tests="{len(entries)}" '
        f'failures="{failed}" errors="{errors}" skipped="{skipped}">\n'
        f"{cases}</testsuite></testsuites>\n"
    ).translate(_CONTROL)


def _case(entry: Entry, known: bool) -> str:
    head = f'<testcase classname="aclhost.compare" name={quoteattr(entry.name)}'
    if entry.passed:
        return f"{head}/>\n"
    text = "\n".join(entry.reasons)
    if known:
        inside = f"<skipped message={quoteattr('failed before: ' + text)}/>"
    else:
        kind = "error" if entry.verdict == "error" else "failure"
        inside = f"<{kind} message={quoteattr(text)}>{escape(text)}</{kind}>"
    return f"{head}>{inside}</testcase>\n"


def markdown(entries: Sequence[Entry], known: frozenset[str] | set[str] = frozenset()) -> str:
    """The outcome, and a table of the failures."""
    failed = sorted((each for each in entries if not each.passed), key=lambda each: each.badness)
    new = [entry for entry in failed if entry.name not in known]
    lines = [f"## aclhost compare: {len(entries) - len(failed)} of {len(entries)} pass", ""]
    if len(failed) > len(new):
        lines += [f"{len(new)} failures are new; {len(failed) - len(new)} failed before.", ""]
    if new:
        lines += ["| pair | bad | max abs | max rel | max ulp | why |"]
        lines += ["| --- | ---: | ---: | ---: | ---: | --- |"]
        lines += [_line(entry) for entry in new[:_MOST]]
    if len(new) > _MOST:
        lines += ["", f"{len(new) - _MOST} more failures are not shown."]
    return "\n".join(lines).rstrip() + "\n"


def _line(entry: Entry) -> str:
    found = entry.comparison
    numbers = [""] * 4
    if found is not None:
        numbers = [str(found.outliers), f"{found.max_absolute:.3g}"]
        numbers += [f"{found.max_relative:.3g}", f"{found.max_ulp:g}"]
    cells = [f"`{entry.name}`", *numbers, "; ".join(entry.reasons)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

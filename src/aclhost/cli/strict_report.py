# SPDX-License-Identifier: Apache-2.0
"""Strict mode's options of `aclhost run`, and its findings as JSON, SARIF or JUnit."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from aclhost.cli.console import give_up
from aclhost.spec.names import suggestion

_WRONG_USE = 2
_FORMATS = ("text", "json", "sarif", "junit")
CHECKS = (
    "host access to device memory", "not device memory", "memory of another device",
    "wrong direction", "out of bounds", "use after free", "double free", "invalid free",
    "use after destroy", "double destroy", "uninitialised read", "missing synchronisation", "race",
    "overlapping tensors", "executor never run", "callback never processed", "leak",
)  # fmt: skip
_PATH = click.Path(path_type=Path)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds them to a command; each of them switches strict mode on."""
    for option in reversed(
        (
            click.option(
                "--strict", is_flag=True,
                help="Report what would fail on a card; exit with 66 if anything would.",
            ),
            click.option(
                "--strict-format", type=click.Choice(_FORMATS),
                help="Format of the report; text by default.",
            ),
            click.option(
                "--strict-output", type=_PATH, help="Write the report to this file, not to stderr."
            ),
            click.option(
                "--strict-checks", metavar="NAMES",
                help="Only these findings (race,leak), or all but these (-leak).",
            ),
            click.option(
                "--suppress", type=_PATH, metavar="FILE",
                help="File of findings to ignore, one per line.",
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


@dataclass
class Report:
    """What becomes of the findings when the program has ended."""

    kind: str = ""
    file: Path | None = None
    lines: Path | None = None

    def finish(self, status: int) -> int:
        """Writes the report; the status to exit with."""
        if self.lines is None:
            return status
        run = _Run.read(self.lines)
        self.lines.unlink(missing_ok=True)
        text = {"json": _json, "sarif": _sarif, "junit": _junit}[self.kind](run)
        if self.file is None:
            sys.stderr.write(text)
            return status
        try:
            self.file.write_text(text)
        except OSError as error:
            give_up(f"{self.file}: {error.strerror}", status or _WRONG_USE)
        return status


def prepare(
    environment: dict[str, str],
    strict: bool,
    strict_format: str | None,
    strict_output: Path | None,
    strict_checks: str | None,
    suppress: Path | None,
) -> Report:
    """Puts the options into the environment of the program."""
    if not (strict or strict_format or strict_output or strict_checks or suppress):
        return Report()
    environment["ACLHOST_STRICT"] = "1"
    if strict_checks is not None:
        environment["ACLHOST_STRICT_CHECKS"] = _checked(strict_checks)
    if suppress is not None:
        if not suppress.is_file():
            give_up(f"{suppress}: no such file", _WRONG_USE)
        environment["ACLHOST_STRICT_SUPPRESS"] = str(suppress.resolve())
    if strict_format in (None, "text"):
        if strict_output is not None:
            environment.update(
                ACLHOST_STRICT_LOG=str(strict_output.resolve()), ACLHOST_STRICT_TEXT="0"
            )
            strict_output.unlink(missing_ok=True)
        return Report()
    handle, name = tempfile.mkstemp(prefix="aclhost-strict-")
    open(handle, "w").close()
    environment.update(ACLHOST_STRICT_JSON=name, ACLHOST_STRICT_TEXT="0")
    return Report(strict_format or "", strict_output, Path(name))


def _checked(text: str) -> str:
    known = {check.replace(" ", "-") for check in CHECKS}
    for word in text.split(","):
        name = word.strip().removeprefix("-")
        if name not in known:
            hint = suggestion(name, known) or f"; there are {', '.join(sorted(known))}"
            give_up(f"--strict-checks: no check {name!r}{hint}", _WRONG_USE)
    return text


@dataclass
class _Run:
    """What the library wrote: a line for each finding and one at the end."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    suppressed: int = 0
    leaks_checked: bool = False
    ended: bool = False  # False: the program was killed, or never called the runtime

    @classmethod
    def read(cls, file: Path) -> _Run:
        run = cls()
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if "title" in row:
                run.findings.append(row)
            else:  # one for each process of the program
                run.suppressed += row["suppressed"]
                run.leaks_checked = row["leaks_checked"]
                run.ended = True
        return run


def _json(run: _Run) -> str:
    data = {
        "findings": run.findings,
        "suppressed": run.suppressed,
        "leaks_checked": run.leaks_checked,
        "ended": run.ended,
    }
    return json.dumps(data, indent=2) + "\n"


def _frames(finding: dict[str, Any]) -> list[dict[str, Any]]:
    """Those with a line, the place where it went wrong first."""
    return [frame for place in reversed(finding["places"]) for frame in place["frames"]
            if "line" in frame]  # fmt: skip


def _text(finding: dict[str, Any]) -> str:
    lines = [f"{finding['title']}: {finding['message']}"]
    for place in finding["places"]:
        shown = ", called from ".join(_frame(frame) for frame in place["frames"])
        lines.append(f"    {place['what']} {shown}")
    return "\n".join(lines)


def _frame(frame: dict[str, Any]) -> str:
    where = f" ({Path(frame['file']).name}:{frame['line']})" if "line" in frame else ""
    return f"{frame['function']}{where}"


def _location(frame: dict[str, Any]) -> dict[str, Any]:
    path = Path(frame["file"])
    here = Path.cwd()
    uri = str(path.relative_to(here)) if path.is_relative_to(here) else path.as_posix()
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": frame["line"]},
        },
        "logicalLocations": [{"name": frame["function"], "kind": "function"}],
    }


def _sarif(run: _Run) -> str:
    from aclhost import __version__

    rules = [{"id": name.replace(" ", "-"), "shortDescription": {"text": name}} for name in CHECKS]
    results = []
    for finding in run.findings:
        places = [_location(frame) for frame in _frames(finding)]
        result = {
            "ruleId": finding["title"].replace(" ", "-"),
            "level": "error",
            "message": {"text": finding["message"]},
        }
        if places:
            result.update(locations=places[:1], relatedLocations=places[1:])
        results.append(result)
    driver = {"name": "aclhost strict", "version": __version__, "rules": rules}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(document, indent=2) + "\n"


def _junit(run: _Run) -> str:
    """A test case for each finding, or one that passes."""
    from xml.sax.saxutils import escape, quoteattr  # slow to import

    cases = "".join(
        f'<testcase classname="aclhost.strict" name={quoteattr(each["title"])}>'
        f"<failure message={quoteattr(each['message'])}>{escape(_text(each))}</failure>"
        "</testcase>\n"
        for each in run.findings
    )
    count = len(run.findings)
    cases = cases or '<testcase classname="aclhost.strict" name="no findings"/>\n'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>'
        f'<testsuite name="aclhost strict" tests="{max(count, 1)}" failures="{count}">\n'
        f"{cases}</testsuite></testsuites>\n"
    )

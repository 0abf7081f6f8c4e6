# SPDX-License-Identifier: Apache-2.0
"""What `aclhost doctor` looks at: findings with a level, a text and, where needed, a remedy."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import aclhost
from aclhost import ops
from aclhost._native import describe_blas, instruction_set, thread_count
from aclhost.building import toolkit
from aclhost.building.compilers import COMPILERS, compiler
from aclhost.goldens.selftest import self_test
from aclhost.spec import libraries, products
from aclhost.spec.operator import Operator

_ARRAYS = ("numpy", "ml_dtypes", "torch", "jax")
_VENDOR = Path("/usr/local/Ascend")

Level = Literal["ok", "note", "warning", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    topic: str
    level: Level
    text: str
    remedy: str = ""


def examine(tested: Sequence[Operator]) -> Iterator[Finding]:
    """Everything, in the order in which it is worth reading; operators last."""
    yield from _installation()
    yield from _compiler()
    yield from _libraries()
    yield from _vendor()
    if _has_product():
        yield from map(_operator, tested)


def _installation() -> Iterator[Finding]:
    where = Path(aclhost.__file__).parent
    yield Finding("aclhost", "ok", f"{aclhost.__version__} in {where}")
    yield Finding("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Finding("machine", "ok", f"{platform.platform()}, {os.cpu_count()} processors")
    for name in _ARRAYS:
        try:
            yield Finding(name, "ok", version(name))
        except PackageNotFoundError:
            yield Finding(name, "note", "not installed; only its arrays need it")
    yield Finding("instructions", "ok", f"{instruction_set()}, {thread_count()} threads")
    yield _blas()
    soc = os.environ.get("ACLHOST_SOC", "")
    try:
        chosen = products.of_soc(soc or aclhost.soc_name())
        yield Finding("product", "ok", f"{chosen.title} ({soc or aclhost.soc_name()})")
    except ValueError as error:
        remedy = "Set ACLHOST_SOC to a name like Ascend910B1."
        yield Finding("product", "problem", f"ACLHOST_SOC: {error}", remedy)


def _blas() -> Finding:
    text = describe_blas()
    if text.startswith("OpenBLAS"):
        return Finding("blas", "ok", text)
    return Finding("blas", "note", text, "Matrix products are right, and slow.")


def _compiler() -> Iterator[Finding]:
    found = compiler()
    if found is None:
        wanted = os.environ.get("CXX") or ", ".join(COMPILERS)
        yield Finding(
            "compiler", "warning", f"none ({wanted}); Python works, C++ does not",
            "Install g++ or set CXX.",
        )  # fmt: skip
    else:
        done = subprocess.run([*found, "--version"], capture_output=True, text=True, check=False)
        first = (done.stdout.splitlines() or ["no version"])[0]
        yield Finding("compiler", "ok", f"{shutil.which(found[0])}: {first}")
    cmake = shutil.which("cmake")
    yield Finding("cmake", "ok" if cmake else "note", cmake or "none; only CMake projects need it")
    lines = shutil.which("addr2line")
    yield Finding(
        "addr2line", "ok" if lines else "note", lines or "none; strict mode names no lines",
        "" if lines else "Install binutils.",
    )  # fmt: skip


def _libraries() -> Iterator[Finding]:
    """What a program would get that asks for the names, without a path of its own."""
    try:
        ctypes.CDLL(str(toolkit.library()))
    except OSError as error:
        yield Finding("toolkit", "problem", str(error), "Install again: pip install aclhost.")
        return
    ours = toolkit.prefix() / "lib64"
    yield Finding("toolkit", "ok", f"{ours.parent}")
    paths = {name: _search(f"lib{name}.so") for name in libraries.NAMES}
    foreign = {name: path for name, path in paths.items() if path and path.parent != ours}
    for name, path in foreign.items():
        yield Finding(
            f"lib{name}.so", "problem", f"{path} would be loaded, which is not aclhost's",
            "Put aclhost first: eval \"$(aclhost env)\", last in the shell.",
        )  # fmt: skip
    if all(path and path.parent == ours for path in paths.values()):
        yield Finding("libraries", "ok", f"all {len(libraries.NAMES)} names lead to {ours}")
    elif not foreign:
        yield Finding(
            "libraries", "note", "found by programs that aclhost builds, by others not yet",
            'For programs built elsewhere: eval "$(aclhost env)".',
        )  # fmt: skip


def _search(file: str) -> Path | None:
    """The dynamic loader's way: LD_LIBRARY_PATH, then its cache."""
    for directory in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if directory and (Path(directory) / file).exists():
            return (Path(directory) / file).resolve()
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    try:
        cache = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    for line in cache.splitlines():
        if line.strip().startswith(f"{file} "):
            return Path(line.rpartition("=> ")[2]).resolve()
    return None


def _vendor() -> Iterator[Finding]:
    """Whether a real CANN is in the way."""
    ours = toolkit.prefix()
    remedy = 'eval "$(aclhost env)" after the vendor\'s set_env.sh, or leave that one out.'
    clean = True
    for name in toolkit.variables():
        value = os.environ.get(name)
        if value and ours not in (Path(value).resolve(), *Path(value).resolve().parents):
            clean = False
            yield Finding("CANN", "warning", f"{name} is {value}, not aclhost's tree", remedy)
    if _VENDOR.exists() and ours not in _VENDOR.resolve().parents:
        clean = False
        yield Finding("CANN", "note", f"{_VENDOR} exists; programs with this path built in use it")
    spec = importlib.util.find_spec("acl")
    if spec is not None and spec.origin and str(ours) not in str(Path(spec.origin).resolve()):
        clean = False
        yield Finding("CANN", "warning", f"`import acl` gives {spec.origin}", remedy)
    preloaded = os.environ.get("LD_PRELOAD", "")
    if preloaded:
        clean = False
        yield Finding("CANN", "note", f"LD_PRELOAD is {preloaded}")
    if clean:
        yield Finding("CANN", "ok", "none in the way")


def _has_product() -> bool:
    """Whether operators can run at all; the installation's findings say why not."""
    try:
        return bool(aclhost.soc_name())
    except ValueError:
        return False


def _operator(op: Operator) -> Finding:
    outcome = self_test(op)
    if outcome.problems:
        return Finding(op.name, "problem", outcome.problems[0], "Report it, with this output.")
    text = f"{outcome.ran} samples, at most {outcome.max_ulp:g} ulp from float64"
    return Finding(op.name, "ok", text)


def without_passed(findings: Sequence[Finding]) -> list[Finding]:
    """One line for all operators that passed: hundreds would hide what else there is to read."""
    passed = {each.topic for each in findings if each.topic in ops.BY_NAME and each.level == "ok"}
    shown = [finding for finding in findings if finding.topic not in passed]
    if passed:
        text = f"{len(passed)} of {len(ops.BY_NAME)} passed their samples; --all lists them"
        shown.append(Finding("operators", "ok", text))
    return shown


def verdict(findings: Sequence[Finding]) -> str:
    """The last line: whether aclhost works here."""
    problems = [finding for finding in findings if finding.level == "problem"]
    warnings = [finding for finding in findings if finding.level == "warning"]
    if problems:
        topics = ", ".join(dict.fromkeys(finding.topic for finding in problems))
        return f"{len(problems)} problem{'' if len(problems) == 1 else 's'}: {topics}"
    tested = sum(finding.topic.startswith("aclnn") for finding in findings)
    also = f", with {len(warnings)} warning{'' if len(warnings) == 1 else 's'}" if warnings else ""
    count = len(ops.BY_NAME)
    who = f"all {tested} operators" if tested == count else f"{tested} of {count}"
    return f"aclhost works here{also}: {who} passed their test"

# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin. pytest imports it always, so aclhost itself is imported only when needed."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_MARKER = "aclhost_socs"
_LOG = "ACLHOST_CALL_LOG"
_FINDINGS = "ACLHOST_STRICT_LOG"


@dataclass(frozen=True)
class Toolkit:
    """Where the toolkit tree is, and how to build against it."""

    prefix: Path
    cflags: tuple[str, ...]
    libs: tuple[str, ...]
    environment: dict[str, str]  # a copy of this process's, as set_env.sh would leave it


def pytest_addoption(parser: pytest.Parser) -> None:
    """The switches, on the command line and in the configuration."""
    group = parser.getgroup("aclhost", "Ascend programs on the CPU")
    group.addoption(
        "--aclhost", action="store_true", default=False,
        help="put aclhost's toolkit tree in the environment and report the aclnn calls",
    )  # fmt: skip
    group.addoption(
        "--aclhost-soc", metavar="SOC", help="play this product (A2) or SoC (Ascend910B1)"
    )
    group.addoption(
        "--aclhost-strict", action="store_true", default=False,
        help="fail a test when strict mode finds a mistake, also in programs that it starts",
    )  # fmt: skip
    parser.addini("aclhost", "as --aclhost, for every run", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Markers always; the environment and the counting only on request."""
    config.addinivalue_line(
        "markers", f"{_MARKER}(*names): run the test once for each product or SoC, or for 'all'"
    )
    if config.getoption("--aclhost") or config.getini("aclhost"):
        if config.getoption("--aclhost-strict"):
            config.pluginmanager.register(_Strict(), "aclhost-strict")
        config.pluginmanager.register(_Session(config), "aclhost-session")
        return
    for option in ("--aclhost-soc", "--aclhost-strict"):
        if config.getoption(option):
            raise pytest.UsageError(f"{option} needs --aclhost")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each product that the marker names."""
    marker = metafunc.definition.get_closest_marker(_MARKER)
    if marker is None:
        return
    socs = [soc for name in marker.args for soc in _socs(name)]
    if not socs:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {_MARKER} names no product")
    if "aclhost_soc" not in metafunc.fixturenames:
        metafunc.fixturenames.append("aclhost_soc")
    metafunc.parametrize("aclhost_soc", socs, indirect=True)


def _socs(name: str) -> list[str]:
    from aclhost.spec import names, products

    if name == "all":
        return [product.default_soc for product in products.ALL]
    try:
        return [names.soc(name)]
    except names.UnknownNameError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def aclhost_soc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The SoC that the test plays, in this process and in programs it starts."""
    import aclhost

    name: str = getattr(request, "param", None) or aclhost.soc_name()
    monkeypatch.setenv("ACLHOST_SOC", name)
    with aclhost.soc(name):
        yield name


@pytest.fixture(autouse=True)
def _aclhost_soc_of_the_marker(request: pytest.FixtureRequest) -> None:
    """The marker alone is enough; a test need not ask for the fixture."""
    if request.node.get_closest_marker(_MARKER) is not None:
        request.getfixturevalue("aclhost_soc")


@pytest.fixture
def aclhost_toolkit(monkeypatch: pytest.MonkeyPatch) -> Toolkit:
    """The toolkit tree, put in the environment for one test."""
    found = _toolkit()
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    return found


def _toolkit() -> Toolkit:
    from aclhost.building import toolkit as tree

    return Toolkit(
        tree.prefix(),
        tuple(tree.cflags()),
        tuple(tree.libs()),
        tree.environment(dict(os.environ)),
    )


class _Session:
    """What --aclhost switches on."""

    def __init__(self, config: pytest.Config) -> None:
        import aclhost

        os.environ.update(_toolkit().environment)
        soc = config.getoption("--aclhost-soc")
        if soc:
            os.environ["ACLHOST_SOC"] = _socs(soc)[0]
            aclhost.select_soc(os.environ["ACLHOST_SOC"])
        _load_libraries()
        self._before = aclhost.call_counts()
        # Workers of pytest-xdist inherit the file; whoever made it reads it.
        self._is_worker = hasattr(config, "workerinput")
        self._log = Path(os.environ[_LOG]) if self._is_worker else _new_log()

    def pytest_sessionfinish(self) -> None:
        if self._is_worker:
            os.environ.pop(_LOG)
            with self._log.open("a") as log:
                for name, (calls, refused) in self._own_calls().items():
                    log.write(f"{name} {calls} {refused}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        calls, refused = self._all_calls()
        terminalreporter.section("aclnn calls")
        for name in sorted(calls):
            note = f", {refused[name]} refused" if refused[name] else ""
            terminalreporter.line(f"{name:<40} {calls[name]:>8}{note}")
        if not calls:
            terminalreporter.line("none")
        from aclhost import ops

        absent = sum(op.name not in calls for op in ops.ALL)
        if absent and calls:
            terminalreporter.line(f"not called: {absent} of {len(ops.ALL)} operators")

    def pytest_unconfigure(self) -> None:
        if not self._is_worker:
            os.environ.pop(_LOG, None)
            self._log.unlink(missing_ok=True)

    def _own_calls(self) -> dict[str, tuple[int, int]]:
        import aclhost

        result = {}
        for name, (calls, refused) in aclhost.call_counts().items():
            old_calls, old_refused = self._before.get(name, (0, 0))
            if calls > old_calls:
                result[name] = (calls - old_calls, refused - old_refused)
        return result

    def _all_calls(self) -> tuple[Counter[str], Counter[str]]:
        calls: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for name, (own, bad) in self._own_calls().items():
            calls[name] += own
            refused[name] += bad
        for line in self._log.read_text().splitlines():
            name, count, bad_count = line.split()
            calls[name] += int(count)
            refused[name] += int(bad_count)
        return calls, refused


class _Strict:
    """What --aclhost-strict switches on. Made before aclhost's library is loaded."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="aclhost-findings-")
        os.close(handle)
        self._log = Path(name)
        # The report of a test has the findings; its captured stderr need not repeat them.
        os.environ.update(ACLHOST_STRICT="1", ACLHOST_STRICT_TEXT="0", **{_FINDINGS: name})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        yield from self._watched(item, "setup")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        yield from self._watched(item, "call")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        yield from self._watched(item, "teardown")

    def _watched(self, item: pytest.Item, when: str) -> Generator[None]:
        """Fails the phase with what was found, or adds that to a failure of its own."""
        try:
            yield
        except BaseException:
            if findings := self._findings():
                item.add_report_section(when, "aclhost strict", findings)
            raise
        if findings := self._findings():
            pytest.fail(f"strict mode found mistakes:\n{findings}", pytrace=False)

    def _findings(self) -> str:
        findings = self._log.read_text()
        self._log.write_text("")
        return findings

    def pytest_unconfigure(self) -> None:
        os.environ.pop(_FINDINGS, None)
        os.environ.pop("ACLHOST_STRICT", None)
        os.environ.pop("ACLHOST_STRICT_TEXT", None)
        self._log.unlink(missing_ok=True)


def _new_log() -> Path:
    handle, name = tempfile.mkstemp(prefix="aclhost-calls-")
    os.close(handle)
    os.environ[_LOG] = name
    return Path(name)


def _load_libraries() -> None:
    """LD_LIBRARY_PATH comes too late for this process; libraries that are loaded are found."""
    from aclhost.building import toolkit as tree
    from aclhost.spec import libraries

    for library in libraries.ALL:
        ctypes.CDLL(str(tree.prefix() / "lib64" / library.file))
    modules = tree.search_paths()["PYTHONPATH"]
    if modules not in sys.path:
        sys.path.insert(0, modules)

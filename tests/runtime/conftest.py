# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the library, a device, a stream; and fresh threads and processes."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import c_library
import pytest
from support.interpreter import said

from aclhost.building import toolkit


@pytest.fixture(scope="session")
def lib():
    return c_library.load(toolkit.library())


@pytest.fixture
def device(lib):
    """The thread has a context for the length of a test."""
    assert lib.aclrtSetDevice(0) == 0
    yield 0
    lib.aclrtResetDevice(0)


@pytest.fixture
def stream(lib, device):
    handle = ctypes.c_void_p()
    assert lib.aclrtCreateStream(handle) == 0
    yield handle
    lib.aclrtDestroyStream(handle)


@pytest.fixture
def other(lib, device):
    """A second stream."""
    handle = ctypes.c_void_p()
    assert lib.aclrtCreateStream(handle) == 0
    yield handle
    assert lib.aclrtDestroyStream(handle) == 0


@pytest.fixture
def memory(lib, device):
    """Makes device memory that goes with the test."""
    made = []

    def make(size=64):
        made.append(ctypes.c_void_p())
        assert lib.aclrtMalloc(made[-1], size, 0) == 0
        return made[-1]

    yield make
    for each in made:
        assert lib.aclrtFree(each) == 0


@pytest.fixture
def event(lib, device):
    """Makes events that go with captures."""
    made = []

    def make(flag=1, create="aclrtCreateEventExWithFlag"):
        made.append(ctypes.c_void_p())
        assert getattr(lib, create)(made[-1], flag) == 0
        return made[-1]

    yield make
    for each in made:
        assert lib.aclrtDestroyEvent(each) == 0


class Gate:
    """Holds a stream back until it is opened: the stream waits for an event not yet recorded."""

    def __init__(self, lib, stream):
        self.lib, self.event, self.opener = lib, ctypes.c_void_p(), ctypes.c_void_p()
        assert lib.aclrtCreateStream(self.opener) == 0
        assert lib.aclrtCreateEventWithFlag(self.event, 1) == 0
        assert lib.aclrtStreamWaitEvent(stream, self.event) == 0

    def open(self):
        assert self.lib.aclrtRecordEvent(self.event, self.opener) == 0

    def close(self):
        self.open()
        assert self.lib.aclrtDestroyEvent(self.event) == 0
        assert self.lib.aclrtDestroyStream(self.opener) == 0


@pytest.fixture
def gate(lib, stream):
    """The stream of the test does nothing until gate.open()."""
    held = Gate(lib, stream)
    yield held
    held.close()


@pytest.fixture
def in_thread():
    """Runs a function on a thread that has no context, no text and no last error."""

    def run(function):
        result = []
        thread = threading.Thread(target=lambda: result.append(function()))
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        return result[0]

    return run


_PRELUDE = f"""
import ctypes, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from c_library import *
lib = load(sys.argv[1])
"""


@pytest.fixture
def in_process():
    """Runs statements in a new interpreter, where nobody has called the library before."""

    def run(statements, *arguments, **environment):
        said(_PRELUDE + statements, str(toolkit.library()), *arguments, **environment)

    return run

# SPDX-License-Identifier: Apache-2.0
"""A device with a stream for the tests that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import aclhost
from aclhost import acl


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Programs that `aclhost run` builds here are not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def device() -> Iterator[None]:
    """Device 0, current on the main thread for the whole session."""
    assert acl.init() in (0, 100002)
    assert acl.rt.set_device(0) == 0
    yield
    assert acl.rt.reset_device(0) == 0


@pytest.fixture
def stream(device: None) -> Iterator[int]:
    """A fresh stream."""
    handle, status = acl.rt.create_stream()
    assert status == 0
    yield handle
    assert acl.rt.destroy_stream(handle) == 0


@pytest.fixture
def no_leaks(device: None) -> Iterator[None]:
    """The test leaves as many objects and allocations behind as it found."""
    before = aclhost.live_objects()
    yield
    assert aclhost.live_objects() == before

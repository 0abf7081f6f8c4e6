# SPDX-License-Identifier: Apache-2.0
"""Environment variables: read with the first call, and never ignored in silence."""

import sys

import pytest
from support.programs import clean_environment, run

STRICT = """
import os
from aclhost import acl
from aclhost.acl import _capi
lib = _capi.library()
lib.aclGetRecentErrMsg  # loaded, and nothing called
os.putenv("ACLHOST_STRICT", "1")
assert acl.init() == acl.rt.set_device(0) == 0
memory = acl.rt.malloc(64, 0)[0]
assert acl.rt.free(memory) == 0
assert acl.rt.free(memory) == 107000
"""


def test_strict_mode_set_by_the_program_itself():
    done = run([sys.executable, "-c", STRICT], status=66, env=clean_environment())
    assert "double free" in done.stderr


@pytest.mark.parametrize(
    ("text", "size"),
    [("1.5G", 3 << 29), ("0.25K", 256), ("64M", 64 << 20), ("4096", 4096), ("1.75T", 7 << 38)],
)
def test_sizes_of_device_memory(in_process, text, size):
    in_process(
        f"""
free, total = c_size_t(), c_size_t()
assert lib.aclInit(None) == lib.aclrtSetDevice(0) == 0
assert lib.aclrtGetMemInfo(1, free, total) == 0
assert total.value == {size}, total.value
""",
        ACLHOST_DEVICE_MEMORY=text,
    )


@pytest.mark.parametrize(
    "junk",
    ["junk", "1.5", "-1", "0", "1.G", ".5G", "1.5X", "1GG", "99999999999999999999", "99999999T"],
)
def test_junk_for_device_memory(in_process, junk):
    in_process(
        """
assert lib.aclInit(None) == INTERNAL_ERROR
assert "ACLHOST_DEVICE_MEMORY" in text(lib)
assert lib.aclrtSetDevice(0) == RT_DEV_SETUP_ERROR
assert "ACLHOST_DEVICE_MEMORY" in text(lib)
""",
        ACLHOST_DEVICE_MEMORY=junk,
    )

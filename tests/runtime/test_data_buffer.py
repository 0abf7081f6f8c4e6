# SPDX-License-Identifier: Apache-2.0
"""Data buffers: an address and a size behind a handle."""

from c_library import INVALID_PARAM, text


def test_life(lib):
    buffer = lib.aclCreateDataBuffer(4096, 2**33 + 5)
    assert lib.aclGetDataBufferAddr(buffer) == 4096
    assert lib.aclGetDataBufferSize(buffer) == 5
    assert lib.aclGetDataBufferSizeV2(buffer) == 2**33 + 5
    assert lib.aclUpdateDataBuffer(buffer, 8192, 7) == 0
    assert (lib.aclGetDataBufferAddr(buffer), lib.aclGetDataBufferSizeV2(buffer)) == (8192, 7)
    assert lib.aclDestroyDataBuffer(buffer) == 0
    assert lib.aclDestroyDataBuffer(buffer) == INVALID_PARAM
    assert "destroyed before" in text(lib)
    assert lib.aclUpdateDataBuffer(buffer, 0, 0) == INVALID_PARAM


def test_pointers_that_are_none(lib):
    for bad in (None, 12345):
        assert lib.aclGetDataBufferAddr(bad) is None
        assert lib.aclGetDataBufferSize(bad) == 0
        assert lib.aclGetDataBufferSizeV2(bad) == 0
        assert lib.aclDestroyDataBuffer(bad) == INVALID_PARAM
        assert lib.aclUpdateDataBuffer(bad, 0, 0) == INVALID_PARAM

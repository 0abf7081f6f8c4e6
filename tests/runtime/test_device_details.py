# SPDX-License-Identifier: Apache-2.0
"""Limits, atomic capabilities, amounts and kinds of memory, hints to caches, platform numbers."""

import ctypes
from ctypes import byref, c_char, c_size_t, c_uint32, c_uint64, c_void_p, create_string_buffer

import pytest
from c_library import INVALID_PARAM, RT_CONTEXT_NULL, RT_INVALID_DEVICEID, RT_PARAM_INVALID, text

import aclhost

UNSUPPORTED = 207000
SIMT_STACK, BRANCH_STACK, SIMD_STACK, SIMD_PRINT, SIMT_PRINT = range(5)
ADD, DMA_ADD = 0, 30


@pytest.fixture(params=["A2", "A950"])
def product(request):
    with aclhost.soc(request.param):
        yield request.param


def limit(lib, number):
    value = c_size_t()
    return lib.aclrtDeviceGetLimit(number, byref(value)) or value.value


def test_limits_are_kept(lib, product):
    assert limit(lib, SIMD_PRINT) == 32768
    assert lib.aclrtDeviceSetLimit(SIMD_PRINT, 2001) == 0
    assert limit(lib, SIMD_PRINT) == 2008  # whole units of 8
    assert lib.aclrtDeviceSetLimit(SIMD_PRINT, 1023) == RT_PARAM_INVALID
    assert "from 1024 to" in text(lib)
    assert lib.aclrtDeviceSetLimit(SIMD_PRINT, 32768) == 0
    most = {"A2": 196608, "A950": 131072}[product]
    assert lib.aclrtDeviceSetLimit(SIMD_STACK, most + 1) == RT_PARAM_INVALID
    assert lib.aclrtDeviceSetLimit(SIMD_STACK, most) == 0
    assert lib.aclrtDeviceSetLimit(SIMD_STACK, 32768) == RT_PARAM_INVALID  # more than the default
    assert lib.aclrtDeviceSetLimit(5, 1) == lib.aclrtDeviceGetLimit(0, None) == INVALID_PARAM


def test_limits_of_threads_are_of_one_product(lib):
    assert lib.aclrtDeviceSetLimit(SIMT_STACK, 256) == UNSUPPORTED
    with aclhost.soc("A950"):
        assert limit(lib, SIMT_STACK) == 1152 * 32
        assert lib.aclrtDeviceSetLimit(SIMT_STACK, 200) == 0
        assert limit(lib, SIMT_STACK) == 256 * 32
        assert lib.aclrtDeviceSetLimit(BRANCH_STACK, 0) == 0
        assert lib.aclrtDeviceSetLimit(SIMT_STACK, 0) == RT_PARAM_INVALID
        assert lib.aclrtDeviceSetLimit(BRANCH_STACK, 1024) == 0
        assert lib.aclrtDeviceSetLimit(SIMT_STACK, 1152) == 0


def atomic(lib, ask, operations, *devices):
    given, answer = (ctypes.c_int * len(operations))(*operations), (c_uint32 * len(operations))()
    code = getattr(lib, f"aclrtDeviceGet{ask}AtomicCapabilities")(
        answer, given, len(operations), *devices
    )
    return code or list(answer)


def test_atomic_capabilities(lib):
    copies = 1 | 8 | 16 | 32
    assert atomic(lib, "Host", [ADD, DMA_ADD], 0) == [0, 0]
    assert atomic(lib, "P2P", [ADD, DMA_ADD], 0, 0) == [0, copies]
    with aclhost.soc("A950"):
        assert atomic(lib, "Host", [ADD, 3, 10, DMA_ADD], 0) == [99, 98, 48, copies]
    assert atomic(lib, "Host", [13], 0) == atomic(lib, "Host", [], 0) == RT_PARAM_INVALID
    assert atomic(lib, "Host", [ADD], 9) == RT_INVALID_DEVICEID


class Usage(ctypes.Structure):
    _fields_ = (
        ("name", c_char * 32),
        ("current", c_uint64),
        ("peak", c_uint64),
        ("reserved", c_size_t * 8),
    )


def usage(lib):
    found, count = (Usage * 2)(), c_size_t()
    assert lib.aclrtGetMemUsageInfo(0, found, 2, byref(count)) == 0
    assert (count.value, found[0].name) == (1, b"APP")
    return found[0]


def test_memory_in_use(lib, device):
    before, place = usage(lib), c_void_p()
    assert lib.aclrtMalloc(place, 1 << 20, 0) == 0
    during = usage(lib)
    assert during.current - before.current >= 1 << 20
    assert during.peak >= during.current
    assert lib.aclrtFree(place) == 0
    after = usage(lib)
    assert (after.current, after.peak) == (before.current, during.peak)
    assert lib.aclrtGetMemUsageInfo(0, (Usage * 1)(), 0, byref(c_size_t())) == RT_PARAM_INVALID


def test_kind_of_memory(lib, memory, in_thread):
    device, host, answer = memory(), create_string_buffer(8), c_uint32(9)

    def ask(*addresses, kind=2):
        given = (c_void_p * len(addresses))(*(ctypes.cast(a, c_void_p) for a in addresses))
        return lib.aclrtCheckMemType(given, len(addresses), kind, byref(answer), 0) or answer.value

    assert ask(device) == 1
    assert ask(device, host) == ask(device, kind=8) == 0
    assert ask() == ask(device, kind=1) == RT_PARAM_INVALID
    assert in_thread(lambda: ask(device)) == RT_CONTEXT_NULL


def test_memory_for_the_task_scheduler(lib, device):
    place = c_void_p()
    assert lib.aclrtMallocForTaskScheduler(byref(place), 64, 0, None) == 0
    assert lib.aclrtFree(place) == 0


class Barrier(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("number", c_uint32))


class Barriers(ctypes.Structure):
    _fields_ = (("count", c_size_t), ("each", Barrier * 6))


def test_hints_to_caches(lib, stream, memory):
    place, description, size = memory(), memory(64), c_size_t()
    hint = lib.aclrtCmoAsyncWithBarrier
    assert hint(place, 64, 2, 3, stream) == hint(place, 64, 0, 0, stream) == 0
    assert hint(place, 64, 2, 0, stream) == hint(place, 64, 0, 1, stream) == RT_PARAM_INVALID
    barriers = Barriers(1, (Barrier * 6)(Barrier(2, 3)))
    assert lib.aclrtCmoWaitBarrier(byref(barriers), stream, 0) == 0
    barriers.count = 7
    assert lib.aclrtCmoWaitBarrier(byref(barriers), stream, 0) == INVALID_PARAM
    assert lib.aclrtCmoGetDescSize(byref(size)) == 0
    assert size.value <= 64
    assert lib.aclrtCmoSetDesc(description, place, 64) == 0
    assert lib.aclrtCmoAsyncWithDesc(description, 0, stream, None) == 0
    assert lib.aclrtCmoAsyncWithDesc(description, 1, stream, None) == RT_PARAM_INVALID
    assert lib.aclrtCmoSetDesc(description, place, 0) == RT_PARAM_INVALID


def platform(lib, kind, room=64):
    value = create_string_buffer(64)
    code = lib.aclplatformGetDeviceInfo(kind, value, room)
    return code or value.value


def test_platform(lib):
    assert platform(lib, 0) == platform(lib, 2) == b"24"
    assert platform(lib, 3) == b"48"
    assert (platform(lib, 1), platform(lib, 15)) == (b"196608", b"2201")
    assert platform(lib, 13) == lib.aclrtGetSocName()
    assert platform(lib, 13, room=11) == INVALID_PARAM
    assert "the answer takes 12" in text(lib)
    assert platform(lib, 7) == INVALID_PARAM  # its file does not say
    assert platform(lib, 17) == INVALID_PARAM
    with aclhost.soc("A950"):
        assert (platform(lib, 0), platform(lib, 7), platform(lib, 14)) == (
            b"36", b"1800", b"AIC-C-310",
        )  # fmt: skip

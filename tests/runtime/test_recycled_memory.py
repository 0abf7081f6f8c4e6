# SPDX-License-Identifier: Apache-2.0
"""Freed device memory serves again: as new, at another address, and never where it was."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
from ctypes import c_void_p

import pytest

TAIL = 64 << 10
SIZES = [64, 4096, 100_000, 1 << 20, (4 << 20) + 100, 40 << 20]
FREED = 107000  # what a second free gets


def allocate(lib, size):
    memory = c_void_p()
    assert lib.aclrtMalloc(memory, size, 0) == 0
    return memory.value


@pytest.mark.parametrize("size", SIZES)
def test_new_memory_is_zero_beyond_its_end(lib, device, size):
    zeros = bytes(size + TAIL)
    for _ in range(4):
        memory = allocate(lib, size)
        assert ctypes.string_at(memory, size + TAIL) == zeros
        ctypes.memset(memory, 0xFF, size + TAIL)
        assert lib.aclrtFree(memory) == 0


@pytest.mark.parametrize("size", SIZES)
def test_a_freed_address_is_freed_for_good(lib, device, size):
    first = allocate(lib, size)
    assert lib.aclrtFree(first) == 0
    later = [allocate(lib, size) for _ in range(3)]
    assert first not in later
    assert lib.aclrtFree(first) == FREED
    assert lib.aclrtMemset(first, 8, 0, 8) == FREED
    for memory in later:
        assert lib.aclrtFree(memory) == 0
        assert lib.aclrtFree(memory) == FREED


def test_sizes_do_not_mix(lib, device):
    for size in (1 << 20, 2 << 20, 1 << 20, 3 << 20, 2 << 20):
        memory = allocate(lib, size)
        ctypes.memset(memory, 1, size + TAIL)
        assert lib.aclrtFree(memory) == 0


def test_host_memory_serves_again_too(lib, device):
    for _ in range(3):
        memory = c_void_p()
        assert lib.aclrtMallocHost(memory, 1 << 20) == 0
        assert ctypes.string_at(memory, 1 << 20) == bytes(1 << 20)
        ctypes.memset(memory, 1, 1 << 20)
        assert lib.aclrtFreeHost(memory) == 0


def test_threads(lib, device):
    wrong = []

    def work(number):
        assert lib.aclrtSetDevice(0) == 0
        for _ in range(50):
            memory = allocate(lib, 300_000)
            if ctypes.string_at(memory, 300_000) != bytes(300_000):
                wrong.append(number)
            ctypes.memset(memory, number, 300_000)
            if ctypes.string_at(memory, 300_000) != bytes([number]) * 300_000:
                wrong.append(number)
            assert lib.aclrtFree(memory) == 0

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_touching_freed_memory_still_faults():
    program = """
import ctypes
from aclhost import acl
acl.init(); acl.rt.set_device(0)
memory, status = acl.rt.malloc(1 << 20, 0)
ctypes.memset(memory, 1, 8)
acl.rt.free(memory)
print("freed", flush=True)
ctypes.memset(memory, 1, 8)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.returncode) == ("freed\n", -signal.SIGSEGV)


def test_what_is_kept_is_bounded(in_process):
    in_process("""
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096
assert lib.aclInit(None) == lib.aclrtSetDevice(0) == 0
def many(size, count):
    held = []
    for _ in range(count):
        memory = c_void_p()
        assert lib.aclrtMalloc(memory, size, 0) == 0
        ctypes.memset(memory, 1, size)
        held.append(memory)
    for memory in held:
        assert lib.aclrtFree(memory) == 0
before = resident()
many(8 << 20, 64)
many(200_000, 1000)
assert resident() < before + (160 << 20)
""")

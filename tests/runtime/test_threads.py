# SPDX-License-Identifier: Apache-2.0
"""Many threads at once: nothing is lost, nothing is given out twice, nothing is destroyed twice."""

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int64, c_void_p

from c_library import ACLNN_INVALID, RT_PARAM_INVALID, dims

THREADS = 8


def run_together(work):
    """Runs `work(number)` on all threads from the same moment on."""
    barrier = threading.Barrier(THREADS)

    def start(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


def test_objects(lib):
    def work(number):
        shape = dims(number + 1, 2)
        for _ in range(300):
            tensor = lib.aclCreateTensor(shape, 2, 0, None, number, 2, shape, 2, None)
            offset = c_int64()
            assert lib.aclGetViewOffset(tensor, offset) == 0
            assert offset.value == number
            assert lib.aclDestroyTensor(tensor) == 0
            assert lib.aclDestroyTensor(tensor) == ACLNN_INVALID
        return True

    assert all(run_together(work))


def test_one_of_many_destroyers_wins(lib):
    for _ in range(50):
        tensor = lib.aclCreateTensor(dims(1), 1, 0, None, 0, 2, dims(1), 1, None)
        codes = run_together(lambda _, handle=tensor: lib.aclDestroyTensor(handle))
        assert sorted(codes) == [0] + [ACLNN_INVALID] * (THREADS - 1)


def test_memory(lib):
    def work(number):
        assert lib.aclrtSetDevice(0) == 0
        for size in range(1, 200):
            pointer = c_void_p()
            assert lib.aclrtMalloc(pointer, size, 0) == 0
            assert lib.aclrtMemset(pointer, size, number, size) == 0
            assert ctypes.string_at(pointer, size) == bytes([number]) * size
            assert lib.aclrtFree(pointer) == 0
        return lib.aclrtResetDevice(0)

    assert run_together(work) == [0] * THREADS


def test_one_of_many_frees_wins(lib, device):
    for _ in range(50):
        pointer = c_void_p()
        assert lib.aclrtMalloc(pointer, 64, 0) == 0
        codes = run_together(lambda _, memory=pointer: lib.aclrtFree(memory))
        assert sorted(codes) == [0] + [RT_PARAM_INVALID] * (THREADS - 1)


def test_contexts_and_streams(lib):
    def work(_):
        for _ in range(50):
            context, stream = c_void_p(), c_void_p()
            assert lib.aclrtCreateContext(context, 0) == 0
            assert lib.aclrtCreateStream(stream) == 0
            assert lib.aclrtSynchronizeDevice() == 0
            assert lib.aclrtDestroyContext(context) == 0
        return True

    assert all(run_together(work))


def test_set_and_reset(lib):
    def work(_):
        codes = set()
        for _ in range(200):
            codes.add(lib.aclrtSetDevice(0))
            codes.add(lib.aclrtSynchronizeDevice())
            codes.add(lib.aclrtResetDevice(0))
        return codes

    assert run_together(work) == [{0}] * THREADS

# SPDX-License-Identifier: Apache-2.0
"""Large results use memory of earlier ones again, and nobody notices but the clock."""

from __future__ import annotations

import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from support.interpreter import said

import aclhost
from aclhost import _native

COUNT = 1 << 20  # four MiB of float32
KINDS = {"numpy": np.asarray, "torch": torch.from_numpy}


def numbers(kind: str, value: float, count: int = COUNT) -> Any:
    return KINDS[kind](np.full(count, value, np.float32))


def address(array: Any) -> int:
    return array.data_ptr() if isinstance(array, torch.Tensor) else array.ctypes.data


@pytest.mark.parametrize("kind", KINDS)
class TestBothKinds:
    def test_the_next_result_gets_the_memory_of_the_last_one(self, kind: str) -> None:
        x = numbers(kind, 2)
        result = aclhost.elu(x)
        before = address(result)
        del result
        again = aclhost.elu(x)
        assert address(again) == before
        assert before % (2 << 20) == 0
        assert bool((again == 2).all())

    def test_memory_in_use_stays(self, kind: str) -> None:
        first = aclhost.elu(numbers(kind, 1))
        part = first[5::2]
        del first
        others = [aclhost.elu(numbers(kind, value)) for value in (2, 3)]
        assert len({address(other) for other in others} | {address(part)}) == 3
        assert bool((part == 1).all())
        assert [float(other[-1]) for other in others] == [2, 3]

    def test_it_serves_results_of_about_its_size(self, kind: str) -> None:
        result = aclhost.elu(numbers(kind, 1))
        before = address(result)
        del result
        smaller = aclhost.elu(numbers(kind, 2, COUNT - COUNT // 8))
        assert address(smaller) == before
        assert smaller.shape == (COUNT - COUNT // 8,)
        assert address(aclhost.elu(numbers(kind, 3, COUNT // 2))) != before

    def test_kinds_share_it(self, kind: str) -> None:
        result = aclhost.elu(numbers(kind, 1))
        before = address(result)
        del result
        other = next(name for name in KINDS if name != kind)
        assert address(aclhost.elu(numbers(other, 1))) == before

    def test_a_result_that_no_kernel_writes_is_zero_whatever_was_there(self, kind: str) -> None:
        dirty = aclhost.elu(numbers(kind, 9))
        before = address(dirty)
        del dirty
        x = numbers(kind, 1).reshape(1, 1, 64, 128, 128)
        nothing = KINDS[kind](np.zeros((1, 1, 0, 1, 1), np.float32))
        indices = KINDS[kind](np.zeros((1, 1, 0, 1, 1), np.int32))
        result = aclhost.max_pool3d_with_argmax_backward(nothing, x, indices, 2)
        assert address(result) == before
        assert not bool(result.any())

    def test_small_results_are_ordinary(self, kind: str) -> None:
        before = _native.result_memory()
        aclhost.elu(numbers(kind, 1, 1000))
        assert _native.result_memory() == before

    def test_threads(self, kind: str) -> None:
        wrong = []

        def work(value: float) -> None:
            x = numbers(kind, value)
            for _ in range(20):
                result = aclhost.elu(x)
                if not bool((result == value).all()):
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(value,)) for value in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


class TestNumpy:
    def test_an_array_like_any_other(self) -> None:
        result = aclhost.elu(numbers("numpy", 1))
        assert (result.base, result.flags.owndata, result.flags.writeable) == (None, True, True)
        result += 1
        assert np.array_equal(np.sort(result.copy()), numbers("numpy", 2))

    def test_it_can_be_resized(self) -> None:
        result = aclhost.elu(numbers("numpy", 3))
        result.resize(3 * COUNT, refcheck=False)
        assert (result[:COUNT] == 3).all()
        assert not result[COUNT:].any()
        result.resize(10, refcheck=False)
        assert np.array_equal(result, np.full(10, 3, np.float32))

    def test_other_arrays_keep_their_allocator(self) -> None:
        name = np._core.multiarray.get_handler_name
        result = aclhost.elu(numbers("numpy", 1))
        assert name(result) == "aclhost results"
        assert name(np.empty(COUNT)) == name(result.copy()) == "default_allocator"

    def test_bfloat16(self) -> None:
        result = aclhost.elu(np.ones(COUNT, ml_dtypes.bfloat16))
        assert result.dtype == ml_dtypes.bfloat16
        assert (result == 1).all()


class TestTorch:
    def test_a_tensor_like_any_other(self) -> None:
        result = aclhost.elu(numbers("torch", 1))
        assert type(result) is torch.Tensor
        assert (result.is_contiguous(), result._version) == (True, 0)
        result += 1
        assert result._version == 1
        assert torch.equal(result.clone(), numbers("torch", 2))
        assert torch.equal(torch.from_numpy(result.numpy()), result)

    def test_it_has_gradients(self) -> None:
        leaf = aclhost.elu(numbers("torch", 2)).requires_grad_()
        (leaf * leaf).sum().backward()
        assert torch.equal(leaf.grad, numbers("torch", 4))

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_every_type(self, dtype: torch.dtype) -> None:
        result = aclhost.elu(torch.ones(3, COUNT, dtype=dtype))
        assert (result.dtype, result.shape, result.stride()) == (dtype, (3, COUNT), (COUNT, 1))
        assert bool((result == 1).all())

    def test_freed_by_a_thread_of_its_own(self) -> None:
        holder = [aclhost.elu(numbers("torch", 1))]
        before = address(holder[0])
        thread = threading.Thread(target=holder.clear)
        thread.start()
        thread.join()
        assert address(aclhost.elu(numbers("torch", 1))) == before


HEAD = """
import numpy as np, aclhost
from aclhost import _native
MIB = 1 << 20
def result(mib): return aclhost.elu(np.ones(mib * MIB // 4, np.float32))
"""


def test_what_waits_is_bounded_in_bytes() -> None:
    program = """
results = [result(mib) for mib in (4, 5, 6, 7)]
assert _native.result_memory() == {"kept": 0, "buffers": 0, "limit": 16 * MIB}
while results: results.pop(0)
state = _native.result_memory()
assert (state["kept"], state["buffers"]) == (13 * MIB, 2), state  # those freed last
del state
large = result(17)
del large
assert _native.result_memory()["kept"] == 13 * MIB
"""
    said(HEAD + program, ACLHOST_RESULT_CACHE="16M")


def test_what_waits_is_bounded_in_number() -> None:
    program = """
results = [result(1) for _ in range(40)]
results.clear()
assert _native.result_memory()["buffers"] == 16
"""
    said(HEAD + program, ACLHOST_RESULT_CACHE="1G")


def test_memory_beyond_the_bound_goes_back() -> None:
    program = """
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096
result(8)
before = resident()
results = [result(8) for _ in range(32)]
assert resident() > before + 200 * MIB
results.clear()
assert resident() < before + 64 * MIB
"""
    said(HEAD + program, ACLHOST_RESULT_CACHE="32M")


def test_it_can_be_turned_off() -> None:
    program = """
r = result(8)
assert r.ctypes.data % 4096 != 0 or np._core.multiarray.get_handler_name(r) == "default_allocator"
del r
assert _native.result_memory() == {"kept": 0, "buffers": 0, "limit": 0}
"""
    said(HEAD + program, ACLHOST_RESULT_CACHE="0")


@pytest.mark.parametrize("text", ["", "many", "-1"])
def test_by_default_a_share_of_the_machine(text: str) -> None:
    program = """
import os
memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
assert abs(_native.result_memory()["limit"] * 16 - memory) < memory // 100
"""
    said(HEAD + program, ACLHOST_RESULT_CACHE=text)


def test_a_fork_among_threads() -> None:
    program = """
import os, signal, threading, torch
done = False
x = torch.ones(MIB)
def work():
    while not done: aclhost.elu(x)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        held = [result(4) for _ in range(4)]
        os._exit(0 if all((h == 1).all() for h in held) else 1)
    assert os.waitpid(child, 0)[1] == 0
done = True
for thread in threads: thread.join()
"""
    said("import warnings; warnings.simplefilter('ignore')\n" + HEAD + program)

# SPDX-License-Identifier: Apache-2.0
"""Many calls: references, memory, threads; and errors that travel."""

from __future__ import annotations

import array
import copy
import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch
from handmade_dlpack import Legacy, Versioned
from support.interpreter import said

import aclhost

PAGE = 4096


def arrays() -> dict[str, Any]:
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    return {
        "numpy": x,
        "bfloat16": x.astype(ml_dtypes.bfloat16),
        "scalar": np.float32(-1),
        "torch": torch.from_numpy(x.copy()),
        "jax": jnp.asarray(x),
        "memoryview": memoryview(x.copy()),
        "array": array.array("f", x),
        "legacy": Legacy(x.copy()),
        "versioned": Versioned(x.copy()),
    }


KINDS = tuple(arrays())


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def failing(call: Callable[[], Any]) -> None:
    try:
        call()
    except (TypeError, ValueError, OverflowError):
        return
    raise AssertionError("the call was accepted")


@pytest.mark.parametrize("kind", KINDS)
def test_references_stay_as_they_were(kind: str) -> None:
    x = arrays()[kind]
    out = np.zeros_like(aclhost.elu(x))
    before = sys.getrefcount(x), sys.getrefcount(out)
    for _ in range(10):
        aclhost.elu(x)
        aclhost.elu(x, out=out)
        aclhost.elu_backward(x, x)
        failing(lambda: aclhost.elu(x, "no number"))
        failing(lambda: aclhost.elu(x, out=np.zeros(3, np.float32)))
    after = sys.getrefcount(x), sys.getrefcount(out)
    assert after == before


def test_nothing_keeps_an_argument_or_a_result_alive() -> None:
    class Mine(np.ndarray):
        pass

    x = np.zeros(5, np.float32).view(Mine)
    result = aclhost.elu(x, out=np.zeros(5, np.float32).view(Mine))
    references = [weakref.ref(x), weakref.ref(result)]
    del x, result
    assert [reference() for reference in references] == [None, None]


@pytest.mark.parametrize("kind", KINDS)
def test_memory_stays_flat(kind: str) -> None:
    x, small = arrays()[kind], np.zeros(3, np.float32)
    # A call on a JAX array takes a hundred times as long as one on a NumPy array.
    rounds = 500 if kind == "jax" else 5000

    def work() -> None:
        for _ in range(rounds):
            aclhost.elu(x)
            aclhost.elu_backward(x, x, is_result=True)
            failing(lambda: aclhost.elu(x, 1j))
            failing(lambda: aclhost.elu(x, out=small))

    work()
    blocks, memory = sys.getallocatedblocks(), resident()
    work()
    gc.collect()
    # One object or 64 bytes lost per call would show as thousands of blocks, or as a megabyte.
    assert sys.getallocatedblocks() - blocks < rounds // 10
    # JAX keeps buffers of its own for a while.
    assert resident() - memory < rounds * 64 * 4 + (4 << 20 if kind == "jax" else 0)


def test_calls_leave_no_objects_in_the_library() -> None:
    before = aclhost.live_objects()
    for x in arrays().values():
        aclhost.elu(x)
        failing(lambda x=x: aclhost.elu(x, 1j))
    assert aclhost.live_objects() == before


# Each input is as large as a copy would be; the output repeats one element and takes no memory.
NO_COPY = """
import array, resource, sys
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch
import aclhost

COUNT = 1 << 24
SIZE = 4 * COUNT
out = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (COUNT,), (0,))
ones = np.ones(COUNT, np.float32)
inputs = [ones, torch.ones(COUNT), jnp.ones(COUNT), memoryview(ones.copy()),
          array.array("f", bytes(SIZE)), np.ones(2 * COUNT, ml_dtypes.bfloat16)[::2]]
for x in inputs:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert aclhost.elu(x, out=out) is out
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < SIZE // 4, (type(x), grown)
"""


def test_inputs_go_in_without_a_copy() -> None:
    said(NO_COPY)


def test_threads_in_parallel() -> None:
    wanted = {kind: np.asarray(aclhost.elu(x)).tobytes() for kind, x in arrays().items()}

    def work(number: int) -> int:
        mine = arrays()
        order = list(KINDS[number:] + KINDS[:number])
        for _ in range(30):
            for kind in order:
                assert np.asarray(aclhost.elu(mine[kind])).tobytes() == wanted[kind]
                with pytest.raises(aclhost.AclnnError, match="got COMPLEX128 "):
                    aclhost.elu(mine[kind], 1j)
        return number

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == list(range(8))


def test_other_threads_run_during_a_call() -> None:
    """With this switch interval, a thread runs only if another one gives way by itself."""
    x = np.ones(1 << 24, np.float32)
    go, ran = threading.Event(), []
    other = threading.Thread(target=lambda: (go.wait(), ran.append(True)))
    interval = sys.getswitchinterval()
    other.start()
    sys.setswitchinterval(1000)
    try:
        go.set()
        assert ran == []
        # On a busy machine the thread may get no processor for the length of one call.
        for _ in range(100):
            aclhost.inplace_elu(x)
            if ran:
                break
        during = list(ran)
    finally:
        sys.setswitchinterval(interval)
        other.join()
    assert during == [True]


def raised(call: Callable[[], Any]) -> aclhost.AclnnError:
    with pytest.raises(aclhost.AclnnError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "error",
    [
        raised(lambda: aclhost.elu(np.zeros(3, np.int32))),
        raised(lambda: aclhost.elu_backward(None, None)),
        aclhost.AclnnError("words", 507015),
    ],
    ids=lambda error: error.rule,
)
def test_errors_can_be_pickled_and_copied(error: aclhost.AclnnError) -> None:
    pickles = [pickle.dumps(error, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for other in (*map(pickle.loads, pickles), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is aclhost.AclnnError
        assert isinstance(other, ValueError)
        assert str(other) == str(error)
        for name in ("status", "parameter", "rule"):
            assert getattr(other, name) == getattr(error, name)


def test_an_error_says_everything() -> None:
    error = raised(lambda: aclhost.elu(np.zeros(3, np.int32)))
    assert (error.status, error.parameter, error.rule) == (161002, "self", "dtype_in")
    for part in ("aclnnElu", "self", "FLOAT16", "got INT32", "Ascend910B1", "Cast self"):
        assert part in str(error)

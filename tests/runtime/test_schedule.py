# SPDX-License-Identifier: Apache-2.0
"""Which thread runs what, and what the switches change."""

import pytest
from launching import ELU


def test_small_work_on_an_idle_stream_needs_no_thread(in_process):
    in_process(
        ELU
        + """
source, target = memory(16), memory(16)
before = threads()
assert launch(stream, source, target, 16) == 0
assert lib.aclrtMemsetAsync(source, 64, 0, 64, stream) == 0
assert threads() == before
assert lib.aclrtSynchronizeStream(stream) == 0
source, target = memory(1 << 20), memory(1 << 20)
assert launch(stream, source, target, 1 << 20) == 0
assert threads() > before
"""
    )


def test_streams_overlap(in_process):
    in_process(
        ELU
        + """
import threading
barrier = threading.Barrier(2)
meet = ctypes.CFUNCTYPE(None, c_void_p)(lambda _: barrier.wait(60))
assert lib.aclrtLaunchHostFunc(stream, meet, None) == 0
assert lib.aclrtLaunchHostFunc(other, meet, None) == 0
assert lib.aclrtSynchronizeDevice() == 0
assert not barrier.broken
"""
    )


@pytest.mark.parametrize("count", [16, 1 << 16])
def test_failures_come_at_synchronisation(in_process, count):
    in_process(
        ELU
        + f"""
count = {count}
source, target = memory(count), memory(count)
assert lib.aclrtFree(source) == 0
assert launch(stream, source, target, count) == 0
assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
assert "self has no device memory" in text(lib)
assert lib.aclrtSynchronizeStream(other) == 0
for bad in (16, 0x7FFFFFFFF000, 0x2FFFFFFFF000):
    assert launch(other, bad, target, count) == 0
    assert lib.aclrtSynchronizeStream(other) == RT_AICORE_EXCEPTION
"""
    )


@pytest.mark.parametrize("mode", [0, 1])
def test_failure_modes(in_process, mode):
    in_process(
        ELU
        + f"""
event = c_void_p()
target = memory(16)
assert lib.aclrtCreateEvent(event) == 0
assert lib.aclrtSetStreamFailureMode(stream, {mode}) == 0
assert launch(stream, 16, target, 16) == 0
assert lib.aclrtMemsetAsync(target, 64, 1, 64, stream) == 0
assert lib.aclrtRecordEvent(event, stream) == 0
assert lib.aclrtSynchronizeEventWithTimeout(event, 60000) == 0
assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
assert ctypes.string_at(target, 1) == bytes([{1 - mode}])
"""
    )


@pytest.mark.parametrize("variable", ["ACLHOST_LAUNCH_BLOCKING", "ASCEND_LAUNCH_BLOCKING"])
def test_blocking(in_process, variable):
    in_process(
        ELU
        + """
count = 1 << 20
source, target = memory(count), memory(count)
before, status = threads(), c_int32(-1)
ctypes.memset(source, 0xBF, 4 * count)
for _ in range(20):
    assert launch(stream, source, target, count) == 0
    assert lib.aclrtStreamQuery(stream, status) == 0
    assert status.value == 0
assert threads() == before
""",
        ACLHOST_NUM_THREADS="1",  # those would count, too
        **{variable: "1"},
    )


MISSING_SYNCHRONISATION = (
    ELU
    + """
source, target = memory(16), memory(16)
ctypes.memset(source, 0xBF, 64)
wrong = 0
for _ in range(100):
    assert lib.aclrtMemset(target, 64, 0, 64) == 0
    assert launch(stream, source, target, 16) == 0
    {synchronise}
    result = ctypes.create_string_buffer(64)
    assert lib.aclrtMemcpy(result, 64, target, 64, 2) == 0
    wrong += result.raw == bytes(64)
    assert lib.aclrtSynchronizeStream(stream) == 0
assert {verdict}, wrong
"""
)
SYNCHRONISE = "assert lib.aclrtSynchronizeStream(stream) == 0"


@pytest.mark.parametrize("seed", ["1", "2"])
def test_stress_shows_a_missing_synchronisation(in_process, seed):
    careless = MISSING_SYNCHRONISATION.format(synchronise="", verdict="wrong > 0")
    in_process(careless, ACLHOST_STRESS=seed)
    in_process(careless.replace("wrong > 0", "wrong == 0"))
    careful = MISSING_SYNCHRONISATION.format(synchronise=SYNCHRONISE, verdict="wrong == 0")
    in_process(careful, ACLHOST_STRESS=seed)


def test_stress_keeps_the_order_of_a_stream_and_of_events(in_process):
    in_process(
        ELU
        + """
event, memory_ = c_void_p(), memory(1)
assert lib.aclrtCreateEvent(event) == 0
for i in range(1, 100):
    here, there = (stream, other) if i % 2 else (other, stream)
    assert lib.aclrtMemsetAsync(memory_, 1, i, 1, here) == 0
    assert lib.aclrtRecordEvent(event, here) == 0
    assert lib.aclrtStreamWaitEvent(there, event) == 0
    assert lib.aclrtMemsetAsync(memory_, 1, 100 + i, 1, there) == 0
    assert lib.aclrtRecordEvent(event, there) == 0
    assert lib.aclrtStreamWaitEvent(here, event) == 0
    if i % 10 == 0:
        assert lib.aclrtSynchronizeEvent(event) == 0
        assert ctypes.string_at(memory_, 1) == bytes([100 + i])
""",
        ACLHOST_STRESS="7",
    )

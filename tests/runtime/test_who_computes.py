# SPDX-License-Identifier: Apache-2.0
"""Work that lies in a stream: a thread that waits computes it, or else the stream's own thread."""

import pytest
from launching import ELU

# Large enough to be queued; results of ELU are read without any call, so that nobody helps.
LARGE = (
    ELU
    + """
import random, threading, time
COUNT = 1 << 16
ONE = b"\\1" * 4  # a positive float, which stays as it is
def filled(byte):
    pointer = memory(COUNT)
    ctypes.memset(pointer, byte, 4 * COUNT)
    return pointer
def last(pointer):
    return ctypes.string_at(pointer.value + 4 * (COUNT - 1), 4)
def elu(on, source, target):
    assert launch(on, source, target, COUNT) == 0
def comes(pointer, expected):
    end = time.monotonic() + 40
    while last(pointer) != expected:
        assert time.monotonic() < end, last(pointer)
def parallel(*functions):
    def run(function):
        assert lib.aclrtSetDevice(0) == 0
        function()
        results.append(True)
    results = []
    threads = [threading.Thread(target=run, args=(each,), daemon=True) for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)
    assert len(results) == len(threads)
def event(flag=None):
    made = c_void_p()
    assert (lib.aclrtCreateEventWithFlag(made, flag) if flag else lib.aclrtCreateEvent(made)) == 0
    return made
source, target = filled(1), filled(0)
"""
)


def test_work_is_done_though_nobody_waits(in_process):
    in_process(
        LARGE
        + """
elu(stream, source, target)
comes(target, ONE)
"""
    )


def test_work_is_done_though_the_program_used_to_wait(in_process):
    in_process(
        LARGE
        + """
for _ in range(3000):
    elu(stream, source, target)
    assert lib.aclrtSynchronizeStream(stream) == 0
ctypes.memset(target, 0, 4 * COUNT)
elu(stream, source, target)
comes(target, ONE)
time.sleep(0.1)  # time to fall asleep for whoever looks after it
ctypes.memset(target, 0, 4 * COUNT)
elu(stream, source, target)
comes(target, ONE)
"""
    )


def test_other_streams_go_on(in_process):
    in_process(
        LARGE
        + """
others = [filled(0) for _ in range(8)]
streams = [c_void_p() for _ in others]
for each, result in zip(streams, others):
    assert lib.aclrtCreateStream(each) == 0
for each, result in zip(streams, others):
    elu(each, source, result)
assert lib.aclrtSynchronizeStream(streams[3]) == 0
assert last(others[3]) == ONE
for result in others:
    comes(result, ONE)
"""
    )


# How much of the process's computing the calling thread did.
SHARE = """
for _ in range(3):
    elu(stream, source, target)
    {wait}
{prepare}
mine, everything = time.thread_time(), time.process_time()
for _ in range(200):
    elu(stream, source, target)
    {wait}
share = (time.thread_time() - mine) / (time.process_time() - everything)
assert {expected}, share
"""

# Other threads get the processor only where this one sleeps. Otherwise the library's could be
# first, as they should be, whenever a busy machine keeps this one from coming back soon.
BEFORE_OTHERS = """
for each in map(int, os.listdir("/proc/self/task")):
    os.sched_setaffinity(each, [min(os.sched_getaffinity(0))])
    if each != threading.get_native_id():
        os.sched_setscheduler(each, os.SCHED_IDLE, os.sched_param(0))
"""


@pytest.mark.parametrize(
    "wait",
    [
        "assert lib.aclrtSynchronizeStream(stream) == 0",
        "assert lib.aclrtSynchronizeDevice() == 0",
        "assert lib.aclrtRecordEvent(e, stream) == lib.aclrtSynchronizeEvent(e) == 0",
    ],
)
def test_the_waiting_thread_computes(in_process, wait):
    program = LARGE.replace("COUNT = 1 << 16", "COUNT = 1 << 19") + "e = event()\n"
    in_process(
        program + SHARE.format(wait=wait, prepare=BEFORE_OTHERS, expected="share > 0.5"),
        ACLHOST_NUM_THREADS="1",
    )


def test_a_thread_with_a_limit_does_not_compute(in_process):
    program = LARGE.replace("COUNT = 1 << 16", "COUNT = 1 << 21")
    wait = "assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0"
    in_process(
        program + SHARE.format(wait=wait, prepare="", expected="share < 0.5"),
        ACLHOST_NUM_THREADS="1",
    )


@pytest.mark.parametrize("stress", [{}, {"ACLHOST_STRESS": "5"}])
def test_functions_of_the_program_never_run_in_a_waiting_thread(in_process, stress):
    in_process(
        LARGE
        + """
seen = []
note = ctypes.CFUNCTYPE(None, c_void_p)(
    lambda _: seen.append((threading.get_ident(), last(target)))
)
for _ in range(50):
    ctypes.memset(target, 0, 4 * COUNT)
    elu(stream, source, target)
    assert lib.aclrtLaunchHostFunc(stream, note, None) == 0
    elu(stream, source, target)
    assert lib.aclrtSynchronizeStream(stream) == 0
assert len(seen) == 50
assert all(who != threading.get_ident() and what == ONE for who, what in seen)
""",
        **stress,
    )


def test_asking_is_enough_to_see_an_end(in_process):
    in_process(
        LARGE
        + """
status = c_int32(-1)
e = event()
for _ in range(50):
    elu(stream, source, target)
    assert lib.aclrtRecordEvent(e, stream) == 0
    end = time.monotonic() + 40
    while status.value != 0:
        assert lib.aclrtStreamQuery(stream, status) == 0 and time.monotonic() < end
    elu(stream, source, target)
    assert lib.aclrtRecordEvent(e, stream) == 0
    status.value = 0
    while status.value != 1:
        assert lib.aclrtQueryEventStatus(e, status) == 0 and time.monotonic() < end
"""
    )


def test_order_whoever_computes(in_process):
    in_process(
        LARGE
        + """
random.seed(1)
first, second = filled(9), filled(9)
for number in range(400):
    byte = 1 + number % 100
    assert lib.aclrtMemsetAsync(first, 4 * COUNT, byte, 4 * COUNT, stream) == 0
    elu(stream, first, second)
    assert lib.aclrtMemsetAsync(first, 4 * COUNT, 0, 4 * COUNT, stream) == 0
    time.sleep(random.choice([0, 0, 0, 1e-4, 1e-3]))  # often long enough for the other thread
    if random.random() < 0.5:
        assert lib.aclrtSynchronizeStream(stream) == 0
        assert last(second) == bytes([byte]) * 4, (number, last(second))
        assert last(first) == bytes(4)
"""
    )


def test_many_threads_wait_for_one_stream(in_process):
    in_process(
        LARGE
        + """
def wait():
    result = filled(0)
    for _ in range(200):
        ctypes.memset(result, 0, 4 * COUNT)
        elu(stream, source, result)
        assert lib.aclrtSynchronizeStream(stream) == 0
        assert last(result) == ONE
parallel(*[wait] * 4)
"""
    )


def test_events_order_streams_whoever_computes(in_process):
    in_process(
        LARGE
        + """
e, back = event(), event()
middle = filled(0)
for number in range(300):
    byte = 1 + number % 100
    assert lib.aclrtMemsetAsync(source, 4 * COUNT, byte, 4 * COUNT, stream) == 0
    elu(stream, source, middle)
    assert lib.aclrtRecordEvent(e, stream) == lib.aclrtStreamWaitEvent(other, e) == 0
    elu(other, middle, target)
    assert lib.aclrtRecordEvent(back, other) == lib.aclrtStreamWaitEvent(stream, back) == 0
    if number % 3 == 0:
        assert lib.aclrtSynchronizeStream(other) == 0
        assert last(target) == bytes([byte]) * 4
    if number % 5 == 0:
        assert lib.aclrtSynchronizeEvent(back) == 0
        assert last(target) == bytes([byte]) * 4
"""
    )


def test_work_behind_an_event_goes_on_by_itself(in_process):
    in_process(
        LARGE
        + """
e, behind = event(), filled(0)
for _ in range(100):
    ctypes.memset(behind, 0, 4 * COUNT)
    elu(stream, source, target)
    assert lib.aclrtRecordEvent(e, stream) == 0
    elu(stream, source, behind)
    assert lib.aclrtSynchronizeEvent(e) == 0
    assert last(target) == ONE
    comes(behind, ONE)
    assert lib.aclrtSynchronizeStream(stream) == 0
"""
    )


# Who waits here must not run what waits for it.
def test_a_waiting_thread_leaves_waits_alone(in_process):
    in_process(
        LARGE
        + """
for _ in range(50):
    signal = event(1)
    ctypes.memset(target, 0, 4 * COUNT)
    elu(stream, source, target)
    assert lib.aclrtStreamWaitEvent(stream, signal) == 0
    elu(stream, target, target)
    def wait():
        assert lib.aclrtSynchronizeStream(stream) == 0
    def record():
        comes(target, ONE)
        elu(other, source, source)
        assert lib.aclrtRecordEvent(signal, other) == 0
    parallel(wait, record)
    assert lib.aclrtDestroyEvent(signal) == 0
"""
    )


def test_streams_that_wait_for_each_other_in_turn(in_process):
    in_process(
        LARGE
        + """
def pass_on(here, there):
    for _ in range(100):
        signals = [event(1), event(1)]
        elu(stream, source, target)
        elu(other, source, target)
        assert lib.aclrtStreamWaitEvent(stream, signals[0]) == 0
        elu(stream, source, target)
        assert lib.aclrtRecordEvent(signals[0], other) == 0
        assert lib.aclrtStreamWaitEvent(other, signals[1]) == 0
        elu(other, source, target)
        assert lib.aclrtRecordEvent(signals[1], stream) == 0
        assert lib.aclrtSynchronizeStream(here) == lib.aclrtSynchronizeStream(there) == 0
parallel(lambda: pass_on(stream, other))
parallel(lambda: pass_on(other, stream))
"""
    )


def test_a_function_of_the_program_may_wait_for_another_stream(in_process):
    in_process(
        LARGE
        + """
codes = []
def wait(_):
    codes.append((lib.aclrtSetDevice(0), lib.aclrtSynchronizeStream(other)))
function = ctypes.CFUNCTYPE(None, c_void_p)(wait)
for _ in range(50):
    elu(other, source, target)
    assert lib.aclrtLaunchHostFunc(stream, function, None) == 0
    elu(stream, source, filled(0))
    assert lib.aclrtSynchronizeStream(stream) == 0
assert codes == [(0, 0)] * 50
"""
    )


@pytest.mark.parametrize(
    "end", ["aclrtDestroyStream(stream)", "aclrtDestroyStreamForce(stream)", "aclrtResetDevice(0)"]
)
def test_work_that_lies_when_its_stream_ends(in_process, end):
    in_process(
        LARGE
        + f"""
elu(stream, source, target)
assert lib.aclrtSynchronizeStream(stream) == 0
ctypes.memset(target, 0, 4 * COUNT)
for _ in range(20):
    elu(stream, source, target)
assert lib.{end} == 0
if "Force" in {end!r}:
    comes(target, ONE)
assert last(target) == ONE
"""
    )


def test_memory_freed_while_its_work_lies(in_process):
    in_process(
        LARGE
        + """
for _ in range(200):
    given, result = filled(1), filled(0)
    elu(stream, given, result)
    elu(stream, result, target)
    assert lib.aclrtFree(given) == lib.aclrtFree(result) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert last(target) == ONE
"""
    )


def test_a_failure_in_a_waiting_thread(in_process):
    in_process(
        LARGE
        + """
assert launch(stream, 16, target, COUNT) == 0
assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
assert "self has no device memory" in text(lib)
"""
    )

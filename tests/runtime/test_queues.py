# SPDX-License-Identifier: Apache-2.0
"""Queues of buffers within the process, and routes between them."""

import threading
import time
from ctypes import (
    byref,
    c_char_p,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
    create_string_buffer,
)
from itertools import pairwise

import pytest
from c_library import INVALID_PARAM, RT_CONTEXT_NULL, RT_PARAM_INVALID, text

FAILURE, QUEUE_EMPTY, QUEUE_FULL = 500001, 207013, 207014
NAME, DEPTH = 0, 1
SRC, DST, STATUS = 0, 1, 2
BY_SRC, BY_DST, BY_BOTH, ABNORMAL = 0, 1, 2, 100
FOREVER = -1


class Queue:
    def __init__(self, lib, depth=None, name=None):
        self.lib, self.id = lib, c_uint32()
        attributes = lib.acltdtCreateQueueAttr()
        if depth is not None:
            assert lib.acltdtSetQueueAttr(attributes, DEPTH, 4, byref(c_uint32(depth))) == 0
        if name is not None:
            assert lib.acltdtSetQueueAttr(attributes, NAME, 8, byref(c_char_p(name))) == 0
        self.created = lib.acltdtCreateQueue(attributes, byref(self.id))
        assert lib.acltdtDestroyQueueAttr(attributes) == 0

    def put(self, data, timeout=0, user=b""):
        return self.lib.acltdtEnqueueData(
            self.id, data, len(data), user or None, len(user), timeout, 0
        )

    def take(self, room=64, timeout=0, user=0):
        data, size, own = create_string_buffer(room), c_size_t(), create_string_buffer(user + 1)
        code = self.lib.acltdtDequeueData(
            self.id, data, room, byref(size), own if user else None, user, timeout
        )
        if code != 0:
            return code
        return (data.raw[: size.value], own.raw[:user]) if user else data.raw[: size.value]


@pytest.fixture
def queue(lib, device):
    """Makes queues that go with the test."""
    made = []

    def make(**wishes):
        made.append(Queue(lib, **wishes))
        assert made[-1].created == 0
        return made[-1]

    yield make
    for each in made:
        assert lib.acltdtDestroyQueue(each.id) == 0


@pytest.fixture
def route(lib):
    """Makes lists of routes."""
    made = []

    def make(*pairs):
        made.append(lib.acltdtCreateQueueRouteList())
        for source, target in pairs:
            one = lib.acltdtCreateQueueRoute(source.id.value, target.id.value)
            assert lib.acltdtAddQueueRoute(made[-1], one) == lib.acltdtDestroyQueueRoute(one) == 0
        return made[-1]

    yield make
    for each in made:
        assert lib.acltdtDestroyQueueRouteList(each) == 0


def test_first_in_first_out(queue):
    first = queue()
    for data in (b"one", b"two", b"three"):
        assert first.put(data) == 0
    assert [first.take() for _ in range(3)] == [b"one", b"two", b"three"]
    assert first.take() == QUEUE_EMPTY


def test_the_bytes_are_copies_and_the_program_has_its_own(lib, queue, memory):
    first, data = queue(), create_string_buffer(b"abcd", 4)
    assert first.put(data, user=b"note") == 0
    data[0] = b"X"
    assert first.take(user=4) == (b"abcd", b"note")
    device = memory(4)
    assert lib.aclrtMemset(device, 4, 65, 4) == 0
    assert lib.acltdtEnqueueData(first.id, device, 4, None, 0, 0, 0) == 0
    assert first.take() == b"AAAA"


def test_what_does_not_fit_stays(lib, queue):
    first = queue()
    assert first.put(b"12345678") == 0
    assert first.take(room=7) == RT_PARAM_INVALID
    assert first.take(room=8) == b"12345678"


def test_a_full_queue(lib, queue):
    first = queue(depth=2)
    assert first.put(b"a") == first.put(b"b") == 0
    assert first.put(b"c") == QUEUE_FULL
    before = time.monotonic()
    assert first.put(b"c", timeout=30) == QUEUE_FULL
    assert time.monotonic() - before >= 0.03
    assert "is full after 30 ms" in text(lib)


def test_the_usual_depth_is_8(queue):
    first = queue()
    assert [first.put(b"x") for _ in range(9)] == [0] * 8 + [QUEUE_FULL]


def test_a_thread_waits_for_data_and_one_for_room(lib, queue):
    first, got = queue(depth=1), []

    def consume():
        assert lib.aclrtSetDevice(0) == 0
        got.extend(first.take(timeout=FOREVER) for _ in range(50))
        lib.aclrtResetDevice(0)

    thread = threading.Thread(target=consume)
    thread.start()
    sent = [b"%d" % i for i in range(50)]
    for each in sent:
        assert first.put(each, timeout=FOREVER) == 0
    thread.join(60)
    assert got == sent


def test_destroying_a_queue_ends_waits(lib, device):
    doomed, codes = Queue(lib), []

    def consume():
        assert lib.aclrtSetDevice(0) == 0
        codes.append(doomed.take(timeout=FOREVER))
        lib.aclrtResetDevice(0)

    thread = threading.Thread(target=consume)
    thread.start()
    time.sleep(0.02)
    assert lib.acltdtDestroyQueue(doomed.id) == 0
    thread.join(60)
    assert codes == [RT_PARAM_INVALID]


def test_buffers_belong_to_their_queue(lib, queue):
    first, buffer, taken, size = queue(depth=1), c_void_p(), c_void_p(), c_size_t()
    assert lib.acltdtAllocBuf(8, 0, byref(buffer)) == lib.acltdtSetBufDataLen(buffer, 8) == 0
    assert lib.acltdtEnqueue(first.id, buffer, 0) == 0
    assert lib.acltdtGetBufDataLen(buffer, byref(size)) == RT_PARAM_INVALID
    assert "lies in a queue" in text(lib)
    assert lib.acltdtFreeBuf(buffer) == RT_PARAM_INVALID
    assert lib.acltdtEnqueue(first.id, buffer, 0) == RT_PARAM_INVALID
    assert lib.acltdtDequeue(first.id, byref(taken), 0) == 0
    assert taken.value == buffer.value
    assert lib.acltdtDequeue(first.id, byref(taken), 1) == FAILURE
    assert lib.acltdtFreeBuf(buffer) == 0


@pytest.fixture
def buffer(lib, device):
    """Makes buffers, with some that follow them; gives their handles and where their memory is."""

    def make(length=1):
        handles, places = [c_void_p() for _ in range(length)], []
        for each in handles:
            start, size = c_void_p(), c_size_t()
            assert lib.acltdtAllocBuf(8, 0, byref(each)) == 0
            assert lib.acltdtSetBufDataLen(each, 8) == 0
            assert lib.acltdtGetBufData(each, byref(start), byref(size)) == 0
            places.append(start.value)
        for each in handles[1:]:
            assert lib.acltdtAppendBufChain(handles[0], each) == 0
        return handles, places

    return make


def is_gone(lib, handles, places):
    for handle, place in zip(handles, places, strict=True):
        assert lib.acltdtFreeBuf(handle) == RT_PARAM_INVALID
        assert "it may be freed" in text(lib)
        assert lib.aclrtMemset(place, 8, 0, 8) == RT_PARAM_INVALID
    return True


def test_what_lies_in_a_queue_goes_with_it(lib, buffer):
    doomed, chain, single = Queue(lib), buffer(3), buffer()
    for handles, _ in (chain, single):
        assert lib.acltdtEnqueue(doomed.id, handles[0], 0) == 0
    assert lib.acltdtDestroyQueue(doomed.id) == 0
    assert is_gone(lib, *chain)
    assert is_gone(lib, *single)


def test_taking_the_bytes_frees_the_buffer(lib, queue, buffer):
    first, chain = queue(), buffer(2)
    assert lib.acltdtEnqueue(first.id, chain[0][0], 0) == 0
    assert first.take(room=7) == RT_PARAM_INVALID
    assert lib.aclrtMemset(chain[1][0], 8, 65, 8) == 0  # it has stayed
    assert first.take() == b"A" * 8
    assert is_gone(lib, *chain)


@pytest.fixture
def in_background(lib):
    """Starts calls on threads that have a context; gives a list that gets the codes."""
    threads, codes = [], []

    def run(function):
        assert lib.aclrtSetDevice(0) == 0
        codes.append(function())
        lib.aclrtResetDevice(0)

    def start(function):
        threads.append(threading.Thread(target=run, args=(function,)))
        threads[-1].start()
        time.sleep(0.05)  # for it to wait
        return codes

    yield start
    for each in threads:
        each.join(60)
        assert not each.is_alive()


def eventually(codes, count):
    while len(codes) < count:
        time.sleep(0.001)
    return codes


def test_a_buffer_that_others_take_over_during_a_wait(lib, queue, buffer, in_background):
    first, second, (handles, _) = queue(depth=1), queue(), buffer()
    assert first.put(b"in the way") == 0
    codes = in_background(lambda: lib.acltdtEnqueue(first.id, handles[0], FOREVER))
    assert lib.acltdtEnqueue(second.id, handles[0], 0) == 0
    assert first.take() == b"in the way"
    assert eventually(codes, 1) == [RT_PARAM_INVALID]
    assert first.take() == QUEUE_EMPTY
    assert len(second.take()) == 8


def test_a_buffer_that_is_freed_during_a_wait(lib, queue, buffer, in_background):
    first, (handles, _) = queue(depth=1), buffer()
    assert first.put(b"in the way") == 0
    codes = in_background(lambda: lib.acltdtEnqueue(first.id, handles[0], FOREVER))
    assert lib.acltdtFreeBuf(handles[0]) == 0
    assert first.take() == b"in the way"
    assert eventually(codes, 1) == [RT_PARAM_INVALID]
    assert first.take() == QUEUE_EMPTY


def test_bytes_come_out_as_a_buffer(lib, queue):
    first, buffer, length = queue(), c_void_p(), c_size_t()
    assert first.put(b"abc") == lib.acltdtDequeue(first.id, byref(buffer), 0) == 0
    assert lib.acltdtGetBufDataLen(buffer, byref(length)) == 0
    assert length.value == 3
    assert lib.acltdtFreeBuf(buffer) == 0


def test_attributes(lib):
    attributes, depth, name, size = (
        lib.acltdtCreateQueueAttr(), c_uint32(), c_char_p(), c_size_t(),
    )  # fmt: skip
    assert lib.acltdtGetQueueAttr(attributes, DEPTH, 4, byref(size), byref(depth)) == 0
    assert (depth.value, size.value) == (8, 4)
    long = c_char_p(b"n" * 128)
    assert lib.acltdtSetQueueAttr(attributes, NAME, 8, byref(long)) == INVALID_PARAM
    assert lib.acltdtSetQueueAttr(attributes, NAME, 8, byref(c_char_p(b"n" * 127))) == 0
    assert lib.acltdtGetQueueAttr(attributes, NAME, 8, byref(size), byref(name)) == 0
    assert name.value == b"n" * 127
    assert lib.acltdtGetQueueAttr(attributes, DEPTH, 3, byref(size), byref(depth)) == INVALID_PARAM
    assert lib.acltdtSetQueueAttr(attributes, 2, 4, byref(depth)) == INVALID_PARAM
    assert lib.acltdtDestroyQueueAttr(attributes) == 0
    assert lib.acltdtDestroyQueueAttr(attributes) == INVALID_PARAM


def test_half_an_attribute_is_refused(lib):
    attributes, size, depth = lib.acltdtCreateQueueAttr(), c_size_t(), c_uint32()
    for length in (0, 4, 9):
        name = byref(c_char_p(b"n"))
        assert lib.acltdtSetQueueAttr(attributes, NAME, length, name) == INVALID_PARAM
    for length in (0, 2, 8):
        given = byref(c_uint64(0x10005))
        assert lib.acltdtSetQueueAttr(attributes, DEPTH, length, given) == INVALID_PARAM
        assert f"is {length}; the parameter has 4 bytes" in text(lib)
    assert lib.acltdtGetQueueAttr(attributes, DEPTH, 4, byref(size), byref(depth)) == 0
    assert depth.value == 8
    assert lib.acltdtDestroyQueueAttr(attributes) == 0


def test_half_a_question_is_refused(lib):
    query = lib.acltdtCreateQueueRouteQueryInfo()
    for kind in range(3):
        half = byref(c_uint32(1))
        assert lib.acltdtSetQueueRouteQueryInfo(query, kind, 2, half) == INVALID_PARAM
    assert lib.acltdtDestroyQueueRouteQueryInfo(query) == 0


def test_what_cannot_be(lib, queue, in_thread):
    first = queue(name=b"taken")
    assert Queue(lib, name=b"taken").created == INVALID_PARAM
    assert Queue(lib, depth=0).created == RT_PARAM_INVALID
    assert in_thread(lambda: Queue(lib).created) == RT_CONTEXT_NULL
    assert first.put(b"a", user=b"u" * 97) == RT_PARAM_INVALID
    assert lib.acltdtEnqueueData(10**6, b"a", 1, None, 0, 0, 0) == RT_PARAM_INVALID
    assert lib.acltdtDestroyQueue(10**6) == RT_PARAM_INVALID


def test_a_route_carries_on(lib, queue, route):
    source, left, right = queue(), queue(depth=1), queue()
    both = route((source, left), (source, right))
    assert source.put(b"before") == 0
    assert lib.acltdtBindQueueRoutes(both) == 0
    assert source.put(b"after") == 0
    assert left.take() == b"before"
    assert right.take() == b"before"
    assert (left.take(), right.take()) == (b"after", b"after")  # there was no room at first
    assert source.take() == QUEUE_EMPTY
    assert lib.acltdtDestroyQueue(left.id) == FAILURE
    assert "acltdtUnbindQueueRoutes" in text(lib)
    assert lib.acltdtUnbindQueueRoutes(both) == 0
    assert source.put(b"stays") == 0
    assert (left.take(), source.take()) == (QUEUE_EMPTY, b"stays")
    assert lib.acltdtUnbindQueueRoutes(both) == FAILURE


def status(lib, routes, index):
    one, value, size = lib.acltdtCreateQueueRoute(0, 0), c_int32(), c_size_t()
    assert lib.acltdtGetQueueRoute(routes, index, one) == 0
    assert lib.acltdtGetQueueRouteParam(one, STATUS, 4, byref(size), byref(value)) == 0
    assert lib.acltdtDestroyQueueRoute(one) == 0
    return value.value


def test_routes_do_not_go_in_circles(lib, queue, route):
    first, second, third = queue(), queue(), queue()
    routes = route((first, second), (second, third), (third, first))
    assert lib.acltdtBindQueueRoutes(routes) == FAILURE
    assert "go in a circle" in text(lib)
    assert [status(lib, routes, i) for i in range(3)] == [1, 1, 0]
    assert first.put(b"far") == 0
    assert third.take() == b"far"
    assert lib.acltdtUnbindQueueRoutes(route((first, second), (second, third))) == 0


def test_many_ways_between_two_queues(lib, queue, route):
    # 2**40 of them: who walks them all does not come to an end.
    layers = [(queue(), queue()) for _ in range(41)]
    pairs = [(a, b) for near, far in pairwise(layers) for a in near for b in far]
    ways = route(*reversed(pairs))
    assert lib.acltdtBindQueueRoutes(ways) == 0
    assert lib.acltdtBindQueueRoutes(route((layers[-1][0], layers[0][0]))) == FAILURE
    assert "go in a circle" in text(lib)
    assert lib.acltdtUnbindQueueRoutes(ways) == 0


def ask(lib, mode, source=None, target=None):
    query, answer = lib.acltdtCreateQueueRouteQueryInfo(), lib.acltdtCreateQueueRouteList()
    for kind, value in ((0, mode), (1, source), (2, target)):
        if value is not None:
            given = byref(c_uint32(value))
            assert lib.acltdtSetQueueRouteQueryInfo(query, kind, 4, given) == 0
    code = lib.acltdtQueryQueueRoutes(query, answer)
    number = lib.acltdtGetQueueRouteNum(answer)
    assert lib.acltdtDestroyQueueRouteQueryInfo(query) == 0
    assert lib.acltdtDestroyQueueRouteList(answer) == 0
    return code or number


def test_questions_about_routes(lib, queue, route):
    first, second, third = queue(), queue(), queue()
    routes = route((first, second), (first, third))
    assert lib.acltdtBindQueueRoutes(routes) == 0
    a, b = first.id.value, second.id.value
    assert ask(lib, BY_SRC, source=a) == 2
    assert ask(lib, BY_DST, target=b) == 1
    assert ask(lib, BY_BOTH, source=a, target=b) == 1
    assert ask(lib, BY_BOTH, source=b, target=a) == 0
    assert ask(lib, ABNORMAL) == 0
    assert ask(lib, BY_SRC, target=b) == ask(lib, None) == ask(lib, 7) == INVALID_PARAM
    assert lib.acltdtUnbindQueueRoutes(routes) == 0

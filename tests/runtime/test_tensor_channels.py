# SPDX-License-Identifier: Apache-2.0
"""Channels of tensors: items, sets of them, and what goes through."""

import ctypes
import threading
import time
from ctypes import byref, c_int64, c_size_t, create_string_buffer

import pytest
from c_library import INVALID_PARAM, dims, text

FAILURE, UNSUPPORTED, QUEUE_EMPTY, QUEUE_FULL = 500001, 200006, 207013, 207014
TENSOR, END_OF_SEQUENCE = 0, 1
FLOAT, UNDEFINED = 0, -1
FOREVER = -1


@pytest.fixture
def dataset(lib):
    """Makes sets of items with their bytes."""
    made = []

    def make(*texts, end=False):
        handle, kept = lib.acltdtCreateDataset(), []
        for data in texts:
            memory = create_string_buffer(data, len(data))
            item = lib.acltdtCreateDataItem(TENSOR, dims(1, len(data)), 2, 2, memory, len(data))
            kept.append((item, memory))
        if end:
            kept.append((lib.acltdtCreateDataItem(END_OF_SEQUENCE, None, 0, 0, None, 0), None))
        for item, _ in kept:
            assert lib.acltdtAddDataItem(handle, item) == 0
        made.append((handle, kept))
        return handle

    yield make
    for handle, kept in made:
        assert lib.acltdtDestroyDataset(handle) == 0
        for item, _ in kept:
            assert lib.acltdtDestroyDataItem(item) == 0


@pytest.fixture
def channel(lib):
    """Makes channels that go with the test."""
    made = []

    def make(name=b"channel", capacity=None):
        given = (0, name) if capacity is None else (0, name, capacity)
        create = (
            lib.acltdtCreateChannel if capacity is None else lib.acltdtCreateChannelWithCapacity
        )
        made.append(create(*given))
        assert made[-1]
        return made[-1]

    yield make
    for each in made:
        assert lib.acltdtDestroyChannel(each) == 0


def items(lib, handle):
    """Type, shape and bytes of each item."""
    found = []
    for index in range(lib.acltdtGetDatasetSize(handle)):
        item = lib.acltdtGetDataItem(handle, index)
        rank = lib.acltdtGetDimNumFromItem(item)
        shape = (c_int64 * rank)()
        assert lib.acltdtGetDimsFromItem(item, shape if rank else None, rank) == 0
        size = lib.acltdtGetDataSizeFromItem(item)
        data = ctypes.string_at(lib.acltdtGetDataAddrFromItem(item), size) if size else b""
        found.append((lib.acltdtGetTensorTypeFromItem(item), tuple(shape), data))
    return found


def test_a_channel_gives_back_what_it_was_sent(lib, channel, dataset):
    pipe, got, size = channel(capacity=2), lib.acltdtCreateDataset(), c_size_t()
    assert lib.acltdtSendTensor(pipe, dataset(b"abc", b"d", end=True), 0) == 0
    assert lib.acltdtQueryChannelSize(pipe, byref(size)) == 0
    assert size.value == 1
    assert lib.acltdtReceiveTensor(pipe, got, 0) == 0
    assert lib.acltdtGetDatasetName(got) == b""
    assert items(lib, got) == [
        (TENSOR, (1, 3), b"abc"), (TENSOR, (1, 1), b"d"), (END_OF_SEQUENCE, (), b""),
    ]  # fmt: skip
    assert lib.acltdtReceiveTensor(pipe, got, 5) == QUEUE_EMPTY
    assert "is empty after 5 ms" in text(lib)
    assert lib.acltdtDestroyDataset(got) == 0


def test_items_that_were_received_go_with_their_set(lib, channel, dataset):
    pipe, got = channel(capacity=1), lib.acltdtCreateDataset()
    for data in (b"first", b"second"):
        assert lib.acltdtSendTensor(pipe, dataset(data), 0) == 0
        assert lib.acltdtReceiveTensor(pipe, got, 0) == 0
        assert items(lib, got) == [(TENSOR, (1, len(data)), data)]
    item = lib.acltdtGetDataItem(got, 0)
    assert lib.acltdtAddDataItem(got, item) == UNSUPPORTED
    assert lib.acltdtDestroyDataset(got) == 0
    assert lib.acltdtGetTensorTypeFromItem(item) == UNDEFINED
    assert lib.acltdtDestroyDataItem(item) == INVALID_PARAM


def test_a_full_channel_and_one_that_is_emptied(lib, channel, dataset):
    pipe, one, size = channel(capacity=1), dataset(b"x"), c_size_t(9)
    assert lib.acltdtSendTensor(pipe, one, 0) == 0
    assert lib.acltdtSendTensor(pipe, one, 20) == QUEUE_FULL
    assert lib.acltdtCleanChannel(pipe) == lib.acltdtStopChannel(pipe) == 0
    assert lib.acltdtQueryChannelSize(pipe, byref(size)) == size.value == 0
    assert lib.acltdtSendTensor(pipe, one, 0) == 0


def test_a_thread_waits(lib, channel, dataset):
    pipe, got, codes = channel(capacity=1), lib.acltdtCreateDataset(), []
    waits = threading.Thread(
        target=lambda: codes.append(lib.acltdtReceiveTensor(pipe, got, FOREVER))
    )
    waits.start()
    time.sleep(0.02)
    assert lib.acltdtSendTensor(pipe, dataset(b"late"), FOREVER) == 0
    waits.join(60)
    assert (codes, items(lib, got)) == ([0], [(TENSOR, (1, 4), b"late")])
    assert lib.acltdtDestroyDataset(got) == 0


def test_channels_by_name_have_a_direction(lib, channel, dataset):
    sender, receiver, got = channel(b"data"), channel(b"TF_RECEIVE_data"), lib.acltdtCreateDataset()
    assert lib.acltdtSendTensor(sender, dataset(b"abc"), FOREVER) == 0
    assert lib.acltdtReceiveTensor(sender, got, FOREVER) == INVALID_PARAM
    assert "begin with TF_RECEIVE_" in text(lib)
    assert lib.acltdtReceiveTensor(receiver, got, 100) == INVALID_PARAM
    assert lib.acltdtReceiveTensor(receiver, got, FOREVER) == 0
    assert items(lib, got) == [(TENSOR, (1, 3), b"abc")]
    assert lib.acltdtCleanChannel(sender) == UNSUPPORTED
    assert lib.acltdtQueryChannelSize(sender, byref(c_size_t())) == UNSUPPORTED
    assert lib.acltdtDestroyDataset(got) == 0


def test_stopping_ends_the_wait_of_a_receiver(lib, channel):
    receiver, got, codes = channel(b"TF_RECEIVE_never"), lib.acltdtCreateDataset(), []
    waits = threading.Thread(
        target=lambda: codes.append(lib.acltdtReceiveTensor(receiver, got, FOREVER))
    )
    waits.start()
    time.sleep(0.02)
    assert lib.acltdtStopChannel(receiver) == 0
    waits.join(60)
    assert codes == [FAILURE]
    assert lib.acltdtDestroyDataset(got) == 0


def test_host_and_device_memory_do_not_mix(lib, channel, memory):
    handle, host, device = lib.acltdtCreateDataset(), create_string_buffer(4), memory(4)
    assert lib.aclrtMemset(device, 4, 66, 4) == 0
    first = lib.acltdtCreateDataItem(TENSOR, dims(4), 1, 2, device, 4)
    second = lib.acltdtCreateDataItem(TENSOR, dims(4), 1, 2, host, 4)
    assert lib.acltdtAddDataItem(handle, first) == 0
    assert lib.acltdtAddDataItem(handle, second) == INVALID_PARAM
    pipe, got = channel(capacity=1), lib.acltdtCreateDataset()
    assert lib.acltdtSendTensor(pipe, handle, 0) == lib.acltdtReceiveTensor(pipe, got, 0) == 0
    assert items(lib, got) == [(TENSOR, (4,), b"BBBB")]
    assert lib.acltdtReceiveTensor(pipe, handle, 0) == INVALID_PARAM  # it has items
    for each in (handle, got):
        assert lib.acltdtDestroyDataset(each) == 0
    assert lib.acltdtDestroyDataItem(first) == lib.acltdtDestroyDataItem(second) == 0


def test_items(lib):
    item = lib.acltdtCreateDataItem(TENSOR, dims(2, 3), 2, FLOAT, None, 0)
    assert lib.acltdtGetDataTypeFromItem(item) == FLOAT
    assert lib.acltdtGetDimsFromItem(item, dims(0), 1) == INVALID_PARAM
    number, place = c_size_t(1), c_size_t(1)
    assert lib.acltdtGetSliceInfoFromItem(item, byref(number), byref(place)) == 0
    assert (number.value, place.value) == (0, 0)
    assert lib.acltdtDestroyDataItem(item) == 0
    assert lib.acltdtCreateDataItem(TENSOR, None, 1, FLOAT, None, 0) is None
    assert lib.acltdtCreateDataItem(TENSOR, dims(1), 0, FLOAT, None, 0) is None
    assert lib.acltdtCreateDataItem(END_OF_SEQUENCE, dims(1), 1, FLOAT, None, 0) is None
    assert lib.acltdtCreateDataItem(TENSOR, dims(*range(129)), 129, FLOAT, None, 0) is None


def test_what_is_no_channel(lib, dataset):
    assert lib.acltdtCreateChannel(99, b"x") is None
    assert lib.acltdtCreateChannelWithCapacity(0, b"x" * 128, 1) is None
    assert lib.acltdtCreateChannelWithCapacity(0, b"x", 0) is None
    assert lib.acltdtSendTensor(77, dataset(b"a"), 0) == INVALID_PARAM
    assert lib.acltdtDestroyChannel(None) == INVALID_PARAM

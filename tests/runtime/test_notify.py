# SPDX-License-Identifier: Apache-2.0
"""Notifies: one side sets them, the other waits and clears; also between processes."""

import ctypes
from ctypes import Structure, byref, c_int, c_uint8, c_uint32, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_INVALID_HANDLE, RT_PARAM_INVALID, RT_WAIT_TIMEOUT
from capturing import begin, end

SET, ADD, OR, AND = 0, 1, 2, 4
LESS, EQUAL, BIGGER, AT_LEAST, BITS = range(5)


class RecordInfo(Structure):
    _fields_ = (("mode", c_int), ("value", c_uint32))


class WaitInfo(Structure):
    _fields_ = (
        ("mode", c_int),
        ("value", c_uint32),
        ("timeout", c_uint32),
        ("clear", c_uint8),
        ("reserved", c_uint8 * 3),
    )


def lasting(create, destroy):
    handle = c_void_p()
    assert create(byref(handle), 0) == 0
    yield handle
    assert destroy(handle) == 0


@pytest.fixture
def notify(lib, device):
    yield from lasting(lib.aclrtCreateNotify, lib.aclrtDestroyNotify)


@pytest.fixture
def counter(lib, device):
    yield from lasting(lib.aclrtCntNotifyCreate, lib.aclrtCntNotifyDestroy)


def is_held(lib, stream):
    return lib.aclrtSynchronizeStreamWithTimeout(stream, 20) != 0


def test_a_wait_takes_one_record(lib, stream, other, notify):
    assert lib.aclrtWaitAndResetNotify(notify, stream, 0) == 0
    assert is_held(lib, stream)
    assert lib.aclrtRecordNotify(notify, other) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtWaitAndResetNotify(notify, stream, 0) == 0
    assert is_held(lib, stream)
    assert lib.aclrtRecordNotify(notify, other) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_records_are_cleared_together(lib, stream, other, notify):
    assert lib.aclrtRecordNotify(notify, other) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert lib.aclrtNotifyBatchReset((c_void_p * 1)(notify), 1) == 0
    assert lib.aclrtWaitAndResetNotify(notify, stream, 1) == 0
    assert lib.aclrtSynchronizeStream(stream) == RT_WAIT_TIMEOUT
    assert lib.aclrtNotifyBatchReset((c_void_p * 1)(c_void_p(1)), 1) == RT_INVALID_HANDLE
    assert lib.aclrtNotifyBatchReset(None, 1) == INVALID_PARAM


def test_numbers(lib, notify, counter):
    seen = set()
    for function, handle in (
        (lib.aclrtGetNotifyId, notify),
        (lib.aclrtCntNotifyGetId, counter),
    ):
        number = c_uint32()
        assert function(handle, byref(number)) == 0
        assert function(handle, None) == INVALID_PARAM
        seen.add(number.value)
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("records", "mode", "value"),
    [
        ([(SET, 7)], EQUAL, 7),
        ([(ADD, 2), (ADD, 3)], EQUAL, 5),
        ([(OR, 4), (OR, 1)], BITS, 5),
        ([(SET, 7), (AND, 2)], EQUAL, 2),
        ([(ADD, 9)], BIGGER, 8),
        ([(ADD, 9)], AT_LEAST, 9),
    ],
)
def test_counts(lib, stream, other, counter, records, mode, value):
    wait = WaitInfo(mode, value, 0, 1)
    assert lib.aclrtCntNotifyWaitWithTimeout(counter, stream, byref(wait)) == 0
    assert is_held(lib, stream)
    for record in records:
        assert lib.aclrtCntNotifyRecord(counter, other, byref(RecordInfo(*record))) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    # It was cleared.
    assert lib.aclrtCntNotifyWaitWithTimeout(counter, stream, byref(WaitInfo(EQUAL, 0))) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_a_count_is_reset(lib, stream, other, counter):
    assert lib.aclrtCntNotifyRecord(counter, other, byref(RecordInfo(SET, 9))) == 0
    assert lib.aclrtCntNotifyWaitWithTimeout(counter, stream, byref(WaitInfo(LESS, 9))) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert is_held(lib, stream)
    assert lib.aclrtCntNotifyReset(counter, other) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_wrong_notifies(lib, stream, notify, counter):
    made = c_void_p()
    assert lib.aclrtCreateNotify(None, 0) == INVALID_PARAM
    assert lib.aclrtCreateNotify(byref(made), 2) == RT_PARAM_INVALID
    assert lib.aclrtCntNotifyCreate(byref(made), 1) == RT_PARAM_INVALID
    info, wait = byref(RecordInfo(3, 0)), byref(WaitInfo(5, 0))
    assert lib.aclrtCntNotifyRecord(counter, stream, info) == RT_PARAM_INVALID
    assert lib.aclrtCntNotifyRecord(counter, stream, None) == INVALID_PARAM
    assert lib.aclrtCntNotifyWaitWithTimeout(counter, stream, wait) == RT_PARAM_INVALID
    # One kind is not the other.
    for bad in (counter, stream, c_void_p(1)):
        assert lib.aclrtRecordNotify(bad, stream) == RT_INVALID_HANDLE
        assert lib.aclrtWaitAndResetNotify(bad, stream, 0) == RT_INVALID_HANDLE
        assert lib.aclrtDestroyNotify(bad) == RT_INVALID_HANDLE
    assert lib.aclrtCntNotifyReset(notify, stream) == RT_INVALID_HANDLE
    assert lib.aclrtRecordNotify(notify, c_void_p(1)) == RT_INVALID_HANDLE
    key = ctypes.create_string_buffer(65)
    assert lib.aclrtNotifyGetExportKey(notify, key, 64, 0) == RT_PARAM_INVALID
    assert lib.aclrtNotifySetImportPid(notify, None, 0) == INVALID_PARAM
    for text in (b"", b"nonsense", b"aclhost-notify-1-2-3-4"):
        assert lib.aclrtNotifyImportByKey(byref(made), text, 0) == RT_PARAM_INVALID


CHILD = """
assert lib.aclrtSetDevice(0) == 0
notify, stream = c_void_p(), c_void_p()
assert lib.aclrtCreateStream(stream) == 0
assert lib.aclrtNotifyImportByKey(ctypes.byref(notify), sys.argv[2].encode(), 2) == 0
assert lib.aclrtRecordNotify(notify, stream) == 0
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclrtDestroyNotify(notify) == 0
"""


def test_another_process_sets_it(lib, stream, notify, in_process):
    key = ctypes.create_string_buffer(65)
    assert lib.aclrtNotifyGetExportKey(notify, key, 65, 2) == 0
    assert lib.aclrtNotifySetImportPid(notify, (c_int * 1)(1), 1) == 0
    assert lib.aclrtWaitAndResetNotify(notify, stream, 60) == 0
    assert is_held(lib, stream)
    in_process(CHILD, key.value.decode())
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_graphs_record_and_wait(lib, stream, other, notify):
    begin(lib, stream)
    assert lib.aclrtWaitAndResetNotify(notify, stream, 0) == 0
    graph = end(lib, stream)
    for _ in range(2):
        assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
        assert is_held(lib, stream)
        assert lib.aclrtRecordNotify(notify, other) == 0
        assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclmdlRIDestroy(graph) == 0

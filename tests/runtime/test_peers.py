# SPDX-License-Identifier: Apache-2.0
"""Devices that may copy from each other, numbers of events, and schedulers."""

from ctypes import byref, c_int32, c_uint32, c_void_p

from c_library import INVALID_PARAM, RT_INVALID_DEVICEID, RT_INVALID_HANDLE, RT_PARAM_INVALID

PEERS = """
assert lib.aclrtSetDevice(0) == 0
def status(device, peer):
    value = c_int32(9)
    assert lib.aclrtDevicePeerAccessStatus(device, peer, ctypes.byref(value)) == 0
    return value.value
assert (status(0, 1), status(1, 0)) == (0, 0)
assert lib.aclrtDeviceEnablePeerAccess(1, 0) == 0
assert (status(0, 1), status(1, 0)) == (1, 0)
place = c_void_p()
assert lib.aclrtMalloc(place, 64, 0) == 0
assert lib.aclrtMemP2PMap(place, 64, 1, 0) == 0
assert lib.aclrtDeviceDisablePeerAccess(1) == 0
assert status(0, 1) == 0
"""


def test_peers(in_process):
    in_process(PEERS, ACLHOST_DEVICES="2")


def test_bad_peers(lib, device):
    status, place = c_int32(), c_void_p()
    call, mapped = lib.aclrtDevicePeerAccessStatus, lib.aclrtMemP2PMap
    assert call(0, 0, None) == INVALID_PARAM
    assert call(0, 9, byref(status)) == call(-1, 0, byref(status)) == RT_INVALID_DEVICEID
    assert lib.aclrtMalloc(place, 64, 0) == 0
    assert mapped(None, 64, 0, 0) == mapped(place, 0, 0, 0) == mapped(place, 64, 0, 1)
    assert mapped(None, 64, 0, 0) == INVALID_PARAM
    assert mapped(place, 64, 9, 0) == RT_INVALID_DEVICEID
    assert mapped(place, 1 << 30, 0, 0) == RT_PARAM_INVALID
    assert lib.aclrtFree(place) == 0


def test_events_have_numbers(lib, device):
    events, numbers = [c_void_p(), c_void_p()], [c_uint32(), c_uint32()]
    for event, number in zip(events, numbers, strict=True):
        assert lib.aclrtCreateEvent(event) == 0
        assert lib.aclrtGetEventId(event, byref(number)) == 0
    assert numbers[0].value != numbers[1].value
    assert lib.aclrtGetEventId(None, byref(numbers[0])) == INVALID_PARAM
    assert lib.aclrtGetEventId(events[0], None) == INVALID_PARAM
    for event in events:
        assert lib.aclrtDestroyEvent(event) == 0
    assert lib.aclrtGetEventId(events[0], byref(numbers[0])) == RT_INVALID_HANDLE


def test_schedulers(lib, device):
    assert lib.aclrtSetTsDevice(0) == lib.aclrtSetTsDevice(1) == 0
    assert lib.aclrtSetTsDevice(2) == lib.aclrtSetTsDevice(-1) == INVALID_PARAM

# SPDX-License-Identifier: Apache-2.0
"""Devices and contexts: ids, reference counts, what belongs to a thread."""

from ctypes import c_int32, c_uint32, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_CONTEXT_NULL, RT_INVALID_DEVICEID, RT_PARAM_INVALID, text


@pytest.mark.parametrize("device_id", [-1, 1, 2**31 - 1])
@pytest.mark.parametrize("name", ["aclrtSetDevice", "aclrtResetDevice", "aclrtResetDeviceForce"])
def test_device_ids_outside_the_range(lib, name, device_id):
    assert getattr(lib, name)(device_id) == RT_INVALID_DEVICEID
    message = text(lib)
    assert name in message
    assert str(device_id) in message


def test_null_answers(lib):
    for function in (lib.aclrtGetDevice, lib.aclrtGetDeviceCount, lib.aclrtGetRunMode):
        assert function(None) == INVALID_PARAM
        assert "(EH0002)" in text(lib)


def test_run_mode_is_host(lib):
    mode = c_int32(-1)
    assert lib.aclrtGetRunMode(mode) == 0
    assert mode.value == 1


def test_a_thread_without_context(lib, in_thread):
    def calls():
        handle = c_void_p()
        codes = [
            lib.aclrtGetCurrentContext(handle),
            lib.aclrtCreateStream(handle),
            lib.aclrtSynchronizeStream(None),
            lib.aclrtSynchronizeDevice(),
            lib.aclrtMalloc(handle, 8, 0),
            lib.aclrtMallocHost(handle, 8),
        ]
        return codes, text(lib)

    codes, message = in_thread(calls)
    assert codes == [RT_CONTEXT_NULL] * 6
    assert message.count("aclrtSetDevice") == 6


def test_asking_for_the_device_without_context_leaves_no_text(lib, in_thread):
    answer = in_thread(lambda: (lib.aclrtGetDevice(c_int32()), text(lib)))
    assert answer == (RT_CONTEXT_NULL, "")


def test_set_device_binds_the_thread_only(lib, device, in_thread):
    number, context = c_int32(-1), c_void_p()
    assert lib.aclrtGetDevice(number) == 0
    assert number.value == 0
    assert lib.aclrtGetCurrentContext(context) == 0
    assert in_thread(lambda: lib.aclrtGetCurrentContext(c_void_p())) == RT_CONTEXT_NULL


def test_threads_share_the_primary_context(lib, device, in_thread):
    mine, other = c_void_p(), c_void_p()

    def look():
        codes = [lib.aclrtSetDevice(0), lib.aclrtGetCurrentContext(other), lib.aclrtResetDevice(0)]
        return codes

    assert lib.aclrtGetCurrentContext(mine) == 0
    assert in_thread(look) == [0, 0, 0]
    assert mine.value == other.value
    assert lib.aclrtSynchronizeDevice() == 0


def test_reset_counts(in_process):
    in_process("""
assert lib.aclrtResetDevice(0) == RT_CONTEXT_RELEASE_ERROR
assert lib.aclrtResetDeviceForce(0) == RT_CONTEXT_RELEASE_ERROR
assert "aclrtSetDevice" in text(lib)
assert lib.aclrtSetDevice(0) == 0 and lib.aclrtSetDevice(0) == 0
assert lib.aclrtResetDevice(0) == 0
assert lib.aclrtSynchronizeDevice() == 0
assert lib.aclrtResetDevice(0) == 0
assert lib.aclrtSynchronizeDevice() == RT_CONTEXT_NULL
assert lib.aclrtResetDevice(0) == RT_CONTEXT_RELEASE_ERROR
assert lib.aclrtSetDevice(0) == 0 and lib.aclrtSetDevice(0) == 0
assert lib.aclrtResetDeviceForce(0) == 0
assert lib.aclrtResetDevice(0) == RT_CONTEXT_RELEASE_ERROR
""")


@pytest.mark.parametrize(
    ("devices", "visible", "count"),
    [
        ("", None, 1), ("3", None, 3), ("0", None, 1), ("many", None, 1),
        ("4", "0,2", 2), ("4", "3", 1), ("4", "1,9,2", 1), ("4", "1,x,2", 1), ("4", "1,1", 1),
        ("4", "", 0),
    ],
)  # fmt: skip
def test_device_count(in_process, devices, visible, count):
    environment = {"ACLHOST_DEVICES": devices}
    if visible is not None:
        environment["ASCEND_RT_VISIBLE_DEVICES"] = visible
    in_process(
        f"""
count = c_uint32(99)
assert lib.aclrtGetDeviceCount(count) == 0
assert count.value == {count}, count.value
assert lib.aclrtSetDevice({count}) == RT_INVALID_DEVICEID
""",
        **environment,
    )


def test_two_devices(in_process):
    in_process(
        """
number, stream, context = c_int32(), c_void_p(), c_void_p()
assert lib.aclrtSetDevice(0) == 0 and lib.aclrtCreateStream(stream) == 0
assert lib.aclrtGetCurrentContext(context) == 0
assert lib.aclrtSetDevice(1) == 0
assert lib.aclrtGetDevice(number) == 0 and number.value == 1
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclrtDestroyStream(stream) == RT_STREAM_CONTEXT
assert lib.aclrtSetCurrentContext(context) == 0
assert lib.aclrtGetDevice(number) == 0 and number.value == 0
assert lib.aclrtDestroyStream(stream) == 0
assert lib.aclrtResetDevice(1) == 0 and lib.aclrtResetDevice(0) == 0
""",
        ACLHOST_DEVICES="2",
    )


def test_device_count_in_this_process(lib):
    count = c_uint32()
    assert lib.aclrtGetDeviceCount(count) == 0
    assert count.value >= 1


def test_context_arguments(lib, device):
    context = c_void_p()
    assert lib.aclrtCreateContext(None, 0) == INVALID_PARAM
    assert lib.aclrtCreateContext(context, 99) == RT_INVALID_DEVICEID
    assert lib.aclrtDestroyContext(None) == INVALID_PARAM
    assert lib.aclrtSetCurrentContext(None) == INVALID_PARAM
    assert lib.aclrtGetCurrentContext(None) == INVALID_PARAM
    assert text(lib).count("\n") == 4


def test_explicit_context_life(lib, device):
    primary, context, current = c_void_p(), c_void_p(), c_void_p()
    assert lib.aclrtGetCurrentContext(primary) == 0
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtGetCurrentContext(current) == 0
    assert current.value == context.value != primary.value
    assert lib.aclrtSetCurrentContext(primary) == 0
    assert lib.aclrtGetCurrentContext(current) == 0
    assert current.value == primary.value
    assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclrtDestroyContext(context) == RT_CONTEXT_NULL
    assert lib.aclrtSetCurrentContext(context) == RT_PARAM_INVALID


def test_the_primary_context_cannot_be_destroyed(lib, device):
    primary = c_void_p()
    assert lib.aclrtGetCurrentContext(primary) == 0
    assert lib.aclrtDestroyContext(primary) == RT_CONTEXT_NULL
    assert "aclrtResetDevice" in text(lib)
    assert lib.aclrtSynchronizeDevice() == 0


def test_destroying_the_current_context_falls_back_to_the_device(lib, device):
    context = c_void_p()
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclrtSynchronizeDevice() == 0


def test_set_device_forgets_the_explicit_context(lib, device):
    primary, context, current = c_void_p(), c_void_p(), c_void_p()
    assert lib.aclrtGetCurrentContext(primary) == 0
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtSetDevice(0) == 0
    assert lib.aclrtGetCurrentContext(current) == 0
    assert current.value == primary.value
    assert lib.aclrtResetDevice(0) == 0
    assert lib.aclrtDestroyContext(context) == 0


def test_a_context_destroyed_elsewhere_is_gone_here(lib, in_thread):
    context = c_void_p()

    def use():
        assert lib.aclrtCreateContext(context, 0) == 0
        worked = lib.aclrtSynchronizeDevice()
        assert in_thread(lambda: lib.aclrtDestroyContext(context)) == 0
        return worked, lib.aclrtSynchronizeDevice()

    assert in_thread(use) == (0, RT_CONTEXT_NULL)


@pytest.mark.parametrize("pointer", [1, 0x5A00000000000000, 0x7FFF12345678, 2**64 - 1])
def test_pointers_that_are_no_contexts(lib, pointer):
    assert lib.aclrtDestroyContext(pointer) == RT_CONTEXT_NULL
    assert lib.aclrtSetCurrentContext(pointer) == RT_PARAM_INVALID

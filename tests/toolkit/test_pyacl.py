# SPDX-License-Identifier: Apache-2.0
"""pyACL's names and conventions: outputs first, status last, handles as integers."""

import sys

import numpy as np
import pytest
from support.programs import clean_environment, run

from aclhost import acl, constants
from aclhost.building import toolkit


@pytest.fixture
def device():
    assert acl.rt.set_device(0) == 0
    yield
    acl.rt.reset_device(0)


LIFE_CYCLE = """
from aclhost import acl
print(acl.init(), acl.init(), acl.finalize_reference(), acl.finalize(), acl.finalize())
print(acl.finalize_reference(), acl.init("/no/such/file"), acl.get_recent_err_msg() is not None)
print(acl.get_recent_err_msg())
"""


def test_life_cycle():
    lines = run([sys.executable, "-c", LIFE_CYCLE]).stdout.splitlines()
    assert lines == ["0 100002 (1, 0) 0 100037", "(0, 100037) 100003 True", "None"]


def test_queries(device):
    assert acl.rt.get_device() == (0, 0)
    count, ret = acl.rt.get_device_count()
    assert (count >= 1, ret) == (True, 0)
    assert acl.rt.get_run_mode() == (1, 0)
    assert acl.rt.get_version() == (1, 17, 0, 0)
    assert acl.get_soc_name().startswith("Ascend")
    assert acl.data_type_size(constants.ACL_BF16) == 2
    assert acl.data_type_size(constants.ACL_FLOAT6_E3M2) == 8


def test_contexts_and_streams(device):
    primary, ret = acl.rt.get_context()
    assert ret == 0
    context, ret = acl.rt.create_context(0)
    assert (ret, acl.rt.get_context()) == (0, (context, 0))
    assert context not in (0, primary)
    stream, ret = acl.rt.create_stream()
    assert (type(stream), ret) == (int, 0)
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.synchronize_device() == 0
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.destroy_stream(stream) == 107017
    assert acl.rt.set_context(primary) == 0
    assert acl.rt.destroy_context(context) == 0


def test_memory_round_trip(device):
    source = np.arange(6, dtype=np.float32)
    address, ret = acl.rt.malloc(source.nbytes, constants.ACL_MEM_MALLOC_HUGE_FIRST)
    assert ret == 0
    pointer = acl.util.numpy_to_ptr(source)
    size = source.nbytes
    assert acl.rt.memcpy(address, size, pointer, size, constants.ACL_MEMCPY_HOST_TO_DEVICE) == 0
    payload = bytes(size)
    target = acl.util.bytes_to_ptr(payload)
    assert acl.rt.memcpy(target, size, address, size, constants.ACL_MEMCPY_DEVICE_TO_HOST) == 0
    assert np.array_equal(np.frombuffer(payload, np.float32), source)
    view = acl.util.ptr_to_numpy(address, (2, 3), 11)
    assert np.array_equal(view, source.reshape(2, 3))
    assert acl.rt.memset(address, size, 0, size) == 0
    assert not view.any()
    assert acl.util.ptr_to_bytes(address, size) == bytes(size)
    assert acl.rt.free(address) == 0
    assert acl.rt.free(address) == 107000


def test_host_memory(device):
    address, ret = acl.rt.malloc_host(64)
    assert (ret, address % 64) == (0, 0)
    assert acl.rt.free_host(address) == 0
    assert acl.rt.malloc_host(0) == (0, 100000)


def test_options(device):
    assert acl.rt.set_sys_param_opt(0, 1) == 0
    assert acl.rt.get_sys_param_opt(0) == (1, 0)
    assert acl.rt.set_sys_param_opt(0, 0) == 0
    assert acl.rt.ctx_set_sys_param_opt(1, 1) == 0
    assert acl.rt.ctx_get_sys_param_opt(1) == (1, 0)


def test_last_error(device):
    assert acl.rt.set_device(-1) == 107001
    assert acl.rt.peek_at_last_error(0) == 107001
    assert acl.rt.get_last_error(0) == 107001
    assert acl.rt.get_last_error(0) == 0
    acl.get_recent_err_msg()


def test_wrong_kinds_of_arguments_raise():
    with pytest.raises(Exception, match="argument 1"):
        acl.rt.set_device("0")


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(0, "?"), (1, "i1"), (2, "u1"), (5, "i4"), (11, "f4"), (12, "f8"), (23, "f2")],
)
def test_numpy_type_numbers(number, dtype):
    source = np.arange(4).astype(dtype)
    view = acl.util.ptr_to_numpy(source.ctypes.data, [4], number)
    assert view.dtype == source.dtype
    assert np.array_equal(view, source)


def test_numpy_views():
    strided = np.arange(6).reshape(2, 3).T
    pointer, copy = acl.util.numpy_contiguous_to_ptr(strided)
    assert pointer == copy.ctypes.data != strided.ctypes.data
    assert copy.flags.c_contiguous
    same = acl.util.numpy_contiguous_to_ptr(copy)
    assert same[0] == pointer
    assert acl.util.ptr_to_numpy(copy.ctypes.data, (0, 3), 11).shape == (0, 3)
    with pytest.raises(ValueError, match="number 17"):
        acl.util.ptr_to_numpy(pointer, (1,), 17)


def test_programs_may_say_import_acl():
    text = (
        "import acl, acl.rt\nfrom acl import util\nprint(acl.rt.get_run_mode(), acl.util is util)"
    )
    directory = toolkit.prefix() / "python" / "site-packages"
    done = run([sys.executable, "-c", text], env=clean_environment(PYTHONPATH=directory))
    assert done.stdout == "(1, 0) True\n"


def test_events(device):
    stream, ret = acl.rt.create_stream_with_config(0, 0)
    assert ret == 0
    start, end = acl.rt.create_event()[0], acl.rt.create_event_ex_with_flag(8)[0]
    held, ret = acl.rt.create_event_with_flag(1)
    assert ret == 0
    assert acl.rt.record_event(start, stream) == 0
    assert acl.rt.stream_wait_event(stream, held) == 0
    assert acl.rt.stream_query(stream) == (1, 0)
    assert acl.rt.record_event(end, stream) == 0
    assert acl.rt.query_event_status(end) == (0, 0)
    assert acl.rt.synchronize_stream_with_timeout(stream, 1) == 507046
    assert acl.rt.synchronize_event_with_timeout(end, 1) == 507047
    assert acl.rt.record_event(held, 0) == 0
    assert acl.rt.synchronize_event(end) == 0
    assert acl.rt.query_event(start) == (0, 0)
    assert acl.rt.query_event_wait_status(held) == (0, 0)
    ms, ret = acl.rt.event_elapsed_time(start, end)
    assert (ms >= 0, ret) == (True, 0)
    assert acl.rt.event_get_timestamp(end)[1] == 0
    assert acl.rt.reset_event(held, stream) == 0
    assert [acl.rt.destroy_event(event) for event in (start, end, held)] == [0, 0, 0]
    assert acl.rt.synchronize_device_with_timeout(60000) == 0
    assert acl.rt.destroy_stream_force(stream) == 0


def test_queued_copies(device):
    address, ret = acl.rt.malloc_align32(16, 0)
    cached, ret = acl.rt.malloc_cached(16, 0)
    pinned, ret = acl.rt.malloc_host(16)
    assert ret == 0
    assert acl.rt.memset_async(address, 16, 7, 16, 0) == 0
    assert acl.rt.memcpy_async(pinned, 16, address, 16, 2, 0) == 0
    assert acl.rt.memcpy2d(cached, 8, address, 8, 4, 2, 3) == 0
    assert acl.rt.memcpy2d_async(cached, 8, address, 8, 4, 2, 3, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.util.ptr_to_bytes(pinned, 16) == b"\7" * 16
    assert acl.util.ptr_to_bytes(cached, 8) == b"\7\7\7\7\0\0\0\0"
    free, total, ret = acl.rt.get_mem_info(1)
    assert (0 < free < total, ret) == (True, 0)
    assert acl.rt.free(address) == acl.rt.free_with_dev_sync(cached) == 0
    assert acl.rt.free_host(pinned) == 0


def test_callbacks(device):
    stream, context = acl.rt.create_stream()[0], acl.rt.get_context()[0]
    seen, stop = [], []

    def serve(arguments):
        assert acl.rt.set_context(arguments[0]) == 0
        while not stop:
            acl.rt.process_report(arguments[1])

    thread, ret = acl.util.start_thread(serve, [context, 10])
    assert ret == 0
    assert acl.rt.subscribe_report(thread, stream) == 0
    assert acl.rt.launch_callback(seen.append, [1, 2], 1, stream) == 0
    assert acl.rt.launch_callback(seen.append, [3], 5, stream) == 107000
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen == [[1, 2]]
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    stop.append(True)
    assert acl.util.stop_thread(thread) == 0
    assert acl.util.stop_thread(thread) == 100000
    assert acl.rt.destroy_stream(stream) == 0


def test_data_buffers():
    buffer = acl.create_data_buffer(4096, 8)
    assert (acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size(buffer)) == (4096, 8)
    assert acl.destroy_data_buffer(buffer) == 0
    assert acl.destroy_data_buffer(buffer) == 100000
    assert acl.op.set_model_dir("anywhere") == 0

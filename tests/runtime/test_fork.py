# SPDX-License-Identifier: Apache-2.0
"""A child forked from a process that uses a device gets an error and never hangs."""

FORK = """
import os, signal
from aclhost import acl
def in_child(body):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            body()
        except BaseException as problem:
            print(problem, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_after_a_device_was_set(in_process):
    in_process(
        FORK
        + """
stream, memory, event = c_void_p(), c_void_p(), c_void_p()
assert lib.aclInit(None) == lib.aclrtSetDevice(0) == lib.aclrtCreateStream(stream) == 0
assert lib.aclrtCreateEventWithFlag(event, 1) == 0
assert lib.aclrtMalloc(memory, 64, 0) == 0
assert lib.aclrtStreamWaitEvent(stream, event) == 0
assert lib.aclrtMemsetAsync(memory, 64, 1, 64, stream) == 0
def body():
    assert lib.aclrtSynchronizeStream(stream) == RT_DEV_SETUP_ERROR
    assert "forked" in text(lib)
    assert lib.aclrtSetDevice(0) == RT_DEV_SETUP_ERROR
    assert lib.aclrtMalloc(c_void_p(), 8, 0) == RT_DEV_SETUP_ERROR
    assert lib.aclrtFree(memory) == RT_DEV_SETUP_ERROR
    assert lib.aclrtResetDevice(0) == RT_DEV_SETUP_ERROR
    assert lib.aclFinalize() == RT_DEV_SETUP_ERROR
    assert lib.aclDestroyTensor(None) == 361001
    assert lib.aclCreateTensor(dims(1), 1, 0, None, 0, 2, dims(1), 1, None) is None
    assert lib.aclrtGetSocName().startswith(b"Ascend")
in_child(body)
assert lib.aclrtRecordEvent(event, None) == 0
assert lib.aclrtSynchronizeStream(stream) == 0
"""
    )


def test_before_a_device_is_set(in_process):
    in_process(
        FORK
        + """
assert lib.aclInit(None) == 0
def body():
    stream = c_void_p()
    assert lib.aclrtSetDevice(0) == lib.aclrtCreateStream(stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
in_child(body)
in_child(body)
"""
    )


def test_the_python_functions_survive(in_process):
    in_process(
        FORK
        + """
import aclhost, numpy
assert lib.aclrtSetDevice(0) == 0
def body():
    ones = numpy.ones(4, numpy.float32)
    assert (aclhost.elu(ones) == ones).all()
in_child(body)
"""
    )


def test_while_threads_configure_dumps(in_process, tmp_path):
    """Children find no lock closed, whatever the other thread was in."""
    in_process(
        FORK
        + """
import json, threading
folder = sys.argv[2].encode()
open(folder + b"/acl.json", "w").write(json.dumps(
    {"dump": {"dump_path": folder.decode(), "dump_list": [{}], "dump_op_switch": "on"}}))
assert lib.aclInit(None) == lib.aclmdlInitDump() == 0
def body():
    assert lib.aclmdlSetDump(folder + b"/acl.json") == 0
    lib.acldumpGetPath(4)
    lib.aclopStartDumpArgs(1, folder)
    lib.aclopStopDumpArgs(1)
done = threading.Event()
def go_on():
    while not done.is_set():
        body()
other = threading.Thread(target=go_on)
other.start()
try:
    for _ in range(40):
        in_child(body)
finally:
    done.set()
    other.join()
""",
        str(tmp_path),
    )

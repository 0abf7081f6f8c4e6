# SPDX-License-Identifier: Apache-2.0
"""Snapshots of the process: a lock holds other threads, and functions are told of the stages."""

import os

from support.interpreter import said

PRELUDE = """
import ctypes, os, threading, time
from aclhost.acl import _capi
lib, told, me = _capi.library(), [], os.getpid()
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_int32, ctypes.c_void_p)
lock = lambda: lib.aclrtSnapShotProcessLock(me, None)
unlock = lambda: lib.aclrtSnapShotProcessUnlock(me, None)
backup = lambda: lib.aclrtSnapShotProcessBackup(me, None)
restore = lambda: lib.aclrtSnapShotProcessRestore(me, None)
assert lib.aclrtSetDevice(0) == 0
"""


def test_states():
    program = """
print(unlock(), backup(), restore())
print(lock(), lock(), restore(), backup(), backup(), restore(), restore(), unlock(), unlock())
print(lock(), backup(), unlock())
"""
    assert said(PRELUDE + program).strip() == (
        "507907 507908 507909\n0 507906 507909 0 0 0 507909 0 507907\n0 0 0"
    )


def test_other_threads_are_held():
    program = """
def other():
    codes.append(lib.aclrtSetDevice(0))
codes = []
assert lock() == 0
thread = threading.Thread(target=other)
thread.start()
thread.join(0.1)
print(thread.is_alive(), codes, lib.aclrtSetDevice(0))
assert unlock() == 0
thread.join(60)
print(thread.is_alive(), codes)
"""
    assert said(PRELUDE + program).strip() == "True [] 0\nFalse [0]"


def test_a_lock_waits_for_streams():
    program = """
stream, done = ctypes.c_void_p(), []
assert lib.aclrtCreateStream(ctypes.byref(stream)) == 0
HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def slow(_):
    time.sleep(0.1)
    done.append(lib.aclrtSetDevice(0))
task = HOST(slow)
assert lib.aclrtLaunchHostFunc(stream, task, None) == 0
print(lock(), done, unlock())
"""
    assert said(PRELUDE + program).strip() == "0 [0] 0"


TWO_STREAMS = """
HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
first, second, done = ctypes.c_void_p(), ctypes.c_void_p(), []
for each in (first, second):
    assert lib.aclrtCreateStream(ctypes.byref(each)) == 0
"""


def test_a_lock_waits_for_what_comes_while_it_waits():
    program = """
@HOST
def late(_):
    time.sleep(0.2)
    done.append("late")
@HOST
def early(_):
    time.sleep(0.1)
    done.append(lib.aclrtLaunchHostFunc(first, late, None))
assert lib.aclrtLaunchHostFunc(second, early, None) == 0
print(lock(), done, unlock())
"""
    assert said(PRELUDE + TWO_STREAMS + program).strip() == "0 [0, 'late'] 0"


def test_what_comes_while_a_lock_waits_may_make_calls():
    program = """
@HOST
def late(_):
    time.sleep(0.2)
    done.append(lib.aclrtSetDevice(0))
@HOST
def early(_):
    time.sleep(0.1)
    done.append(lib.aclrtLaunchHostFunc(first, late, None))
assert lib.aclrtLaunchHostFunc(second, early, None) == 0
print(lock(), done, unlock())
"""
    assert said(PRELUDE + TWO_STREAMS + program).strip() == "0 [0, 0] 0"


def test_a_task_that_a_lock_waits_for_may_register_functions():
    program = """
function = FUNCTION(lambda device, data: 0)
@HOST
def task(_):
    time.sleep(0.1)
    done.append(lib.aclrtSnapShotCallbackRegister(5, function, None))
    done.append(lock())
    done.append(unlock())
assert lib.aclrtLaunchHostFunc(first, task, None) == 0
print(lock(), done, unlock())
"""
    assert said(PRELUDE + TWO_STREAMS + program).strip() == "0 [0, 507906, 507907] 0"


def test_a_refused_lock_calls_no_functions():
    program = """
function = FUNCTION(lambda device, data: told.append(lock()) or 0)
assert lib.aclrtSnapShotCallbackRegister(0, function, None) == 0
print(lock(), told, lock(), told, unlock())
print(lock(), told, unlock())
"""
    assert said(PRELUDE + program).strip() == ("0 [507906] 507906 [507906] 0\n0 [507906, 507906] 0")


def test_functions_of_the_stages():
    program = """
functions = [FUNCTION(lambda device, data, stage=stage: told.append((stage, device)) or 0)
             for stage in range(6)]
for stage, function in enumerate(functions):
    assert lib.aclrtSnapShotCallbackRegister(stage, function, None) == 0
print(lib.aclrtSnapShotCallbackRegister(0, functions[0], None))
assert lock() == backup() == restore() == unlock() == 0
print(told)
print(lib.aclrtSnapShotCallbackUnregister(0, functions[0]),
      lib.aclrtSnapShotCallbackUnregister(0, functions[0]),
      lib.aclrtSnapShotCallbackRegister(6, functions[0], None))
bad = FUNCTION(lambda device, data: 3)
assert lib.aclrtSnapShotCallbackRegister(0, bad, None) == 0
print(lock(), unlock())
"""
    assert said(PRELUDE + program).strip() == (
        "507913\n[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]\n0 107000 107000\n507912 507907"
    )


def test_only_the_own_process(lib):
    for name in ("Lock", "Unlock", "Backup", "Restore"):
        function = getattr(lib, f"aclrtSnapShotProcess{name}")
        assert function(os.getppid(), None) == function(os.getpid(), 1) == 100000

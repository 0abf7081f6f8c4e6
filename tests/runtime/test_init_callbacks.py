# SPDX-License-Identifier: Apache-2.0
"""Functions that aclInit and aclFinalize call. Each program is a process of its own."""

import pytest
from support.interpreter import said

PRELUDE = """
import ctypes, json, sys
from aclhost.acl import _capi
lib, told = _capi.library(), []
INIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p)
END = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
MODEL, EXECUTOR, COMPILER, OTHER = 0, 1, 3, 0xFFFF

def at_init(name, code=0):
    return INIT(lambda text, size, data: told.append((name, text.decode(), size, data)) or code)

def at_end(name, code=0):
    return END(lambda data: told.append((name, data)) or code)
"""


def test_before_and_after_the_start(tmp_path):
    config = tmp_path / "acl.json"
    config.write_text("{}")
    program = f"""
a, b, c, d = at_init("other"), at_init("model"), at_end("end"), at_end("compiler")
assert lib.aclInitCallbackRegister(OTHER, a, 7) == 0
assert lib.aclInitCallbackRegister(MODEL, b, None) == 0
assert lib.aclInit({str(config)!r}.encode()) == 0
late = at_init("late", 5)
assert lib.aclInitCallbackRegister(OTHER, late, None) == 0
assert lib.aclFinalizeCallbackRegister(OTHER, c, 8) == 0
assert lib.aclFinalizeCallbackRegister(COMPILER, d, 9) == 0
assert lib.aclFinalize() == 0
print(told)
"""
    assert said(PRELUDE + program).strip() == (
        "[('model', '{}', 2, None), ('other', '{}', 2, 7), ('late', '{}', 2, None),"
        " ('compiler', 9), ('end', 8)]"
    )


@pytest.mark.parametrize("end", ["aclFinalize()", "aclFinalizeReference(None)"])
def test_a_function_that_fails(end):
    program = f"""
bad = at_init("bad", 12345)
assert lib.aclInitCallbackRegister(OTHER, bad, None) == 0
print(lib.aclInit(None), lib.aclInitCallbackUnRegister(OTHER, bad), lib.aclInit(None))
worse = at_end("worse", 54321)
assert lib.aclFinalizeCallbackRegister(OTHER, worse, None) == 0
print(lib.{end}, lib.aclFinalizeCallbackUnRegister(OTHER, worse), lib.{end})
"""
    assert said(PRELUDE + program).strip() == "12345 0 0\n54321 0 0"


def test_a_refused_start_leaves_nothing(tmp_path):
    config = tmp_path / "acl.json"
    config.write_text('{"a": 1}')
    program = f"""
bad = at_init("bad", 12345)
assert lib.aclInitCallbackRegister(OTHER, bad, None) == 0
assert lib.aclInit({str(config)!r}.encode()) == 12345
assert lib.aclInitCallbackUnRegister(OTHER, bad) == 0
print(lib.aclInit(None), lib.aclFinalize())
assert lib.aclInitCallbackRegister(OTHER, bad, None) == 0
print(lib.aclInit(None), lib.aclFinalize())
"""
    assert said(PRELUDE + program).strip() == "0 0\n12345 100037"


def test_one_function_for_each_type_but_the_last():
    program = """
a, b = at_init("a"), at_init("b")
print([lib.aclInitCallbackRegister(*each, None) for each in ((MODEL, a), (MODEL, b), (OTHER, a),
      (OTHER, b), (OTHER, None))])
print([lib.aclInitCallbackUnRegister(*each) for each in ((MODEL, b), (MODEL, a), (MODEL, a))])
"""
    assert said(PRELUDE + program).strip() == "[0, 500000, 0, 0, 100000]\n[500000, 0, 500000]"


def test_a_function_may_call_what_it_likes():
    program = """
again = INIT(lambda *_: told.append((lib.aclInit(None), lib.aclrtSetDevice(0))) or 0)
end = END(lambda _: told.append(lib.aclrtResetDevice(0)) or 0)
assert lib.aclInitCallbackRegister(OTHER, again, None) == 0
assert lib.aclFinalizeCallbackRegister(OTHER, end, None) == 0
assert lib.aclInit(None) == lib.aclFinalize() == 0
print(told)
"""
    assert said(PRELUDE + program).strip() == "[(100002, 0), 0]"


@pytest.mark.parametrize("inner", ["aclFinalize()", "aclFinalizeReference(None)"])
@pytest.mark.parametrize("outer", ["aclFinalize()", "aclFinalizeReference(None)"])
def test_a_function_at_the_end_may_end_it(outer, inner):
    program = f"""
end = END(lambda _: told.append(lib.{inner}) or 0)
assert lib.aclFinalizeCallbackRegister(OTHER, end, None) == 0
for _ in range(2):
    assert lib.aclInit(None) == 0
    print(lib.{outer}, lib.aclFinalize(), told)
"""
    assert said(PRELUDE + program).strip() == "0 100037 [0]\n0 100037 [0, 0]"

# SPDX-License-Identifier: Apache-2.0
"""Error texts and codes, version, data types, half conversions, options."""

import math
import os
import re
from ctypes import c_int32, c_int64, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_PARAM_INVALID, text

TEXT = re.compile(
    r"\[PID:(\d+)\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} (\w+)\((E\w\d{4})\): (.+)"
)


def test_texts_have_a_shape_and_go_when_read(lib, in_thread):
    def provoke():
        lib.aclrtFree(None)
        return text(lib), lib.aclGetRecentErrMsg()

    message, rest = in_thread(provoke)
    pid, _, code, what = TEXT.fullmatch(message).groups()
    assert int(pid) == os.getpid()
    assert code == "EH0002"
    assert what.startswith("aclrtFree returns 100000: devPtr ")
    assert rest is None


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (lambda lib: lib.aclrtGetVersion(None, None, None), "EH0002"),
        (lambda lib: lib.aclrtMalloc(c_void_p(), 0, 0), "EH0001"),
        (lambda lib: lib.aclrtSetDevice(-1), "EE1001"),
        (lambda lib: lib.aclGetViewOffset(None, c_int64()), "EZ1001"),
        (lambda lib: lib.aclDestroyTensor(1), "EZ1001"),
    ],
)
def test_titles(lib, call, title):
    text(lib)
    call(lib)
    assert TEXT.fullmatch(text(lib)).group(3) == title


def test_newest_text_first_and_bounded(lib, in_thread):
    def provoke():
        for number in range(100):
            lib.aclrtSetDevice(1000 + number)
        return text(lib).splitlines()

    lines = in_thread(provoke)
    assert len(lines) == 64
    assert "is 1099 " in lines[0]
    assert "is 1036 " in lines[-1]


def test_texts_belong_to_their_thread(lib, in_thread):
    text(lib)
    in_thread(lambda: lib.aclrtFree(None))
    assert text(lib) == ""


def test_last_error(lib, in_thread):
    def calls():
        first = lib.aclrtPeekAtLastError(0)
        lib.aclrtSetDevice(-1)
        lib.aclrtFree(1)
        lib.aclrtFree(None)
        lib.aclDestroyTensor(1)
        return [
            first, lib.aclrtPeekAtLastError(0), lib.aclrtGetLastError(0), lib.aclrtGetLastError(0),
            lib.aclrtPeekAtLastError(1), lib.aclrtGetLastError(-1),
        ]  # fmt: skip

    expected = [0, RT_PARAM_INVALID, RT_PARAM_INVALID, 0, INVALID_PARAM, INVALID_PARAM]
    assert in_thread(calls) == expected


def test_version(lib):
    numbers = [c_int32(), c_int32(), c_int32()]
    assert lib.aclrtGetVersion(*numbers) == 0
    assert [number.value for number in numbers] == [1, 17, 0]
    for missing in range(3):
        arguments = [None if i == missing else numbers[i] for i in range(3)]
        assert lib.aclrtGetVersion(*arguments) == INVALID_PARAM


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        (-1, 0), (0, 4), (1, 2), (2, 1), (9, 8), (11, 8), (12, 1), (13, 0), (16, 8), (17, 16),
        (27, 2), (29, 1), (30, 1), (33, 4), (36, 1), (38, 8), (41, 8), (5, 8), (1000, 8),
    ],
)  # fmt: skip
def test_data_type_sizes(lib, dtype, size):
    assert lib.aclDataTypeSize(dtype) == size


@pytest.mark.parametrize(
    ("half", "value"),
    [
        (0x0000, 0.0), (0x8000, -0.0), (0x3C00, 1.0), (0xC000, -2.0), (0x7BFF, 65504.0),
        (0x0001, 2.0**-24), (0x03FF, 1023 * 2.0**-24), (0x0400, 2.0**-14), (0x3555, 0.333251953125),
        (0x7C00, 65536.0), (0xFC00, -65536.0), (0x7E00, 98304.0), (0x7FFF, 131008.0),
    ],
)  # fmt: skip
def test_half_to_float(lib, half, value):
    result = lib.aclFloat16ToFloat(half)
    assert result == value
    assert math.copysign(1, result) == math.copysign(1, value)


@pytest.mark.parametrize(
    ("value", "half"),
    [
        (0.0, 0x0000), (-0.0, 0x8000), (1.0, 0x3C00), (-2.0, 0xC000), (1 / 3, 0x3555),
        (1 + 2.0**-11, 0x3C00), (1 + 3 * 2.0**-11, 0x3C02), (2.0**-24, 0x0001), (2.0**-25, 0x0000),
        (2.0**-25 * 1.01, 0x0001), (65504.0, 0x7BFF), (65519.0, 0x7BFF), (65520.0, 0x7BFF),
        (1e30, 0x7BFF), (-1e30, 0xFBFF), (math.inf, 0x7BFF), (-math.inf, 0xFBFF),
        (math.nan, 0x7BFF),
    ],
)  # fmt: skip
def test_float_to_half(lib, value, half):
    assert lib.aclFloatToFloat16(value) == half


def test_process_options(in_process):
    in_process("""
value = c_int64(9)
for option, largest in ((0, 3), (1, 1), (2, 1), (3, 1)):
    assert lib.aclrtGetSysParamOpt(option, value) == 0 and value.value == 0
    assert lib.aclrtSetSysParamOpt(option, largest) == 0
    assert lib.aclrtGetSysParamOpt(option, value) == 0 and value.value == largest
    assert lib.aclrtSetSysParamOpt(option, largest + 1) == RT_PARAM_INVALID
    assert lib.aclrtSetSysParamOpt(option, -1) == RT_PARAM_INVALID
for option in (-1, 4):
    assert lib.aclrtSetSysParamOpt(option, 0) == INVALID_PARAM
    assert lib.aclrtGetSysParamOpt(option, value) == INVALID_PARAM
assert lib.aclrtGetSysParamOpt(0, None) == INVALID_PARAM
""")


def test_context_options(in_process):
    in_process("""
value = c_int64(9)
assert lib.aclrtCtxSetSysParamOpt(0, 1) == RT_CONTEXT_NULL
assert lib.aclrtCtxGetSysParamOpt(0, value) == RT_CONTEXT_NULL
assert lib.aclrtSetDevice(0) == 0
assert lib.aclrtCtxGetSysParamOpt(0, value) == RT_SYSPARAMOPT_NOT_SET
assert lib.aclrtCtxSetSysParamOpt(0, 3) == 0
assert lib.aclrtCtxGetSysParamOpt(0, value) == 0 and value.value == 3
assert lib.aclrtCtxGetSysParamOpt(1, value) == RT_SYSPARAMOPT_NOT_SET
assert lib.aclrtCtxSetSysParamOpt(1, 2) == RT_PARAM_INVALID
for option in (-1, 3):
    assert lib.aclrtCtxSetSysParamOpt(option, 0) == INVALID_PARAM
    assert lib.aclrtCtxGetSysParamOpt(option, value) == INVALID_PARAM
assert lib.aclrtCtxGetSysParamOpt(0, None) == INVALID_PARAM
assert lib.aclrtGetSysParamOpt(0, value) == 0 and value.value == 0
context = c_void_p()
assert lib.aclrtCreateContext(context, 0) == 0
assert lib.aclrtCtxGetSysParamOpt(0, value) == RT_SYSPARAMOPT_NOT_SET
""")

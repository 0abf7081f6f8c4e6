# SPDX-License-Identifier: Apache-2.0
"""The C functions under test, with their types, and codes by name."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    c_char_p,
    c_float,
    c_int32,
    c_int64,
    c_size_t,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path

from aclhost.acl import _capi
from aclhost.spec import runtime_api

INVALID_PARAM = 100000
REPEAT_INITIALIZE = 100002
INVALID_FILE = 100003
PARSE_FILE = 100006
REPEAT_FINALIZE = 100037
INTERNAL_ERROR = 500000
RT_PARAM_INVALID = 107000
RT_INVALID_DEVICEID = 107001
RT_CONTEXT_NULL = 107002
RT_STREAM_CONTEXT = 107003
RT_MODEL_CONTEXT = 107004
RT_STREAM_MODEL = 107005
RT_EVENT_TIMESTAMP_INVALID = 107006
RT_STREAM_SUBSCRIBE = 107011
RT_THREAD_SUBSCRIBE = 107012
RT_STREAM_NO_CB_REG = 107015
RT_INVALID_MEMORY_TYPE = 107016
RT_INVALID_HANDLE = 107017
RT_WAIT_TIMEOUT = 107019
RT_SYSPARAMOPT_NOT_SET = 107021
RT_DEVICE_TASK_ABORT = 107022
RT_STREAM_ABORT = 107023
RT_CAPTURE_DEPENDENCY = 107024
RT_STREAM_UNJOINED = 107025
RT_MODEL_CAPTURED = 107026
RT_STREAM_CAPTURED = 107027
RT_EVENT_CAPTURED = 107028
RT_STREAM_NOT_CAPTURED = 107029
RT_CAPTURE_MODE_NOT_SUPPORT = 107030
RT_STREAM_CAPTURE_IMPLICIT = 107031
STREAM_CAPTURE_CONFLICT = 107032
STREAM_TASK_GROUP_STATUS = 107033
RT_STREAM_CAPTURE_UNMATCHED = 107036
RT_STREAM_CAPTURE_WRONG_THREAD = 107038
RT_INSUFFICIENT_INPUT_ARRAY = 107039
RT_CAPTURE_MODE_BLOCK_ASYNC = 107041
RT_FEATURE_NOT_SUPPORT = 207000
RT_MEMORY_ALLOCATION = 207001
RT_NO_STREAM_RESOURCE = 207008
RT_INTERNAL_ERROR = 507000
RT_CONTEXT_RELEASE_ERROR = 507007
RT_MODEL_EXECUTE = 507011
RT_REPORT_TIMEOUT = 507012
RT_AICORE_EXCEPTION = 507015
RT_MODEL_ABORT_NORMAL = 507023
RT_LABEL_CONTEXT = 507031
RT_DEV_SETUP_ERROR = 507033
RT_STREAM_SYNC_TIMEOUT = 507046
RT_EVENT_SYNC_TIMEOUT = 507047
RT_STREAM_CAPTURE_INVALIDATED = 507903
ACLNN_NULLPTR = 161001
ACLNN_INVALID = 161002
ACLNN_RUNTIME_ERROR = 361001

_OBJECTS = ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList")
_DIMS = [c_void_p, POINTER(POINTER(c_int64)), POINTER(c_uint64)]
_DESCRIPTION = [
    POINTER(c_int64), c_uint64, c_int32, POINTER(c_int64), c_int64, c_int32, POINTER(c_int64),
    c_uint64, c_void_p,
]  # fmt: skip

_COPY = [c_void_p, c_size_t, c_void_p, c_size_t, c_int32]
_COPY_2D = [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_size_t, c_int32]
_ALLOCATE = [POINTER(c_void_p), c_size_t, c_int32]

_INT_FUNCTIONS = {
    "aclInit": [c_char_p],
    "aclFinalize": [],
    "aclFinalizeReference": [POINTER(c_uint64)],
    "aclrtSetDevice": [c_int32],
    "aclrtResetDevice": [c_int32],
    "aclrtResetDeviceForce": [c_int32],
    "aclrtGetDevice": [POINTER(c_int32)],
    "aclrtGetDeviceCount": [POINTER(c_uint32)],
    "aclrtGetRunMode": [POINTER(c_int32)],
    "aclrtCreateContext": [POINTER(c_void_p), c_int32],
    "aclrtDestroyContext": [c_void_p],
    "aclrtSetCurrentContext": [c_void_p],
    "aclrtGetCurrentContext": [POINTER(c_void_p)],
    "aclrtCreateStream": [POINTER(c_void_p)],
    "aclrtDestroyStream": [c_void_p],
    "aclrtSynchronizeStream": [c_void_p],
    "aclrtSynchronizeDevice": [],
    "aclrtMalloc": [POINTER(c_void_p), c_size_t, c_int32],
    "aclrtFree": [c_void_p],
    "aclrtMallocHost": [POINTER(c_void_p), c_size_t],
    "aclrtFreeHost": [c_void_p],
    "aclrtMemcpy": [c_void_p, c_size_t, c_void_p, c_size_t, c_int32],
    "aclrtMemset": [c_void_p, c_size_t, c_int32, c_size_t],
    "aclrtCreateStreamWithConfig": [POINTER(c_void_p), c_uint32, c_uint32],
    "aclrtDestroyStreamForce": [c_void_p],
    "aclrtSynchronizeStreamWithTimeout": [c_void_p, c_int32],
    "aclrtSynchronizeDeviceWithTimeout": [c_int32],
    "aclrtStreamQuery": [c_void_p, POINTER(c_int32)],
    "aclrtStreamGetId": [c_void_p, POINTER(c_int32)],
    "aclrtStreamGetPriority": [c_void_p, POINTER(c_uint32)],
    "aclrtStreamGetFlags": [c_void_p, POINTER(c_uint32)],
    "aclrtSetStreamFailureMode": [c_void_p, c_uint64],
    "aclrtStreamWaitEvent": [c_void_p, c_void_p],
    "aclrtCreateEvent": [POINTER(c_void_p)],
    "aclrtCreateEventWithFlag": [POINTER(c_void_p), c_uint32],
    "aclrtCreateEventExWithFlag": [POINTER(c_void_p), c_uint32],
    "aclrtDestroyEvent": [c_void_p],
    "aclrtRecordEvent": [c_void_p, c_void_p],
    "aclrtResetEvent": [c_void_p, c_void_p],
    "aclrtQueryEvent": [c_void_p, POINTER(c_int32)],
    "aclrtQueryEventStatus": [c_void_p, POINTER(c_int32)],
    "aclrtQueryEventWaitStatus": [c_void_p, POINTER(c_int32)],
    "aclrtSynchronizeEvent": [c_void_p],
    "aclrtSynchronizeEventWithTimeout": [c_void_p, c_int32],
    "aclrtEventElapsedTime": [POINTER(c_float), c_void_p, c_void_p],
    "aclrtEventGetTimestamp": [c_void_p, POINTER(c_uint64)],
    "aclrtSubscribeReport": [c_uint64, c_void_p],
    "aclrtUnSubscribeReport": [c_uint64, c_void_p],
    "aclrtProcessReport": [c_int32],
    "aclrtLaunchCallback": [c_void_p, c_void_p, c_int32, c_void_p],
    "aclrtLaunchHostFunc": [c_void_p, c_void_p, c_void_p],
    "aclrtMallocAlign32": _ALLOCATE,
    "aclrtMallocCached": _ALLOCATE,
    "aclrtMallocWithCfg": [*_ALLOCATE, c_void_p],
    "aclrtFreeWithDevSync": [c_void_p],
    "aclrtMemcpyAsync": [*_COPY, c_void_p],
    "aclrtMemcpyAsyncWithCondition": [*_COPY, c_void_p],
    "aclrtMemsetAsync": [c_void_p, c_size_t, c_int32, c_size_t, c_void_p],
    "aclrtMemcpy2d": _COPY_2D,
    "aclrtMemcpy2dAsync": [*_COPY_2D, c_void_p],
    "aclrtGetMemInfo": [c_int32, POINTER(c_size_t), POINTER(c_size_t)],
    "aclrtPointerGetAttributes": [c_void_p, c_void_p],
    "aclDestroyDataBuffer": [c_void_p],
    "aclUpdateDataBuffer": [c_void_p, c_void_p, c_size_t],
    "aclrtDeviceCanAccessPeer": [POINTER(c_int32), c_int32, c_int32],
    "aclrtDeviceEnablePeerAccess": [c_int32, c_uint32],
    "aclrtDeviceDisablePeerAccess": [c_int32],
    "aclrtGetPrimaryCtxState": [c_int32, POINTER(c_uint32), POINTER(c_int32)],
    "aclrtSetOpWaitTimeout": [c_uint32],
    "aclrtSetOpExecuteTimeOut": [c_uint32],
    "aclrtGetVersion": [POINTER(c_int32)] * 3,
    "aclrtPeekAtLastError": [c_int32],
    "aclrtGetLastError": [c_int32],
    "aclrtSetSysParamOpt": [c_int32, c_int64],
    "aclrtGetSysParamOpt": [c_int32, POINTER(c_int64)],
    "aclrtCtxSetSysParamOpt": [c_int32, c_int64],
    "aclrtCtxGetSysParamOpt": [c_int32, POINTER(c_int64)],
    **{f"aclDestroy{name}": [c_void_p] for name in _OBJECTS},
    **{f"aclGet{name}Size": [c_void_p, POINTER(c_uint64)] for name in _OBJECTS[2:]},
    "aclGetViewShape": _DIMS,
    "aclGetStorageShape": _DIMS,
    "aclGetViewStrides": _DIMS,
    "aclGetViewOffset": [c_void_p, POINTER(c_int64)],
    "aclGetFormat": [c_void_p, POINTER(c_int32)],
    "aclGetDataType": [c_void_p, POINTER(c_int32)],
    "aclGetRawTensorAddr": [c_void_p, POINTER(c_void_p)],
    "aclInitTensor": [c_void_p, *_DESCRIPTION],
    "aclSetRawTensorAddr": [c_void_p, c_void_p],
}
_OTHER_FUNCTIONS = {
    "aclCreateDataBuffer": (c_void_p, [c_void_p, c_size_t]),
    "aclGetDataBufferAddr": (c_void_p, [c_void_p]),
    "aclGetDataBufferSize": (c_uint32, [c_void_p]),
    "aclGetDataBufferSizeV2": (c_size_t, [c_void_p]),
    "aclGetRecentErrMsg": (c_char_p, []),
    "aclrtGetSocName": (c_char_p, []),
    "aclDataTypeSize": (c_size_t, [c_int32]),
    "aclFloat16ToFloat": (c_float, [c_uint16]),
    "aclFloatToFloat16": (c_uint16, [c_float]),
    "aclCreateTensor": (c_void_p, _DESCRIPTION),
    "aclCreateScalar": (c_void_p, [c_void_p, c_int32]),
    **{f"aclCreate{name}": (c_void_p, [c_void_p, c_uint64]) for name in _OBJECTS[2:]},
}


def load(path: Path | str) -> ctypes.CDLL:
    """The library with the type of every function declared."""
    library = ctypes.CDLL(str(path))
    for declared in runtime_api.FUNCTIONS:  # the rest takes and fills plain addresses
        function = getattr(library, declared.name)
        function.restype = None if declared.returns == "void" else _capi.c_type(declared.returns)
        function.argtypes = [_capi.c_type(p.c_type) for p in declared.parameters if p.name]
    for name, arguments in _INT_FUNCTIONS.items():
        getattr(library, name).argtypes = arguments
    for name, (result, arguments) in _OTHER_FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def dims(*values: int) -> ctypes.Array[c_int64]:
    """A C array of 64-bit integers."""
    return (c_int64 * len(values))(*values)


def text(library: ctypes.CDLL) -> str:
    """What aclGetRecentErrMsg answers, empty for null."""
    return (library.aclGetRecentErrMsg() or b"").decode()

# SPDX-License-Identifier: Apache-2.0
"""Numbers of the headers and of aclhost.constants against literals typed from upstream's pages."""

from support.programs import run

from aclhost import constants
from aclhost.spec import error_codes

INCLUDES = ("acl/acl.h", "aclnn/aclnn_base.h", "aclnn/opdev/op_errno.h")

VALUES = {
    "ACL_DT_UNDEFINED": -1, "ACL_FLOAT": 0, "ACL_FLOAT16": 1, "ACL_INT8": 2, "ACL_INT32": 3,
    "ACL_UINT8": 4, "ACL_INT16": 6, "ACL_UINT16": 7, "ACL_UINT32": 8, "ACL_INT64": 9,
    "ACL_UINT64": 10, "ACL_DOUBLE": 11, "ACL_BOOL": 12, "ACL_STRING": 13, "ACL_COMPLEX64": 16,
    "ACL_COMPLEX128": 17, "ACL_BF16": 27, "ACL_INT4": 29, "ACL_UINT1": 30, "ACL_COMPLEX32": 33,
    "ACL_HIFLOAT8": 34, "ACL_FLOAT8_E5M2": 35, "ACL_FLOAT8_E4M3FN": 36, "ACL_FLOAT8_E8M0": 37,
    "ACL_FLOAT6_E3M2": 38, "ACL_FLOAT6_E2M3": 39, "ACL_FLOAT4_E2M1": 40, "ACL_FLOAT4_E1M2": 41,
    "ACL_FORMAT_UNDEFINED": -1, "ACL_FORMAT_NCHW": 0, "ACL_FORMAT_NHWC": 1, "ACL_FORMAT_ND": 2,
    "ACL_FORMAT_NC1HWC0": 3, "ACL_FORMAT_FRACTAL_Z": 4, "ACL_FORMAT_NC1HWC0_C04": 12,
    "ACL_FORMAT_HWCN": 16, "ACL_FORMAT_NDHWC": 27, "ACL_FORMAT_FRACTAL_NZ": 29,
    "ACL_FORMAT_NCDHW": 30, "ACL_FORMAT_NDC1HWC0": 32, "ACL_FRACTAL_Z_3D": 33,
    "ACL_FORMAT_NC": 35, "ACL_FORMAT_NCL": 47, "ACL_FORMAT_FRACTAL_NZ_C0_16": 50,
    "ACL_FORMAT_FRACTAL_NZ_C0_8": 54,
    "ACL_MEM_MALLOC_HUGE_FIRST": 0, "ACL_MEM_MALLOC_NORMAL_ONLY": 2,
    "ACL_MEM_MALLOC_HUGE1G_ONLY_P2P": 7, "ACL_MEM_TYPE_HIGH_BAND_WIDTH": 0x1000,
    "ACL_MEM_ACCESS_USER_SPACE_READONLY": 0x100000,
    "ACL_MEMCPY_HOST_TO_HOST": 0, "ACL_MEMCPY_HOST_TO_DEVICE": 1, "ACL_MEMCPY_DEVICE_TO_HOST": 2,
    "ACL_MEMCPY_DEVICE_TO_DEVICE": 3, "ACL_MEMCPY_DEFAULT": 4,
    "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE": 5, "ACL_MEMCPY_INTER_DEVICE_TO_DEVICE": 7,
    "ACL_DDR_MEM": 0, "ACL_HBM_MEM": 1, "ACL_HBM_MEM_HUGE1G": 10, "ACL_MEM_P2P_HUGE1G": 17,
    "ACL_OPT_DETERMINISTIC": 0, "ACL_OPT_STRONG_CONSISTENCY": 2,
    "ACL_OPT_ENABLE_KERNEL_EARLY_START": 3, "ACL_DEVICE": 0, "ACL_HOST": 1,
    "ACL_EVENT_STATUS_RESERVED": 2, "ACL_EVENT_RECORDED_STATUS_NOT_READY": 0,
    "ACL_EVENT_RECORDED_STATUS_COMPLETE": 1, "ACL_STREAM_STATUS_RESERVED": 0xFFFF,
    "ACL_CANN_ATTR_UNDEFINED": -1, "ACL_CANN_ATTR_JIT_COMPILE": 2, "ACL_DEV_ATTR_NPU_ARCH": 601,
    "ACL_ERROR": 3, "ACL_EVENT_TIME_LINE": 8, "ACL_EVENT_IPC": 0x40,
    "ACL_STREAM_DEVICE_USE_ONLY": 0x20, "ACL_STREAM_PERSISTENT": 4, "ACL_STOP_ON_FAILURE": 1,
    "ACL_MAJOR_VERSION": 1, "ACL_MINOR_VERSION": 17, "ACL_PATCH_VERSION": 0,
    "ACL_SUCCESS": 0, "ACL_ERROR_INVALID_PARAM": 100000, "ACL_ERROR_REPEAT_INITIALIZE": 100002,
    "ACL_ERROR_INVALID_FILE": 100003, "ACL_ERROR_REPEAT_FINALIZE": 100037,
    "ACL_ERROR_DUMP_NOT_RUN": 100045, "ACL_ERROR_INVALID_BUNDLE_MODEL_ID": 148053,
    "ACL_ERROR_BAD_ALLOC": 200000, "ACL_ERROR_STORAGE_OVER_LIMIT": 300000,
    "ACL_ERROR_INTERNAL_ERROR": 500000, "ACL_ERROR_FAILURE": 500001,
    "ACL_ERROR_RT_PARAM_INVALID": 107000, "ACL_ERROR_RT_INVALID_DEVICEID": 107001,
    "ACL_ERROR_RT_CONTEXT_NULL": 107002, "ACL_ERROR_RT_INVALID_HANDLE": 107017,
    "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET": 107021, "ACL_ERROR_STREAM_TASK_GROUP_INTR": 107034,
    "ACL_ERROR_RT_FEATURE_NOT_SUPPORT": 207000, "ACL_ERROR_RT_MEMORY_ALLOCATION": 207001,
    "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR": 507007, "ACL_ERROR_RT_AICORE_EXCEPTION": 507015,
    "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT": 507046, "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED": 507911,
    "ACL_ERROR_GE_PARAM_INVALID": 145000, "ACL_ERROR_GE_INTERNAL_ERROR": 545000,
    "ACLNN_SUCCESS": 0, "ACLNN_ERR_PARAM_NULLPTR": 161001, "ACLNN_ERR_PARAM_INVALID": 161002,
    "ACLNN_ERR_RUNTIME_ERROR": 361001, "ACLNN_ERR_INNER": 561000,
    "ACLNN_ERR_INNER_NULLPTR": 561103, "ACLNN_ERR_INNER_KEY_CONFLICT": 561105,
    "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID": 561119,
}  # fmt: skip


def test_headers(prefix, tmp_path):
    lines = [f'#include "{name}"' for name in INCLUDES]
    lines += [f'static_assert({name} == {value}, "{name}");' for name, value in VALUES.items()]
    source = tmp_path / "values.cpp"
    source.write_text("\n".join([*lines, "int main() { return 0; }\n"]))
    run(["g++", "-std=c++11", "-Wall", "-Werror", "-fsyntax-only", f"-I{prefix}/include", source])


def test_python_constants():
    assert {name: getattr(constants, name) for name in VALUES} == VALUES


def test_scoped_names_in_cpp_and_plain_names_in_c(prefix, tmp_path):
    """Samples write aclDataType::ACL_FLOAT; C has no such thing."""
    cpp, plain = tmp_path / "names.cpp", tmp_path / "names.c"
    cpp.write_text('#include "acl/acl.h"\naclDataType t = aclDataType::ACL_BF16;\n')
    plain.write_text('#include "acl/acl.h"\naclDataType t = ACL_BF16;\n')
    run(["g++", "-std=c++11", "-fsyntax-only", f"-I{prefix}/include", cpp])
    run(["gcc", "-std=c99", "-fsyntax-only", f"-I{prefix}/include", plain])


def test_names_and_meanings_of_codes():
    names = [code.name for code in error_codes.ALL]
    assert len(set(names)) == len(names)
    numbers = {code.value for code in error_codes.ALL if code.value}
    # Three names say success, and one name exists in two spellings.
    assert len(names) == len(numbers) + 4
    assert all(code.meaning for code in error_codes.ALL)

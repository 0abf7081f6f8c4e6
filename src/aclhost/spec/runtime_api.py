# SPDX-License-Identifier: Apache-2.0
"""Every C function of the runtime and of the tensor objects that the library exports.

The operators' functions are not listed here; they follow from the declarations in aclhost.ops.
"""

from __future__ import annotations

from aclhost.spec import (
    collectives,
    runtime_allocators,
    runtime_async,
    runtime_details,
    runtime_devices,
    runtime_dumps,
    runtime_graphs,
    runtime_memory,
    runtime_models,
    runtime_notifies,
    runtime_options,
    runtime_pools,
    runtime_process,
    runtime_queues,
    runtime_services,
    runtime_sharing,
    unsupported_api,
)
from aclhost.spec.enums import ACL_BASE_RT, ACL_RT
from aclhost.spec.functions import Function, functions

ACL_META = "aclnn/acl_meta.h"
UNDECLARED = ""  # exported, but upstream declares it in no public header

BASE = functions(
    ACL_BASE_RT,
    ("size_t aclDataTypeSize(aclDataType dataType)", "Bytes of one element, as upstream counts."),
    (
        "float aclFloat16ToFloat(aclFloat16 value)",
        "Widens half precision; Inf becomes finite.",
    ),
    ("aclFloat16 aclFloatToFloat16(float value)", "Rounds to half precision, saturating."),
)

RUNTIME = functions(
    ACL_RT,
    ("aclError aclInit(const char* configPath)", "Starts ACL; null for the default configuration."),
    ("aclError aclFinalize()", "Ends ACL, however often it was started."),
    ("aclError aclFinalizeReference(uint64_t* refCount)", "Undoes one aclInit; gives the rest."),
    ("const char* aclGetRecentErrMsg()", "This thread's error text, newest first; clears it."),
    ("const char* aclrtGetSocName()", "Name of the SoC whose behaviour is reproduced."),
    (
        "aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,"
        " int32_t* patchVersion)",
        "Version of the interface.",
    ),
    ("aclError aclrtGetRunMode(aclrtRunMode* runMode)", "Whether the program runs on the host."),
    ("aclError aclrtSetDevice(int32_t deviceId)", "Makes a device's primary context current."),
    ("aclError aclrtResetDevice(int32_t deviceId)", "Undoes one aclrtSetDevice."),
    ("aclError aclrtResetDeviceForce(int32_t deviceId)", "Undoes every aclrtSetDevice."),
    ("aclError aclrtGetDevice(int32_t* deviceId)", "Device of the current context."),
    ("aclError aclrtGetDeviceCount(uint32_t* count)", "Number of devices."),
    (
        "aclError aclrtSynchronizeDevice()",
        "Waits for every stream of the device.",
    ),
    (
        "aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId)",
        "Creates a context and makes it current.",
    ),
    ("aclError aclrtDestroyContext(aclrtContext context)", "Destroys a created context."),
    ("aclError aclrtSetCurrentContext(aclrtContext context)", "Switches this thread's context."),
    ("aclError aclrtGetCurrentContext(aclrtContext* context)", "This thread's context."),
    ("aclError aclrtCreateStream(aclrtStream* stream)", "Creates a queue in the current context."),
    ("aclError aclrtDestroyStream(aclrtStream stream)", "Waits for a stream, then destroys it."),
    (
        "aclError aclrtSynchronizeStream(aclrtStream stream)",
        "Waits for a stream; returns its first error.",
    ),
    (
        "aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy)",
        "Allocates device memory.",
    ),
    ("aclError aclrtFree(void* devPtr)", "Frees device memory."),
    ("aclError aclrtMallocHost(void** hostPtr, size_t size)", "Allocates pinned host memory."),
    ("aclError aclrtFreeHost(void* hostPtr)", "Frees pinned host memory."),
    (
        "aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,"
        " aclrtMemcpyKind kind)",
        "Copies at once, without waiting for any stream.",
    ),
    (
        "aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count)",
        "Fills memory with one byte.",
    ),
    (
        "aclError aclrtPeekAtLastError(aclrtLastErrLevel level)",
        "This thread's last runtime-layer error.",
    ),
    (
        "aclError aclrtGetLastError(aclrtLastErrLevel level)",
        "This thread's last runtime-layer error; clears it.",
    ),
    (
        "aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)",
        "Sets an option of the process.",
    ),
    (
        "aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value)",
        "Gets an option of the process.",
    ),
    (
        "aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)",
        "Sets an option of the current context.",
    ),
    (
        "aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value)",
        "Gets an option of the current context.",
    ),
)

META = functions(
    ACL_META,
    ("aclnnStatus aclnnInit(const char* configPath)", "Starts the operators alone; optional."),
    ("aclnnStatus aclnnFinalize()", "Ends what aclnnInit started."),
    (
        "aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,"
        " aclDataType dataType, const int64_t* stride, int64_t offset, aclFormat format,"
        " const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData)",
        "Describes a strided view of a buffer; strides and offset count elements.",
    ),
    ("aclScalar* aclCreateScalar(void* value, aclDataType dataType)", "Copies one value."),
    ("aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size)", "Copies integers."),
    ("aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size)", "Copies floats."),
    ("aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size)", "Copies booleans."),
    (
        "aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size)",
        "Makes a list that owns its tensors.",
    ),
    (
        "aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size)",
        "Makes a list that owns its scalars.",
    ),
    ("aclnnStatus aclDestroyTensor(const aclTensor* tensor)", "Frees the description only."),
    ("aclnnStatus aclDestroyScalar(const aclScalar* scalar)", "Frees a scalar."),
    ("aclnnStatus aclDestroyIntArray(const aclIntArray* array)", "Frees an array."),
    ("aclnnStatus aclDestroyFloatArray(const aclFloatArray* array)", "Frees an array."),
    ("aclnnStatus aclDestroyBoolArray(const aclBoolArray* array)", "Frees an array."),
    (
        "aclnnStatus aclDestroyTensorList(const aclTensorList* array)",
        "Frees a list and its tensors.",
    ),
    (
        "aclnnStatus aclDestroyScalarList(const aclScalarList* array)",
        "Frees a list and its scalars.",
    ),
    (
        "aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims,"
        " uint64_t* viewDimsNum)",
        "Shape of the view; the caller releases the array with delete[].",
    ),
    (
        "aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,"
        " uint64_t* storageDimsNum)",
        "Shape of the buffer; the caller releases the array with delete[].",
    ),
    (
        "aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,"
        " uint64_t* stridesNum)",
        "Strides in elements; the caller releases the array with delete[].",
    ),
    ("aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset)", "In elements."),
    ("aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format)", "Format of the view."),
    (
        "aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType)",
        "Element type of a tensor.",
    ),
    (
        "aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr)",
        "Start of the buffer, before the offset.",
    ),
    ("aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size)", "Length."),
    ("aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size)", "Length."),
    ("aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size)", "Length."),
    (
        "aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size)",
        "Length.",
    ),
    (
        "aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size)",
        "Length.",
    ),
    (
        "aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims,"
        " uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride, int64_t offset,"
        " aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,"
        " void* tensorDataAddr)",
        "Describes an existing tensor anew; null dims and a null address keep the old ones.",
    ),
    (
        "aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr)",
        "Moves a tensor to another buffer.",
    ),
    (
        "aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor)",
        "Lets the second phase run many times; the caller then destroys the executor.",
    ),
    ("aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor)", "Frees an executor."),
    (
        "aclnnStatus aclDumpOpTensors(const char* opType, const char* opName,"
        " aclTensor** tensors, size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream)",
        "Records tensors for debugging, where dumping is switched on.",
    ),
)


def _address_setters() -> tuple[Function, ...]:
    """The six setters, each under its present name and under the old one with a capital A."""
    single = "aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr"
    dynamic = (
        "aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,"
        " aclTensorList* tensors, void* addr"
    )
    rows = []
    for prefix, note in (("aclSet", ""), ("AclSet", " (old name)")):
        for kind, what in (("Input", "an input"), ("Output", "an output"), ("", "a tensor")):
            rows += [
                (
                    f"aclnnStatus {prefix}{kind}TensorAddr({single})",
                    f"Moves {what} of a repeatable executor{note}.",
                ),
                (
                    f"aclnnStatus {prefix}Dynamic{kind}TensorAddr({dynamic})",
                    f"Moves one tensor of {what} list of a repeatable executor{note}.",
                ),
            ]
    return functions(ACL_META, *rows)


# Clients name their directory of compiled operators before they use aclnn.
SINGLE_OPERATORS = functions(
    "acl/acl_op.h",
    (
        "aclError aclopSetModelDir(const char* modelDir)",
        "Accepts a directory of compiled operators, of which none is used.",
    ),
)

STATIC_KERNELS = functions(
    UNDECLARED,
    ("aclnnStatus aclnnReselectStaticKernel()", "Looks for static kernels again."),
    (
        "aclnnStatus aclnnReselectStaticKernelWithPath(const char* path)",
        "Looks for static kernels in one directory.",
    ),
)

# Clients resolve these three through libopapi; they bracket an operator's host-side scratch memory.
HUGE_MEMORY = functions(
    UNDECLARED,
    ("int InitHugeMemThreadLocal(void* arg, bool sync)", "Opens a thread's scratch memory."),
    ("void UnInitHugeMemThreadLocal(void* arg, bool sync)", "Closes a thread's scratch memory."),
    ("void ReleaseHugeMem(void* arg, bool sync)", "Gives a thread's scratch memory back."),
)

FUNCTIONS = (
    *BASE,
    *RUNTIME,
    *runtime_async.FUNCTIONS,
    *runtime_details.FUNCTIONS,
    *runtime_memory.FUNCTIONS,
    *runtime_devices.FUNCTIONS,
    *runtime_dumps.FUNCTIONS,
    *runtime_graphs.FUNCTIONS,
    *runtime_models.FUNCTIONS,
    *runtime_notifies.FUNCTIONS,
    *runtime_options.FUNCTIONS,
    *runtime_pools.FUNCTIONS,
    *runtime_process.FUNCTIONS,
    *runtime_queues.FUNCTIONS,
    *runtime_services.FUNCTIONS,
    *runtime_sharing.FUNCTIONS,
    *runtime_allocators.FUNCTIONS,
    *unsupported_api.FUNCTIONS,
    *SINGLE_OPERATORS,
    *collectives.FUNCTIONS,
    *META,
    *_address_setters(),
    *STATIC_KERNELS,
    *HUGE_MEMORY,
)
BY_NAME = {function.name: function for function in FUNCTIONS}

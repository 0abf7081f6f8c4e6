# SPDX-License-Identifier: Apache-2.0
"""C functions that exist so that clients link and load, and answer that they are not supported."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

VIRTUAL_MEMORY = functions(
    ACL_RT,
    *(
        (f"aclError {prototype}", "Virtual memory; not supported.")
        for prototype in (
            "aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,"
            " aclrtMemGranularityOptions option, size_t* granularity)",
            "aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,"
            " void* expectPtr, uint64_t flags)",
            "aclrtReleaseMemAddress(void* virPtr)",
            "aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,"
            " const aclrtPhysicalMemProp* prop, uint64_t flags)",
            "aclrtFreePhysical(aclrtDrvMemHandle handle)",
            "aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,"
            " uint64_t flags)",
            "aclrtUnmapMem(void* virPtr)",
            "aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,"
            " aclrtMemHandleType handleType, uint64_t flags, uint64_t* shareableHandle)",
            "aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,"
            " aclrtDrvMemHandle* handle)",
            "aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid,"
            " size_t pidNum)",
            "aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,"
            " void** devPtr)",
            "aclrtHostUnregister(void* ptr)",
        )
    ),
)

PROCESSES = functions(
    ACL_RT,
    *(
        (f"aclError {prototype}", "Memory shared between processes; not supported.")
        for prototype in (
            "aclrtDeviceGetBareTgid(int32_t* pid)",
            "aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len,"
            " uint64_t flags)",
            "aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags)",
            "aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num)",
            "aclrtIpcMemClose(const char* key)",
        )
    ),
)

NOTIFIES = functions(
    ACL_RT,
    *(
        (f"aclError {prototype}", "Notifies; not supported.")
        for prototype in (
            "aclrtCreateNotify(aclrtNotify* notify, uint64_t flag)",
            "aclrtDestroyNotify(aclrtNotify notify)",
            "aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)",
            "aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)",
            "aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId)",
            "aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags)",
            "aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags)",
            "aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num)",
        )
    ),
)

GRAPHS = functions(
    ACL_RT,
    *(
        (f"aclError {prototype}", "Captured graphs; not supported.")
        for prototype in (
            "aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)",
            "aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI)",
            "aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,"
            " aclmdlRI* modelRI)",
            "aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode)",
            "aclmdlRICaptureTaskGrpBegin(aclrtStream stream)",
            "aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle)",
            "aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)",
            "aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)",
            "aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)",
            "aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)",
            "aclmdlRIDebugPrint(aclmdlRI modelRI)",
            "aclmdlRIDestroy(aclmdlRI modelRI)",
        )
    ),
)

FUNCTIONS = (*VIRTUAL_MEMORY, *PROCESSES, *NOTIFIES, *GRAPHS)

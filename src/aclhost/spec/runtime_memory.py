# SPDX-License-Identifier: Apache-2.0
"""C functions for memory beyond allocation and plain copies."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

BATCHES = functions(
    ACL_RT,
    (
        "aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs,"
        " size_t* sizes, size_t numBatches, aclrtMemcpyBatchAttr* attrs,"
        " size_t* attrsIndexes, size_t numAttrs, size_t* failIndex)",
        "Copies many ranges between host and device.",
    ),
    (
        "aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs,"
        " size_t* sizes, size_t numBatches, aclrtMemcpyBatchAttr* attrs,"
        " size_t* attrsIndexes, size_t numAttrs)",
        "The same, without the index of the one that failed.",
    ),
    (
        "aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs,"
        " size_t* sizes, size_t numBatches, aclrtMemcpyBatchAttr* attrs,"
        " size_t* attrsIndexes, size_t numAttrs, size_t* failIndex, aclrtStream stream)",
        "Queues copies of many ranges between host and device.",
    ),
    (
        "aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs,"
        " size_t* sizes, size_t numBatches, aclrtMemcpyBatchAttr* attrs,"
        " size_t* attrsIndexes, size_t numAttrs, aclrtStream stream)",
        "The same, without the index of the one that failed.",
    ),
)

FILLS = functions(
    ACL_RT,
    (
        "aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N)",
        "Fills memory with 32 bits.",
    ),
    (
        "aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,"
        " aclrtStream stream)",
        "Queues a fill with 32 bits.",
    ),
)

HOST_MEMORY = functions(
    ACL_RT,
    (
        "aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,"
        " void** devPtr)",
        "Makes memory of the program known to devices.",
    ),
    (
        "aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag)",
        "The same, with flags.",
    ),
    (
        "aclError aclrtHostUnregister(void* ptr)",
        "Undoes aclrtHostRegister.",
    ),
    (
        "aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag)",
        "What a device calls an address of the host.",
    ),
    (
        "aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,"
        " aclrtHostMemMapCapability* capabilities)",
        "Whether a unit of a device reaches host memory.",
    ),
    (
        "aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg)",
        "As aclrtMallocHost, with attributes.",
    ),
)

MANAGED = functions(
    ACL_RT,
    (
        "aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag)",
        "Allocates memory that host and device touch.",
    ),
    (
        "aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize)",
        "Start and size of the allocation around an address.",
    ),
)

VIRTUAL_MEMORY = functions(
    ACL_RT,
    (
        "aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,"
        " aclrtMemGranularityOptions option, size_t* granularity)",
        "Unit of physical memory.",
    ),
    (
        "aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,"
        " void* expectPtr, uint64_t flags)",
        "Reserves addresses without memory.",
    ),
    (
        "aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size,"
        " size_t alignment, void* expectPtr, uint64_t flags)",
        "As aclrtReserveMemAddress.",
    ),
    (
        "aclError aclrtReleaseMemAddress(void* virPtr)",
        "Gives reserved addresses back.",
    ),
    (
        "aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,"
        " const aclrtPhysicalMemProp* prop, uint64_t flags)",
        "Makes memory without an address.",
    ),
    (
        "aclError aclrtFreePhysical(aclrtDrvMemHandle handle)",
        "Ends a handle; the memory goes with its last mapping.",
    ),
    (
        "aclError aclrtMapMem(void* virPtr, size_t size, size_t offset,"
        " aclrtDrvMemHandle handle, uint64_t flags)",
        "Puts physical memory at reserved addresses.",
    ),
    (
        "aclError aclrtUnmapMem(void* virPtr)",
        "Undoes aclrtMapMem, behind queued work.",
    ),
    (
        "aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc,"
        " size_t count)",
        "Keeps who may touch mapped memory; not enforced.",
    ),
    (
        "aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag)",
        "Who may touch mapped memory.",
    ),
    (
        "aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle)",
        "Another handle of the memory at an address.",
    ),
    (
        "aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,"
        " aclrtPhysicalMemProp* prop)",
        "What physical memory is like.",
    ),
)

FUNCTIONS = (
    *BATCHES,
    *FILLS,
    *HOST_MEMORY,
    *MANAGED,
    *VIRTUAL_MEMORY,
)

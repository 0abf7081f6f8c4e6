# SPDX-License-Identifier: Apache-2.0
"""C functions about caches, limits, amounts of memory and single tasks."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

DETAILS = functions(
    ACL_RT,
    (
        "aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType,"
        " uint32_t barrierId, aclrtStream stream)",
        "A hint to the caches that can be awaited.",
    ),
    (
        "aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream,"
        " uint32_t flag)",
        "Waits for such hints.",
    ),
    (
        "aclError aclrtCmoGetDescSize(size_t* size)",
        "Bytes of a description of memory for the caches.",
    ),
    ("aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size)", "Writes one."),
    (
        "aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream"
        " stream, const void* reserve)",
        "A hint about described memory.",
    ),
    (
        "aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)",
        "Sizes of stacks and printing buffers of kernels.",
    ),
    ("aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value)", "Gives them back."),
    (
        "aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const"
        " aclrtAtomicOperation* operations, const uint32_t count, int32_t deviceId)",
        "What a device can do atomically in memory of the host.",
    ),
    (
        "aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const"
        " aclrtAtomicOperation* operations, const uint32_t count, int32_t srcDeviceId, int32_t"
        " dstDeviceId)",
        "What a device can do atomically in that of another.",
    ),
    (
        "aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType,"
        " uint32_t* checkResult, uint32_t reserve)",
        "Whether addresses are device memory.",
    ),
    (
        "aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo,"
        " size_t inputNum, size_t* outputNum)",
        "How much memory of a device is, and was, in use.",
    ),
    (
        "aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy"
        " policy, aclrtMallocConfig* cfg)",
        "Allocates device memory.",
    ),
    (
        "aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset,"
        " aclrtDrvMemHandle handle, uint64_t flags)",
        "Maps memory that is out of reach until aclrtMemSetAccess.",
    ),
    (
        "aclError aclrtGetThreadLastTaskId(uint32_t* taskId)",
        "Number of the task that the thread gave to a stream last.",
    ),
    (
        "aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t"
        " infoSize)",
        "A note for the task that the thread gave to a graph last.",
    ),
    (
        "aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream)",
        "A mark in the timeline.",
    ),
)

PLATFORM = functions(
    "acl/acl_platform.h",
    (
        "aclError aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char* value, uint32_t"
        " maxLen)",
        "What is known of the hardware of a product, as text.",
    ),
)

FUNCTIONS = (*DETAILS, *PLATFORM)

# SPDX-License-Identifier: Apache-2.0
"""C functions that tell of events, of the software, and of hardware that a CPU does without."""

from __future__ import annotations

from aclhost.spec.enums import ACL_BASE_RT, ACL_RT
from aclhost.spec.functions import functions

CALLBACKS = functions(
    ACL_RT,
    (
        "aclError aclrtRegDeviceStateCallback(const char* regName,"
        " aclrtDeviceStateCallback callback, void* args)",
        "A function for devices that are set and reset.",
    ),
    (
        "aclError aclrtRegStreamStateCallback(const char* regName,"
        " aclrtStreamStateCallback callback, void* args)",
        "A function for streams that are made and ended.",
    ),
    (
        "aclError aclrtSetDeviceTaskAbortCallback(const char* regName,"
        " aclrtDeviceTaskAbortCallback callback, void* args)",
        "A function for the abortion of tasks.",
    ),
    (
        "aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)",
        "The one function for tasks that fail.",
    ),
    (
        "aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)",
        "One more function for tasks that fail.",
    ),
    (
        "aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)",
        "Takes it back.",
    ),
    (
        "uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info)",
        "Number of the failed task among the failed ones.",
    ),
    (
        "uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info)",
        "Stream of the failed task.",
    ),
    (
        "uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info)",
        "Thread that ran the failed task.",
    ),
    (
        "uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info)",
        "Device of the failed task.",
    ),
    (
        "uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info)",
        "What the task failed with.",
    ),
)

HARDWARE = functions(
    ACL_RT,
    (
        "aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream)",
        "Checks the memory; caches need no care.",
    ),
    (
        "aclError aclrtMemFlush(void* devPtr, size_t size)",
        "Checks the memory; caches need no care.",
    ),
    (
        "aclError aclrtMemInvalidate(void* devPtr, size_t size)",
        "Checks the memory; caches need no care.",
    ),
    ("aclError aclrtDeviceL2CacheFlush(void* rsv)", "Nothing to do; caches need no care."),
    (
        "aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,"
        " size_t arraySize, size_t* retSize)",
        "No memory is broken.",
    ),
    (
        "aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,"
        " size_t arraySize)",
        "No memory is broken.",
    ),
    (
        "aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo)",
        "No device is broken.",
    ),
    (
        "aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo)",
        "No device is broken.",
    ),
    ("aclError aclrtGetEventAvailNum(uint32_t* eventCount)", "How many more events there may be."),
    (
        "aclError aclrtGetStreamAvailableNum(uint32_t* streamCount)",
        "How many more streams there may be.",
    ),
    ("aclError aclrtDeviceGetBareTgid(int32_t* pid)", "The id of this process."),
    (
        "aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible)",
        "Whether a SoC is of the present one's kind.",
    ),
    (
        "aclError aclrtGetDeviceCapability(int32_t deviceId,"
        " aclrtDevFeatureType devFeatureType, int32_t* value)",
        "Whether a device has a feature.",
    ),
    (
        "aclError aclrtFreeHostWithDevSync(void* hostPtr)",
        "Waits for the device, then frees pinned memory.",
    ),
    (
        "aclError aclrtPersistentTaskClean(aclrtStream stream)",
        "Checks the stream; graphs own their tasks.",
    ),
)

COPIES = functions(
    ACL_RT,
    (
        "aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax,"
        " size_t dstDataOffset, const void** src, size_t count, size_t srcDataOffset,"
        " aclrtMemcpyKind kind, aclrtStream stream)",
        "Queues a copy between offsets of two buffers.",
    ),
    (
        "aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize)",
        "Bytes of a description of a copy.",
    ),
    (
        "aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr,"
        " void* dstAddr, size_t count, void* config)",
        "Describes a copy in device memory.",
    ),
    (
        "aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream)",
        "Queues a copy that was described.",
    ),
    (
        "aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count,"
        " aclrtReduceKind kind, aclDataType type, aclrtStream stream, void* reserve)",
        "Queues sums, maxima or minima of two buffers.",
    ),
)

SOFTWARE = functions(
    ACL_RT,
    (
        "aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version)",
        "Version of the software whose interface this is.",
    ),
    ("aclError aclsysGetVersionStr(char* pkgName, char* versionStr)", "The same as a text."),
    ("aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum)", "The same as a number."),
)

ATTRIBUTES = functions(
    ACL_BASE_RT,
    (
        "aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value)",
        "Whether the software and device have a property.",
    ),
    (
        "aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num)",
        "Properties that can be asked for.",
    ),
    (
        "aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,"
        " int64_t* value)",
        "Cores and cache of a device.",
    ),
    (
        "void aclAppLog(aclLogLevel logLevel, const char* func, const char* file,"
        " uint32_t line, const char* fmt, ...)",
        "A line of the program's log; printed where ASCEND_SLOG_PRINT_TO_STDOUT is 1.",
    ),
)

FUNCTIONS = (*CALLBACKS, *HARDWARE, *COPIES, *SOFTWARE, *ATTRIBUTES)

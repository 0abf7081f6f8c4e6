# SPDX-License-Identifier: Apache-2.0
"""The C functions around streams, events, callbacks and memory beyond the basic ones."""

from __future__ import annotations

from aclhost.spec.enums import ACL_BASE_RT, ACL_RT
from aclhost.spec.functions import functions

_COPY = "void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind"
_COPY_2D = (
    "void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,"
    " aclrtMemcpyKind kind"
)
_ALLOCATION = "void** devPtr, size_t size, aclrtMemMallocPolicy policy"

STREAMS = functions(
    ACL_RT,
    (
        "aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,"
        " uint32_t flag)",
        "Creates a queue; priorities from 0 (highest) to 7.",
    ),
    ("aclError aclrtDestroyStreamForce(aclrtStream stream)", "Destroys a stream without waiting."),
    (
        "aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)",
        "Waits at most so many milliseconds; -1 for ever.",
    ),
    (
        "aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status)",
        "Whether a stream has finished its work.",
    ),
    (
        "aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)",
        "Waits for the device at most so many milliseconds; -1 for ever.",
    ),
    ("aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId)", "A small number."),
    (
        "aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority)",
        "Priority from 0 (highest) to 7.",
    ),
    ("aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags)", "Flags as created."),
    (
        "aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)",
        "Whether a stream goes on after a failed task.",
    ),
    (
        "aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)",
        "Later work of the stream waits for the event.",
    ),
)

EVENTS = functions(
    ACL_RT,
    ("aclError aclrtCreateEvent(aclrtEvent* event)", "Creates an event with a time stamp."),
    (
        "aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag)",
        "Creates an event for what the flags say.",
    ),
    (
        "aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag)",
        "Creates an event that counts as done until it is recorded.",
    ),
    ("aclError aclrtDestroyEvent(aclrtEvent event)", "Destroys an event, even a pending one."),
    (
        "aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)",
        "Marks the work queued so far.",
    ),
    (
        "aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)",
        "Makes an event of the SYNC kind unrecorded again.",
    ),
    (
        "aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status)",
        "Whether an event has happened (old form).",
    ),
    (
        "aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status)",
        "Whether an event has happened.",
    ),
    (
        "aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status)",
        "Whether every stream that waits for an event has got past it.",
    ),
    ("aclError aclrtSynchronizeEvent(aclrtEvent event)", "Waits for an event."),
    (
        "aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)",
        "Waits at most so many milliseconds; -1 for ever.",
    ),
    (
        "aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent)",
        "Milliseconds between two events.",
    ),
    (
        "aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp)",
        "Microseconds of a clock that only goes forward.",
    ),
)

CALLBACKS = functions(
    ACL_RT,
    (
        "aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)",
        "Names the thread that runs a stream's callbacks.",
    ),
    (
        "aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)",
        "Undoes aclrtSubscribeReport.",
    ),
    (
        "aclError aclrtProcessReport(int32_t timeout)",
        "Waits for one callback and runs it on this thread.",
    ),
    (
        "aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,"
        " aclrtCallbackBlockType blockType, aclrtStream stream)",
        "Queues a callback for the subscribed thread.",
    ),
    (
        "aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args)",
        "Queues a function that a thread of the stream runs, or the subscribed one.",
    ),
    (
        "aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)",
        "Names the thread that runs a stream's host functions.",
    ),
    (
        "aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)",
        "Takes that back.",
    ),
    (
        "aclError aclrtProcessHostFunc(int32_t timeout)",
        "Runs one host function that is meant for this thread.",
    ),
    (
        "aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo,"
        " const aclrtStream stream, void* reserve)",
        "Queues the drawing of random numbers.",
    ),
)

MEMORY = functions(
    ACL_RT,
    (f"aclError aclrtMallocAlign32({_ALLOCATION})", "As aclrtMalloc, without padding."),
    (f"aclError aclrtMallocCached({_ALLOCATION})", "As aclrtMalloc, cached."),
    (
        f"aclError aclrtMallocWithCfg({_ALLOCATION}, aclrtMallocConfig* cfg)",
        "As aclrtMalloc, with attributes.",
    ),
    ("aclError aclrtFreeWithDevSync(void* devPtr)", "Waits for the device, then frees."),
    (f"aclError aclrtMemcpyAsync({_COPY}, aclrtStream stream)", "Queues a copy."),
    (
        f"aclError aclrtMemcpyAsyncWithCondition({_COPY}, aclrtStream stream)",
        "Queues a copy; host memory has to be pinned.",
    ),
    (
        "aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,"
        " aclrtStream stream)",
        "Queues a fill with one byte.",
    ),
    (f"aclError aclrtMemcpy2d({_COPY_2D})", "Copies rows at once."),
    (f"aclError aclrtMemcpy2dAsync({_COPY_2D}, aclrtStream stream)", "Queues a copy of rows."),
    (
        "aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total)",
        "Free and total bytes of the device.",
    ),
    (
        "aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes)",
        "Whose memory an address is.",
    ),
)

DATA_BUFFERS = functions(
    ACL_BASE_RT,
    ("aclDataBuffer* aclCreateDataBuffer(void* data, size_t size)", "Keeps an address and a size."),
    ("aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer)", "Frees the pair only."),
    (
        "aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size)",
        "Changes the pair.",
    ),
    ("void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer)", "The address."),
    ("uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer)", "The size, in 32 bits."),
    ("size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer)", "The size."),
)

DEVICES = functions(
    ACL_RT,
    (
        "aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,"
        " int32_t peerDeviceId)",
        "Whether two different devices can copy between each other.",
    ),
    (
        "aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)",
        "Lets the current device copy from another one.",
    ),
    ("aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)", "Undoes the former."),
    (
        "aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,"
        " int32_t* status)",
        "Whether one device may copy from another.",
    ),
    (
        "aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags)",
        "Checks the memory, which every device reaches.",
    ),
    ("aclError aclrtSetTsDevice(aclrtTsId tsId)", "Checks the number of a scheduler."),
    (
        "aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active)",
        "Whether a device is set anywhere in the process.",
    ),
    ("aclError aclrtSetOpWaitTimeout(uint32_t timeout)", "Seconds a wait may take; not enforced."),
    (
        "aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)",
        "Seconds an operator may take; not enforced.",
    ),
)

FUNCTIONS = (*STREAMS, *EVENTS, *CALLBACKS, *MEMORY, *DATA_BUFFERS, *DEVICES)

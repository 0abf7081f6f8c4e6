# SPDX-License-Identifier: Apache-2.0
"""C functions for device memory that several processes use."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

KEYS = functions(
    ACL_RT,
    (
        "aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len,"
        " uint64_t flags)",
        "A name of device memory for other processes.",
    ),
    (
        "aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags)",
        "Memory of another process.",
    ),
    (
        "aclError aclrtIpcMemClose(const char* key)",
        "Gives memory of another process back, or offers one's own no longer.",
    ),
    (
        "aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num)",
        "Checks the key; the system decides who may open it.",
    ),
    (
        "aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr)",
        "Checks the key; there are no links to choose from.",
    ),
)

HANDLES = functions(
    ACL_RT,
    (
        "aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,"
        " aclrtMemHandleType handleType, uint64_t flags, uint64_t* shareableHandle)",
        "A number of physical memory for other processes.",
    ),
    (
        "aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,"
        " aclrtMemSharedHandleType shareType, void* shareableHandle)",
        "The same in memory of the caller.",
    ),
    (
        "aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,"
        " int32_t deviceId, aclrtDrvMemHandle* handle)",
        "Physical memory of another process.",
    ),
    (
        "aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle,"
        " aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle* handle)",
        "The same from memory of the caller.",
    ),
    (
        "aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid,"
        " size_t pidNum)",
        "Checks the number; the system decides who may open it.",
    ),
    (
        "aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle,"
        " aclrtMemSharedHandleType shareType, int32_t* pid, size_t pidNum)",
        "The same for memory of the caller.",
    ),
)

EVENTS = functions(
    ACL_RT,
    (
        "aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle)",
        "What another process needs to record an event and wait for it.",
    ),
    (
        "aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event)",
        "An event of another process.",
    ),
    (
        "aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId)",
        "The number of an event in this process.",
    ),
)

FUNCTIONS = (*KEYS, *HANDLES, *EVENTS)

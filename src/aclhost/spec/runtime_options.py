# SPDX-License-Identifier: Apache-2.0
"""C functions that keep what a program wants of streams, devices and operators."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

STREAMS = functions(
    ACL_RT,
    ("aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle()", "Options for a new stream."),
    (
        "aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle)",
        "Ends these options.",
    ),
    (
        "aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,"
        " aclrtStreamConfigAttr attr, const void* attrValue, size_t valueSize)",
        "Sets one of them.",
    ),
    (
        "aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle)",
        "Makes a stream with options.",
    ),
    (
        "aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,"
        " aclrtStreamAttrValue* value)",
        "Sets an attribute of a stream.",
    ),
    (
        "aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,"
        " aclrtStreamAttrValue* value)",
        "Gets an attribute of a stream.",
    ),
    (
        "aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)",
        "Sets one attribute of a stream.",
    ),
    (
        "aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag)",
        "Gets one attribute of a stream.",
    ),
)

LIMITS = functions(
    ACL_RT,
    (
        "aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,"
        " uint32_t value)",
        "How many cores operators may use; kept, not enforced.",
    ),
    (
        "aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,"
        " uint32_t* value)",
        "How many cores operators may use.",
    ),
    ("aclError aclrtResetDeviceResLimit(int32_t deviceId)", "As many as the device has."),
    (
        "aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,"
        " uint32_t value)",
        "The same for one stream.",
    ),
    (
        "aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,"
        " uint32_t* value)",
        "What counts for one stream.",
    ),
    ("aclError aclrtResetStreamResLimit(aclrtStream stream)", "As many as for the device."),
    (
        "aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)",
        "The thread goes by the limits of a stream.",
    ),
    (
        "aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)",
        "The thread goes by the limits of the device again.",
    ),
    (
        "aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value)",
        "What counts for this thread.",
    ),
)

NUMERICS = functions(
    ACL_RT,
    (
        "aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)",
        "Kept and given back: results are IEEE's in any mode.",
    ),
    (
        "aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode)",
        "The mode that was set, at first that of infinities and NaN.",
    ),
    (
        "aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream)",
        "Queues 64 zero bytes: nothing overflows here.",
    ),
    (
        "aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize,"
        " aclrtStream stream)",
        "The same under another name.",
    ),
    (
        "aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize,"
        " uint32_t checkMode, aclrtStream stream)",
        "The same under another name.",
    ),
    ("aclError aclrtResetOverflowStatus(aclrtStream stream)", "Checks the stream."),
    ("aclError aclrtResetFloatOverflowStatus(aclrtStream stream)", "Checks the stream."),
    (
        "aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)",
        "Checks the stream.",
    ),
    (
        "aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)",
        "How long an operator may take; kept, not enforced.",
    ),
    (
        "aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout)",
        "The same, and what a device would make of it.",
    ),
    (
        "aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs)",
        "How long an operator may take.",
    ),
    ("aclError aclrtGetOpTimeOutInterval(uint64_t* interval)", "The least step of that time."),
)

FUNCTIONS = (*STREAMS, *LIMITS, *NUMERICS)

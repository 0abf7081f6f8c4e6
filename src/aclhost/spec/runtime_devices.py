# SPDX-License-Identifier: Apache-2.0
"""C functions that tell what a device is like."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

NUMBERS = functions(
    ACL_RT,
    (
        "aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value)",
        "A number of a device, plausible for the product.",
    ),
    (
        "aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,"
        " int32_t* greatestPriority)",
        "Priorities that streams may have.",
    ),
    (
        "aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid)",
        "Sixteen bytes that name a device.",
    ),
    (
        "aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len)",
        "Where a device would be on the bus.",
    ),
    (
        "aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId)",
        "The device with an id of aclrtDeviceGetPCIBusId.",
    ),
    (
        "aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,"
        " aclrtUtilizationInfo* utilizationInfo)",
        "How much of the memory is used, in percent.",
    ),
    (
        "aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value)",
        "How two devices are connected.",
    ),
    (
        "aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus)",
        "Whether a device is well.",
    ),
    (
        "aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream)",
        "The stream that a null handle means.",
    ),
)

NUMBERINGS = functions(
    ACL_RT,
    (
        "aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,"
        " int32_t* const logicDevId)",
        "The same number: there is one numbering.",
    ),
    (
        "aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,"
        " int32_t* const userDevid)",
        "The same number: there is one numbering.",
    ),
    (
        "aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId)",
        "The same number: there is one numbering.",
    ),
    (
        "aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId)",
        "The same number: there is one numbering.",
    ),
    (
        "aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId)",
        "The same number: there is one numbering.",
    ),
    (
        "aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId)",
        "The same number: there is one numbering.",
    ),
)

FUNCTIONS = (
    *NUMBERS,
    *NUMBERINGS,
)

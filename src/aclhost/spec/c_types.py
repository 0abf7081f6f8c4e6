# SPDX-License-Identifier: Apache-2.0
"""The C types of the headers that are not enumerations: handles, callbacks, structs."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.enums import ACL_BASE_RT, ACL_RT

HANDLE_TYPES = (
    "aclrtStream", "aclrtEvent", "aclrtContext", "aclrtNotify", "aclmdlRI", "aclrtDrvMemHandle",
    "aclrtTaskGrp",
)  # fmt: skip
OBJECT_TYPES = (
    "aclTensor", "aclScalar", "aclIntArray", "aclFloatArray", "aclBoolArray", "aclTensorList",
    "aclScalarList", "aclOpExecutor",
)  # fmt: skip
CALLBACK_TYPES = ("aclrtCallback", "aclrtHostFunc")


@dataclass(frozen=True)
class CType:
    """A type that is spelled out in a header."""

    header: str
    summary: str
    text: str


DECLARED = (
    CType(ACL_BASE_RT, "An address with a size.", "typedef struct aclDataBuffer aclDataBuffer;"),
    CType(ACL_RT, "Runs on a thread that asked for it.", "typedef void (*aclrtCallback)(void*);"),
    CType(ACL_RT, "Runs on a thread of the stream.", "typedef void (*aclrtHostFunc)(void*);"),
    CType(
        ACL_RT,
        "One wish about an allocation.",
        """\
typedef union aclrtMallocAttrValue {
  uint16_t moduleId;
  uint32_t deviceId;
  uint8_t rsv[8];
} aclrtMallocAttrValue;
typedef struct aclrtMallocAttribute {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;""",
    ),
    CType(
        ACL_RT,
        "All wishes about an allocation.",
        """\
typedef struct aclrtMallocConfig {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;""",
    ),
    CType(
        ACL_RT,
        "Where memory lies.",
        """\
typedef struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;""",
    ),
    CType(
        ACL_RT,
        "What is known about an address.",
        """\
typedef struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;
  uint32_t rsv[4];
} aclrtPtrAttributes;""",
    ),
    CType(
        ACL_RT,
        "What physical memory should be like.",
        """\
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;""",
    ),
)

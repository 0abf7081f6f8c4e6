# SPDX-License-Identifier: Apache-2.0
"""The C types of the headers that are not enumerations: handles, callbacks, structs."""

from __future__ import annotations

from aclhost.spec import collectives, header_types
from aclhost.spec.enums import ACL_BASE_RT, ACL_RT
from aclhost.spec.header_types import CType

HANDLE_TYPES = (
    "aclrtStream", "aclrtEvent", "aclrtContext", "aclrtNotify", "aclmdlRI", "aclrtDrvMemHandle",
    "aclrtTaskGrp", "aclmdlRITask", "aclmdlRICondHandle", "aclrtCntNotify", "aclrtLabel",
    "aclrtLabelList", "aclrtMbuf", "aclrtAllocatorDesc", "aclrtAllocator", "aclrtAllocatorBlock",
    "aclrtAllocatorAddr", "aclrtMemPool", "aclrtBinary", "aclrtBinHandle", "aclrtFuncHandle",
    "aclrtArgsHandle", "aclrtParamHandle", "acltdtBuf",
)  # fmt: skip
# Those that one header declares.
HANDLES_OF_HEADERS = {
    "acl/acl_mdl.h": ("aclmdlModel",),
    "hccl/hccl_types.h": ("HcclComm", "HcclCommSymWindow"),
}
OBJECT_TYPES = (
    "aclTensor", "aclScalar", "aclIntArray", "aclFloatArray", "aclBoolArray", "aclTensorList",
    "aclScalarList", "aclOpExecutor",
)  # fmt: skip
CALLBACK_TYPES = ("aclrtCallback", "aclrtHostFunc", *header_types.CALLBACKS)
# Passed by value by some functions.
STRUCTS = {"dim3": ["uint32_t x", "uint32_t y", "uint32_t z"], **header_types.STRUCTS}


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
  uint32_t vaFlag;
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
    CType(
        ACL_RT,
        "The extent of a grid or of a block; C++ programs leave out what is 1.",
        """\
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  constexpr dim3(uint32_t width = 1, uint32_t height = 1, uint32_t depth = 1)
      : x(width), y(height), z(depth) {}
#endif
} dim3;""",
    ),
    *header_types.TYPES,
    collectives.CONFIG_INIT,
)

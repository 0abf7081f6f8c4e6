# SPDX-License-Identifier: Apache-2.0
"""The C enumerations and macros of the headers, apart from status codes."""

from __future__ import annotations

from aclhost.spec import dtypes, formats, header_types
from aclhost.spec.header_types import Constant, Enumeration, MacroGroup

ACL_BASE_RT = "acl/acl_base_rt.h"
ACL_RT = "acl/acl_rt.h"


def _count(prefix: str, names: str, first: int = 0) -> tuple[Constant, ...]:
    """Names in a row numbered from `first`."""
    return tuple(Constant(prefix + name, first + i) for i, name in enumerate(names.split()))


def _values(prefix: str, **values: int) -> tuple[Constant, ...]:
    return tuple(Constant(prefix + name, value) for name, value in values.items())


def _flags(prefix: str, **values: int) -> tuple[Constant, ...]:
    return tuple(Constant(prefix + name, value, True) for name, value in values.items())


ENUMERATIONS = (
    Enumeration(
        "aclDataType",
        ACL_BASE_RT,
        "Element types of tensors and scalars.",
        tuple(Constant(dtype.c_name, dtype.value) for dtype in dtypes.ALL),
    ),
    Enumeration(
        "aclFormat",
        ACL_BASE_RT,
        "Meaning and order of a tensor's dimensions.",
        tuple(Constant(fmt.c_name, fmt.value) for fmt in formats.ALL),
    ),
    Enumeration(
        "aclLogLevel",
        ACL_BASE_RT,
        "Importance of a log line.",
        _count("ACL_", "DEBUG INFO WARNING ERROR"),
    ),
    Enumeration(
        "aclMemType",
        ACL_BASE_RT,
        "Where a buffer lives.",
        _count("ACL_MEMTYPE_", "DEVICE HOST HOST_COMPILE_INDEPENDENT"),
    ),
    Enumeration(
        "aclCannAttr",
        ACL_BASE_RT,
        "Properties of the installed software.",
        _count("ACL_CANN_ATTR_", "UNDEFINED INF_NAN BF16 JIT_COMPILE", first=-1),
    ),
    Enumeration(
        "aclDeviceInfo",
        ACL_BASE_RT,
        "Properties of the device.",
        _count("ACL_DEVICE_INFO_", "UNDEFINED AI_CORE_NUM VECTOR_CORE_NUM L2_SIZE", first=-1),
    ),
    Enumeration(
        "aclrtRunMode",
        ACL_RT,
        "Which side of the bus the program runs on.",
        _count("ACL_", "DEVICE HOST"),
    ),
    Enumeration(
        "aclrtMemMallocPolicy",
        ACL_RT,
        "Page size and placement of device memory.",
        (
            *_count(
                "ACL_MEM_MALLOC_",
                "HUGE_FIRST HUGE_ONLY NORMAL_ONLY HUGE_FIRST_P2P HUGE_ONLY_P2P NORMAL_ONLY_P2P"
                " HUGE1G_ONLY HUGE1G_ONLY_P2P",
            ),
            *_flags(
                "ACL_MEM_",
                TYPE_LOW_BAND_WIDTH=0x100,
                TYPE_HIGH_BAND_WIDTH=0x1000,
                ACCESS_USER_SPACE_READONLY=0x100000,
            ),
        ),
    ),
    Enumeration(
        "aclrtMemcpyKind",
        ACL_RT,
        "Direction of a copy.",
        _count(
            "ACL_MEMCPY_",
            "HOST_TO_HOST HOST_TO_DEVICE DEVICE_TO_HOST DEVICE_TO_DEVICE DEFAULT"
            " HOST_TO_BUF_TO_DEVICE INNER_DEVICE_TO_DEVICE INTER_DEVICE_TO_DEVICE",
        ),
    ),
    Enumeration(
        "aclrtMemAttr",
        ACL_RT,
        "Kinds of device memory whose amount can be asked for.",
        _count(
            "ACL_",
            "DDR_MEM HBM_MEM DDR_MEM_HUGE DDR_MEM_NORMAL HBM_MEM_HUGE HBM_MEM_NORMAL"
            " DDR_MEM_P2P_HUGE DDR_MEM_P2P_NORMAL HBM_MEM_P2P_HUGE HBM_MEM_P2P_NORMAL"
            " HBM_MEM_HUGE1G HBM_MEM_P2P_HUGE1G MEM_NORMAL MEM_HUGE MEM_HUGE1G MEM_P2P_NORMAL"
            " MEM_P2P_HUGE MEM_P2P_HUGE1G",
        ),
    ),
    Enumeration(
        "aclrtMemLocationType",
        ACL_RT,
        "Where an address points to.",
        _count("ACL_MEM_LOCATION_TYPE_", "HOST DEVICE UNREGISTERED MANAGED HOST_NUMA"),
    ),
    Enumeration(
        "aclSysParamOpt",
        ACL_RT,
        "Options of the process or of a context.",
        _count(
            "ACL_OPT_",
            "DETERMINISTIC ENABLE_DEBUG_KERNEL STRONG_CONSISTENCY ENABLE_KERNEL_EARLY_START",
        ),
    ),
    Enumeration(
        "aclrtStreamStatus",
        ACL_RT,
        "Whether a stream has finished its work.",
        _values("ACL_STREAM_STATUS_", COMPLETE=0, NOT_READY=1, RESERVED=0xFFFF),
    ),
    Enumeration(
        "aclrtEventStatus",
        ACL_RT,
        "Whether an event has happened (old query).",
        _count("ACL_EVENT_STATUS_", "COMPLETE NOT_READY RESERVED"),
    ),
    Enumeration(
        "aclrtEventRecordedStatus",
        ACL_RT,
        "Whether an event has happened. The order differs from aclrtEventStatus.",
        _count("ACL_EVENT_RECORDED_STATUS_", "NOT_READY COMPLETE"),
    ),
    Enumeration(
        "aclrtEventWaitStatus",
        ACL_RT,
        "Whether every wait for an event has ended.",
        _values("ACL_EVENT_WAIT_STATUS_", COMPLETE=0, NOT_READY=1, RESERVED=0xFFFF),
    ),
    Enumeration(
        "aclrtCallbackBlockType",
        ACL_RT,
        "Whether a stream waits for a callback.",
        _count("ACL_CALLBACK_", "NO_BLOCK BLOCK"),
    ),
    Enumeration(
        "aclrtLastErrLevel",
        ACL_RT,
        "Scope of the last-error query.",
        _count("ACL_RT_", "THREAD_LEVEL"),
    ),
    Enumeration(
        "aclrtDevAttr",
        ACL_RT,
        "Numeric properties of a device.",
        _values(
            "ACL_DEV_ATTR_",
            AICPU_CORE_NUM=1,
            AICORE_CORE_NUM=101,
            CUBE_CORE_NUM=102,
            VECTOR_CORE_NUM=201,
            WARP_SIZE=202,
            MAX_THREAD_PER_VECTOR_CORE=203,
            LOCAL_MEM_PER_VECTOR_CORE=204,
            UBUF_PER_VECTOR_CORE=204,
            MAX_GRID_DIM_X=205,
            MAX_GRID_DIM_Y=206,
            MAX_GRID_DIM_Z=207,
            MAX_BLOCK_PER_GRID=208,
            MAX_THREADS_PER_BLOCK=209,
            MAX_BLOCK_DIM_X=210,
            MAX_BLOCK_DIM_Y=211,
            MAX_BLOCK_DIM_Z=212,
            TOTAL_GLOBAL_MEM_SIZE=301,
            L2_CACHE_SIZE=302,
            SMP_ID=401,
            PHY_CHIP_ID=402,
            SUPER_POD_DEVIDE_ID=403,
            SUPER_POD_DEVICE_ID=403,
            SUPER_POD_SERVER_ID=404,
            SUPER_POD_ID=405,
            CUST_OP_PRIVILEGE=406,
            MAINBOARD_ID=407,
            HD_CONNECT_TYPE=408,
            DEVICE_FORM_FACTOR=409,
            IS_VIRTUAL=501,
            NPU_ARCH=601,
        ),
    ),
    Enumeration(
        "aclrtMallocAttrType",
        ACL_RT,
        "What an attribute of an allocation is about.",
        _count("ACL_RT_MEM_ATTR_", "RSV MODULE_ID DEVICE_ID VA_FLAG"),
    ),
    Enumeration(
        "aclrtMemHandleType",
        ACL_RT,
        "Who may own physical memory.",
        _values("ACL_MEM_HANDLE_TYPE_", NONE=0, POSIX=2),
    ),
    Enumeration(
        "aclrtMemAllocationType",
        ACL_RT,
        "How physical memory is held.",
        _count("ACL_MEM_ALLOCATION_TYPE_", "PINNED"),
    ),
    Enumeration(
        "aclrtMemGranularityOptions",
        ACL_RT,
        "Which unit of physical memory is asked for.",
        _values("ACL_RT_MEM_ALLOC_GRANULARITY_", MINIMUM=0, RECOMMENDED=1, UNDEF=0xFFFF),
    ),
    Enumeration(
        "aclrtHostRegisterType",
        ACL_RT,
        "How host memory is made known to a device.",
        _values("ACL_HOST_REGISTER_", MAPPED=0, IOMEMORY=4, READONLY=8),
    ),
    Enumeration(
        "aclmdlRICaptureMode",
        ACL_RT,
        "Which threads a capture restricts.",
        _count("ACL_MODEL_RI_CAPTURE_MODE_", "GLOBAL THREAD_LOCAL RELAXED"),
    ),
    Enumeration(
        "aclmdlRICaptureStatus",
        ACL_RT,
        "State of a capture.",
        _count("ACL_MODEL_RI_CAPTURE_STATUS_", "NONE ACTIVE INVALIDATED"),
    ),
    *header_types.ENUMERATIONS,
)

MACROS = (
    MacroGroup(
        ACL_RT,
        "Version of the interface.",
        _values("ACL_", MAJOR_VERSION=1, MINOR_VERSION=17, PATCH_VERSION=0),
    ),
    MacroGroup(
        ACL_RT,
        "What an event can do.",
        _flags(
            "ACL_EVENT_",
            SYNC=0x1,
            CAPTURE_STREAM_PROGRESS=0x2,
            TIME_LINE=0x8,
            DEVICE_USE_ONLY=0x10,
            EXTERNAL=0x20,
            IPC=0x40,
        ),
    ),
    MacroGroup(
        ACL_RT,
        "How a stream behaves.",
        _flags(
            "ACL_STREAM_",
            FAST_LAUNCH=0x1,
            FAST_SYNC=0x2,
            PERSISTENT=0x4,
            HUGE=0x8,
            CPU_SCHEDULE=0x10,
            DEVICE_USE_ONLY=0x20,
        ),
    ),
    MacroGroup(
        ACL_RT,
        "What a stream does after a failed task.",
        _values("ACL_", CONTINUE_ON_FAILURE=0, STOP_ON_FAILURE=1),
    ),
    *header_types.MACROS,
)

BY_NAME = {enumeration.name: enumeration for enumeration in ENUMERATIONS}

# SPDX-License-Identifier: Apache-2.0
"""HCCL's functions that work: communicators of one rank, whose collectives are copies."""

from __future__ import annotations

from aclhost.spec.functions import functions
from aclhost.spec.header_types import CType

HCCL_COMM = "hccl/hccl_comm.h"
HCCL = "hccl/hccl.h"

COMMUNICATORS = functions(
    HCCL_COMM,
    (
        "HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo)",
        "What the ranks have to know of rank 0.",
    ),
    (
        "HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo,"
        " uint32_t rank, HcclComm* comm)",
        "A communicator; aclhost has those of one rank.",
    ),
    (
        "HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo,"
        " uint32_t rank, const HcclCommConfig* config, HcclComm* comm)",
        "The same with a configuration, of which the name counts.",
    ),
    (
        "HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms)",
        "Communicators of one process; aclhost has that of one device.",
    ),
    (
        "HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,"
        " uint64_t subCommId, uint32_t subCommRankId, HcclCommConfig* config, HcclComm* subComm)",
        "A communicator of some ranks of another one.",
    ),
    ("HcclResult HcclCommDestroy(HcclComm comm)", "Ends a communicator."),
    ("HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize)", "How many ranks: 1."),
    ("HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank)", "Which rank: 0."),
    ("HcclResult HcclGetCommName(HcclComm comm, char* commName)", "Its name, up to 128 bytes."),
    ("HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)", "Waits for the other ranks."),
    (
        "HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError)",
        "What went wrong since; nothing does.",
    ),
    ("const char* HcclGetErrorString(HcclResult code)", "A code in words."),
    ("uint32_t HcclGetCommConfigCapability()", "How many fields of a configuration are known."),
)

_STREAM = "HcclComm comm, aclrtStream stream"
COLLECTIVES = functions(
    HCCL,
    (
        "HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count,"
        f" HcclDataType dataType, HcclReduceOp op, {_STREAM})",
        "The reduction of all ranks' buffers, to all.",
    ),
    (
        "HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,"
        f" {_STREAM})",
        "The root's buffer, to all.",
    ),
    (
        "HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,"
        f" HcclDataType dataType, HcclReduceOp op, {_STREAM})",
        "The reduction, a part to each rank.",
    ),
    (
        "HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts,"
        " const void* sendDispls, void* recvBuf, uint64_t recvCount, HcclDataType dataType,"
        f" HcclReduceOp op, {_STREAM})",
        "The reduction, parts of different sizes.",
    ),
    (
        "HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,"
        f" HcclDataType dataType, uint32_t root, {_STREAM})",
        "Parts of the root's buffer, one to each rank.",
    ),
    (
        "HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount,"
        f" HcclDataType dataType, {_STREAM})",
        "All ranks' buffers in a row, to all.",
    ),
    (
        "HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf,"
        " const void* recvCounts, const void* recvDispls, HcclDataType dataType,"
        f" {_STREAM})",
        "The same with different sizes.",
    ),
    (
        "HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count,"
        f" HcclDataType dataType, HcclReduceOp op, uint32_t root, {_STREAM})",
        "The reduction of all ranks' buffers, to the root.",
    ),
    (
        "HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,"
        f" const void* recvBuf, uint64_t recvCount, HcclDataType recvType, {_STREAM})",
        "A part of every rank's buffer to every rank.",
    ),
    (
        "HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,"
        " HcclDataType sendType, const void* recvBuf, const void* recvCounts, const void* rdispls,"
        f" HcclDataType recvType, {_STREAM})",
        "The same with different sizes.",
    ),
    (
        "HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix,"
        f" HcclDataType sendType, const void* recvBuf, HcclDataType recvType, {_STREAM})",
        "The same with the sizes of all ranks.",
    ),
)
FUNCTIONS = (*COMMUNICATORS, *COLLECTIVES)

# The only function of upstream's headers that a program compiles itself.
CONFIG_INIT = CType(
    HCCL_COMM,
    "Fills a configuration with what counts where nothing is said.",
    """\
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  static const HcclCommConfig nothing = {{0}, 0, 0, {0}, {0}, 0, 0, 0, 0, 0, 0, 0,
                                         {0}, {0}, {0}, {0}, 0, 0};
  struct aclhostConfigInfo {
    size_t size;
    uint32_t magicWord;
    uint32_t version;
    uint64_t reserved;
  } info;
  const char* from = (const char*)&info;
  size_t i;
  if (!config) return;
  info.size = sizeof(HcclCommConfig);
  info.magicWord = HCCL_COMM_CONFIG_MAGIC_WORD;
  info.version = HCCL_COMM_CONFIG_VERSION;
  info.reserved = 0;
  *config = nothing;
  for (i = 0; i < sizeof(info); ++i) config->reserved[i] = from[i];
  config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
  config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
  config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
  config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
  config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
  config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
}""",
)

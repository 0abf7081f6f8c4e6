// SPDX-License-Identifier: Apache-2.0
// HCCL for one rank: every collective is a copy on the stream, or nothing.
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl.h"
#include "base/call.h"
#include "base/registry.h"
#include "hccl/hccl.h"

namespace aclhost {
namespace {

struct Communicator {
  explicit Communicator(std::string given) : name(std::move(given)) {}
  std::string name;
};

__constinit Registry<Communicator, Kind::kCommunicator> communicators;

// What the two calls of a program have in common with those of its other ranks; there are none.
constexpr char kRootInfo[] = "aclhost: one rank";
constexpr char kWorld[] = "hccl_world_group";

HcclResult null_pointer(const char* function, const char* parameter) {
  report_null(ACL_ERROR_INVALID_PARAM, function, parameter);
  return HCCL_E_PTR;
}

HcclResult refuse(HcclResult code, const char* function, const char* parameter,
                  const std::string& what) {
  report(ACL_ERROR_INVALID_PARAM, function, parameter, what);
  return code;
}

HcclResult only_one_rank(const char* function, const char* parameter, uint32_t ranks) {
  report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, function, parameter,
         "is " + std::to_string(ranks) +
             "; aclhost has communicators of one rank only: run one process with a world of 1");
  return HCCL_E_NOT_SUPPORT;
}

// Runs a body that no exception leaves.
template <typename Body>
HcclResult hccl_call(const char* name, const Body& body) {
  HcclResult result = HCCL_E_RUNTIME;
  const int32_t code = acl_call(name, [&](const Call&) {
    result = body(name);
    return ACL_SUCCESS;
  });
  return code == ACL_SUCCESS ? result : HCCL_E_RUNTIME;
}

HcclResult create(const char* function, const std::string& name, HcclComm* comm) {
  void* handle = communicators.create(name);
  if (handle == nullptr) {
    return refuse(HCCL_E_MEMORY, function, "comm", "too many communicators exist");
  }
  *comm = handle;
  return HCCL_SUCCESS;
}

HcclResult create_for_root(const char* function, uint32_t ranks, const HcclRootInfo* root,
                           uint32_t rank, const std::string& name, HcclComm* comm) {
  if (root == nullptr) return null_pointer(function, "rootInfo");
  if (comm == nullptr) return null_pointer(function, "comm");
  if (ranks > 1) return only_one_rank(function, "nRanks", ranks);
  if (ranks == 0) return refuse(HCCL_E_PARA, function, "nRanks", "is 0");
  if (rank != 0) {
    return refuse(HCCL_E_PARA, function, "rank",
                  "is " + std::to_string(rank) + " of a communicator of one rank");
  }
  if (std::memcmp(root->internal, kRootInfo, sizeof(kRootInfo)) != 0) {
    return refuse(HCCL_E_PARA, function, "rootInfo", "was not filled by HcclGetRootInfo");
  }
  return create(function, name, comm);
}

std::string name_of(const HcclCommConfig* config) {
  if (config == nullptr || config->hcclCommName[0] == '\0') return kWorld;
  return {config->hcclCommName, strnlen(config->hcclCommName, COMM_NAME_MAX_LENGTH)};
}

HcclResult check(const char* function, HcclComm comm) {
  if (comm == nullptr) return null_pointer(function, "comm");
  if (communicators.find(comm)) return HCCL_SUCCESS;
  return refuse(HCCL_E_PARA, function, "comm",
                "is not a live communicator; HcclCommDestroy may have ended it");
}

size_t item_size(HcclDataType type) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8:
    case HCCL_DATA_TYPE_HIF8:
    case HCCL_DATA_TYPE_FP8E4M3:
    case HCCL_DATA_TYPE_FP8E5M2:
    case HCCL_DATA_TYPE_FP8E8M0:
      return 1;
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
    case HCCL_DATA_TYPE_FP16:
    case HCCL_DATA_TYPE_BFP16:
      return 2;
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
    case HCCL_DATA_TYPE_FP32:
      return 4;
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
    case HCCL_DATA_TYPE_FP64:
      return 8;
    case HCCL_DATA_TYPE_INT128:
      return 16;
    default:
      return 0;
  }
}

// A part of a buffer, in items.
struct Part {
  const void* buffer;
  uint64_t first;
  uint64_t count;
};

HcclResult copy(const char* function, const Part& from, const Part& to, HcclDataType type,
                HcclComm comm, aclrtStream stream) {
  if (const HcclResult result = check(function, comm)) return result;
  const size_t item = item_size(type);
  if (item == 0) {
    return refuse(HCCL_E_PARA, function, "dataType", "is " + std::to_string(type));
  }
  if (from.count == 0) return HCCL_SUCCESS;
  if (from.buffer == nullptr) return null_pointer(function, "sendBuf");
  if (to.buffer == nullptr) return null_pointer(function, "recvBuf");
  if (from.count != to.count) {
    return refuse(HCCL_E_PARA, function, "recvCount",
                  "is " + std::to_string(to.count) + ", and " + std::to_string(from.count) +
                      " items are sent");
  }
  if (from.count > SIZE_MAX / item) {
    return refuse(HCCL_E_PARA, function, "count", "is " + std::to_string(from.count));
  }
  const char* source = static_cast<const char*>(from.buffer) + from.first * item;
  char* target = static_cast<char*>(const_cast<void*>(to.buffer)) + to.first * item;
  if (source == target) return HCCL_SUCCESS;
  const size_t bytes = from.count * item;
  const aclError code =
      aclrtMemcpyAsync(target, bytes, source, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
  return code == ACL_SUCCESS ? HCCL_SUCCESS : HCCL_E_RUNTIME;
}

HcclResult check_root(const char* function, uint32_t root) {
  if (root == 0) return HCCL_SUCCESS;
  return refuse(HCCL_E_PARA, function, "root",
                "is " + std::to_string(root) + " of a communicator of one rank");
}

HcclResult check_operation(const char* function, HcclReduceOp operation) {
  if (operation >= HCCL_REDUCE_SUM && operation <= HCCL_REDUCE_MIN) return HCCL_SUCCESS;
  return refuse(HCCL_E_PARA, function, "op", "is " + std::to_string(operation));
}

// Counts and places of other ranks are arrays in host memory, with one entry each: nothing is read
// before the communicator was checked, which tells how many entries there are.
uint64_t first_of(const void* array) { return *static_cast<const uint64_t*>(array); }

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return hccl_call(__func__, [&](const char* function) {
    if (rootInfo == nullptr) return null_pointer(function, "rootInfo");
    std::memset(rootInfo->internal, 0, sizeof(rootInfo->internal));
    std::memcpy(rootInfo->internal, kRootInfo, sizeof(kRootInfo));
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return hccl_call(__func__, [&](const char* function) {
    return create_for_root(function, nRanks, rootInfo, rank, kWorld, comm);
  });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  return hccl_call(__func__, [&](const char* function) {
    return create_for_root(function, nRanks, rootInfo, rank, name_of(config), comm);
  });
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return hccl_call(__func__, [&](const char* function) {
    if (devices == nullptr) return null_pointer(function, "devices");
    if (comms == nullptr) return null_pointer(function, "comms");
    if (ndev != 1) return only_one_rank(function, "ndev", ndev);
    return create(function, kWorld, comms);
  });
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t,
                                   uint32_t subCommRankId, HcclCommConfig* config,
                                   HcclComm* subComm) {
  return hccl_call(__func__, [&](const char* function) {
    if (comm == nullptr) return null_pointer(function, "comm");
    if (subComm == nullptr) return null_pointer(function, "subComm");
    if (const HcclResult result = check(function, *comm)) return result;
    if (rankIds == nullptr) return null_pointer(function, "rankIds");
    if (rankNum != 1 || rankIds[0] != 0 || subCommRankId != 0) {
      return refuse(HCCL_E_PARA, function, "rankIds",
                    "names ranks that a communicator of one rank does not have");
    }
    return create(function, name_of(config), subComm);
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    communicators.destroy(comm);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (rankSize == nullptr) return null_pointer(function, "rankSize");
    *rankSize = 1;
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (rank == nullptr) return null_pointer(function, "rank");
    *rank = 0;
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (commName == nullptr) return null_pointer(function, "commName");
    const std::string name = communicators.find(comm)->name.substr(0, COMM_NAME_MAX_LENGTH - 1);
    std::memcpy(commName, name.c_str(), name.size() + 1);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream) {
  return hccl_call(__func__, [&](const char* function) { return check(function, comm); });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (asyncError == nullptr) return null_pointer(function, "asyncError");
    *asyncError = HCCL_SUCCESS;
    return HCCL_SUCCESS;
  });
}

const char* HcclGetErrorString(HcclResult code) {
  switch (code) {
    case HCCL_SUCCESS:
      return "no error";
    case HCCL_E_PARA:
      return "parameter error";
    case HCCL_E_PTR:
      return "null pointer";
    case HCCL_E_MEMORY:
      return "memory error";
    case HCCL_E_NOT_SUPPORT:
      return "not supported";
    case HCCL_E_RUNTIME:
      return "a call of the runtime failed";
    default:
      return "unknown error";
  }
}

uint32_t HcclGetCommConfigCapability() { return HCCL_COMM_CONFIG_RESERVED; }

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_operation(function, op)) return result;
    return copy(function, {sendBuf, 0, count}, {recvBuf, 0, count}, dataType, comm, stream);
  });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_root(function, root)) return result;
    return copy(function, {buf, 0, count}, {buf, 0, count}, dataType, comm, stream);
  });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_operation(function, op)) return result;
    return copy(function, {sendBuf, 0, recvCount}, {recvBuf, 0, recvCount}, dataType, comm, stream);
  });
}

HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                              void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (const HcclResult result = check_operation(function, op)) return result;
    if (sendCounts == nullptr) return null_pointer(function, "sendCounts");
    if (sendDispls == nullptr) return null_pointer(function, "sendDispls");
    return copy(function, {sendBuf, first_of(sendDispls), first_of(sendCounts)},
                {recvBuf, 0, recvCount}, dataType, comm, stream);
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_root(function, root)) return result;
    return copy(function, {sendBuf, 0, recvCount}, {recvBuf, 0, recvCount}, dataType, comm, stream);
  });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    return copy(function, {sendBuf, 0, sendCount}, {recvBuf, 0, sendCount}, dataType, comm, stream);
  });
}

HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (recvCounts == nullptr) return null_pointer(function, "recvCounts");
    if (recvDispls == nullptr) return null_pointer(function, "recvDispls");
    return copy(function, {sendBuf, 0, sendCount},
                {recvBuf, first_of(recvDispls), first_of(recvCounts)}, dataType, comm, stream);
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_operation(function, op)) return result;
    if (const HcclResult result = check_root(function, root)) return result;
    return copy(function, {sendBuf, 0, count}, {recvBuf, 0, count}, dataType, comm, stream);
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (sendType != recvType) {
      return refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    return copy(function, {sendBuf, 0, sendCount}, {recvBuf, 0, recvCount}, sendType, comm, stream);
  });
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    for (const void* array : {sendCounts, sdispls, recvCounts, rdispls}) {
      if (array == nullptr) return null_pointer(function, "counts or displacements");
    }
    if (sendType != recvType) {
      return refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    return copy(function, {sendBuf, first_of(sdispls), first_of(sendCounts)},
                {recvBuf, first_of(rdispls), first_of(recvCounts)}, sendType, comm, stream);
  });
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                          const void* recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check(function, comm)) return result;
    if (sendCountMatrix == nullptr) return null_pointer(function, "sendCountMatrix");
    if (sendType != recvType) {
      return refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    const uint64_t count = first_of(sendCountMatrix);
    return copy(function, {sendBuf, 0, count}, {recvBuf, 0, count}, sendType, comm, stream);
  });
}

}  // extern "C"

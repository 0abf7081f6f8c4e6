// SPDX-License-Identifier: Apache-2.0
// HCCL for one rank: every collective is a copy on the stream, or nothing.
#include "runtime/collectives.h"

#include <string>

#include "acl/acl.h"

namespace aclhost {
namespace {

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
  if (const HcclResult result = check_communicator(function, comm)) return result;
  const size_t item = item_size(type);
  if (item == 0) {
    return hccl_refuse(HCCL_E_PARA, function, "dataType", "is " + std::to_string(type));
  }
  if (from.count == 0) return HCCL_SUCCESS;
  if (from.buffer == nullptr) return hccl_null(function, "sendBuf");
  if (to.buffer == nullptr) return hccl_null(function, "recvBuf");
  if (from.count != to.count) {
    return hccl_refuse(HCCL_E_PARA, function, "recvCount",
                       "is " + std::to_string(to.count) + ", and " + std::to_string(from.count) +
                           " items are sent");
  }
  if (from.count > SIZE_MAX / item) {
    return hccl_refuse(HCCL_E_PARA, function, "count", "is " + std::to_string(from.count));
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
  return hccl_refuse(HCCL_E_PARA, function, "root",
                     "is " + std::to_string(root) + " of a communicator of one rank");
}

HcclResult check_operation(const char* function, HcclReduceOp operation) {
  if (operation >= HCCL_REDUCE_SUM && operation <= HCCL_REDUCE_MIN) return HCCL_SUCCESS;
  return hccl_refuse(HCCL_E_PARA, function, "op", "is " + std::to_string(operation));
}

// Counts and places of other ranks are arrays in host memory, with one entry each: nothing is read
// before the communicator was checked, which tells how many entries there are.
uint64_t first_of(const void* array) { return *static_cast<const uint64_t*>(array); }

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" {

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
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (const HcclResult result = check_operation(function, op)) return result;
    if (sendCounts == nullptr) return hccl_null(function, "sendCounts");
    if (sendDispls == nullptr) return hccl_null(function, "sendDispls");
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
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (recvCounts == nullptr) return hccl_null(function, "recvCounts");
    if (recvDispls == nullptr) return hccl_null(function, "recvDispls");
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
      return hccl_refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    return copy(function, {sendBuf, 0, sendCount}, {recvBuf, 0, recvCount}, sendType, comm, stream);
  });
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    for (const void* array : {sendCounts, sdispls, recvCounts, rdispls}) {
      if (array == nullptr) return hccl_null(function, "counts or displacements");
    }
    if (sendType != recvType) {
      return hccl_refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    return copy(function, {sendBuf, first_of(sdispls), first_of(sendCounts)},
                {recvBuf, first_of(rdispls), first_of(recvCounts)}, sendType, comm, stream);
  });
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                          const void* recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (sendCountMatrix == nullptr) return hccl_null(function, "sendCountMatrix");
    if (sendType != recvType) {
      return hccl_refuse(HCCL_E_PARA, function, "recvType", "differs from sendType");
    }
    const uint64_t count = first_of(sendCountMatrix);
    return copy(function, {sendBuf, 0, count}, {recvBuf, 0, count}, sendType, comm, stream);
  });
}

}  // extern "C"

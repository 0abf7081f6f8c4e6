// SPDX-License-Identifier: Apache-2.0
// The functions of HCCL that make communicators, ask them and end them.
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "base/registry.h"
#include "runtime/collectives.h"

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

HcclResult only_one_rank(const char* function, const char* parameter, uint32_t ranks) {
  report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, function, parameter,
         "is " + std::to_string(ranks) +
             "; aclhost has communicators of one rank only: run one process with a world of 1");
  return HCCL_E_NOT_SUPPORT;
}

HcclResult create(const char* function, const std::string& name, HcclComm* comm) {
  void* handle = communicators.create(name);
  if (handle == nullptr) {
    return hccl_refuse(HCCL_E_MEMORY, function, "comm", "too many communicators exist");
  }
  *comm = handle;
  return HCCL_SUCCESS;
}

HcclResult create_for_root(const char* function, uint32_t ranks, const HcclRootInfo* root,
                           uint32_t rank, const std::string& name, HcclComm* comm) {
  if (root == nullptr) return hccl_null(function, "rootInfo");
  if (comm == nullptr) return hccl_null(function, "comm");
  if (ranks > 1) return only_one_rank(function, "nRanks", ranks);
  if (ranks == 0) return hccl_refuse(HCCL_E_PARA, function, "nRanks", "is 0");
  if (rank != 0) {
    return hccl_refuse(HCCL_E_PARA, function, "rank",
                       "is " + std::to_string(rank) + " of a communicator of one rank");
  }
  if (std::memcmp(root->internal, kRootInfo, sizeof(kRootInfo)) != 0) {
    return hccl_refuse(HCCL_E_PARA, function, "rootInfo", "was not filled by HcclGetRootInfo");
  }
  return create(function, name, comm);
}

std::string name_of(const HcclCommConfig* config) {
  if (config == nullptr || config->hcclCommName[0] == '\0') return kWorld;
  return {config->hcclCommName, strnlen(config->hcclCommName, COMM_NAME_MAX_LENGTH)};
}

}  // namespace

HcclResult hccl_null(const char* function, const char* parameter) {
  report_null(ACL_ERROR_INVALID_PARAM, function, parameter);
  return HCCL_E_PTR;
}

HcclResult hccl_refuse(HcclResult code, const char* function, const char* parameter,
                       const std::string& what) {
  report(ACL_ERROR_INVALID_PARAM, function, parameter, what);
  return code;
}

HcclResult check_communicator(const char* function, HcclComm comm) {
  if (comm == nullptr) return hccl_null(function, "comm");
  if (communicators.find(comm)) return HCCL_SUCCESS;
  return hccl_refuse(HCCL_E_PARA, function, "comm",
                     "is not a live communicator; HcclCommDestroy may have ended it");
}

}  // namespace aclhost

using namespace aclhost;

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return hccl_call(__func__, [&](const char* function) {
    if (rootInfo == nullptr) return hccl_null(function, "rootInfo");
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
    if (devices == nullptr) return hccl_null(function, "devices");
    if (comms == nullptr) return hccl_null(function, "comms");
    if (ndev != 1) return only_one_rank(function, "ndev", ndev);
    return create(function, kWorld, comms);
  });
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t,
                                   uint32_t subCommRankId, HcclCommConfig* config,
                                   HcclComm* subComm) {
  return hccl_call(__func__, [&](const char* function) {
    if (comm == nullptr) return hccl_null(function, "comm");
    if (subComm == nullptr) return hccl_null(function, "subComm");
    if (const HcclResult result = check_communicator(function, *comm)) return result;
    if (rankIds == nullptr) return hccl_null(function, "rankIds");
    if (rankNum != 1 || rankIds[0] != 0 || subCommRankId != 0) {
      return hccl_refuse(HCCL_E_PARA, function, "rankIds",
                         "names ranks that a communicator of one rank does not have");
    }
    return create(function, name_of(config), subComm);
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    communicators.destroy(comm);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (rankSize == nullptr) return hccl_null(function, "rankSize");
    *rankSize = 1;
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (rank == nullptr) return hccl_null(function, "rank");
    *rank = 0;
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (commName == nullptr) return hccl_null(function, "commName");
    const auto found = communicators.find(comm);
    if (!found) return check_communicator(function, comm);  // another thread has ended it
    const std::string name = found->name.substr(0, COMM_NAME_MAX_LENGTH - 1);
    std::memcpy(commName, name.c_str(), name.size() + 1);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream) {
  return hccl_call(__func__,
                   [&](const char* function) { return check_communicator(function, comm); });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return hccl_call(__func__, [&](const char* function) {
    if (const HcclResult result = check_communicator(function, comm)) return result;
    if (asyncError == nullptr) return hccl_null(function, "asyncError");
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

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Physical memory of aclrtMallocPhysical in several processes. A shareable handle names the process
// and its file; others of the same user reach the file through /proc as long as the process lives.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/physical.h"

namespace aclhost {
namespace {

constexpr int kProcessShift = 32;
constexpr char kName[] = "/memfd:aclhost";

int32_t invalid(const Call& call, const char* parameter, const std::string& what) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter, what);
}

int32_t export_handle(const Call& call, void* handle, uint64_t* shareable) {
  if (handle == nullptr) return call.null("handle");
  const auto memory = physical_memory().find(handle);
  if (memory == nullptr) {
    return invalid(call, "handle", hex(handle) + " is not memory of aclrtMallocPhysical");
  }
  *shareable =
      static_cast<uint64_t>(getpid()) << kProcessShift | static_cast<uint32_t>(memory->file);
  return ACL_SUCCESS;
}

// A file of ours, open for reading and writing; -1 if the handle names none.
int open_shared(uint64_t shareable, size_t* size) {
  char path[64], target[64] = {};
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(shareable >> kProcessShift),
                static_cast<int>(shareable & UINT32_MAX));
  if (readlink(path, target, sizeof target - 1) < 0) return -1;
  if (std::strncmp(target, kName, sizeof kName - 1) != 0) return -1;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat found{};
  if (file < 0) return -1;
  if (fstat(file, &found) == 0 && found.st_size > 0) {
    *size = static_cast<size_t>(found.st_size);
    return file;
  }
  close(file);
  return -1;
}

int32_t import_handle(const Call& call, uint64_t shareable, int32_t device,
                      aclrtDrvMemHandle* handle) {
  if (const int32_t code = check_device(call, device)) return code;
  size_t size = 0;
  const int file = open_shared(shareable, &size);
  if (file < 0) {
    return invalid(call, "shareableHandle",
                   "names no physical memory of a living process that may be opened");
  }
  if (!charge(device, size)) {
    close(file);
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "shareableHandle",
                     std::to_string(size) + " bytes are more than the device has left");
  }
  aclrtPhysicalMemProp prop{};
  prop.location.id = static_cast<decltype(prop.location.id)>(device);
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  *handle = physical_memory().add(std::make_shared<Physical>(file, size, prop));
  return ACL_SUCCESS;
}

int32_t check_type(const Call& call, aclrtMemSharedHandleType type) {
  if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT || type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
    return ACL_SUCCESS;
  }
  return invalid(call, "shareType",
                 "is " + std::to_string(static_cast<int>(type)) + "; pass 1 or 2");
}

// Which processes may open a handle is up to the system: those of the same user.
int32_t check_processes(const Call& call, uint64_t shareable, const int32_t* pid, size_t num) {
  if (pid == nullptr || num == 0) return call.null("pid");
  size_t size = 0;
  const int file = open_shared(shareable, &size);
  if (file < 0) return invalid(call, "shareableHandle", "names no physical memory");
  close(file);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType,
                                                    uint64_t, uint64_t* shareableHandle) {
  return acl_call("aclrtMemExportToShareableHandle", [&](const Call& call) {
    if (shareableHandle == nullptr) return call.null("shareableHandle");
    return export_handle(call, handle, shareableHandle);
  });
}

extern "C" aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t,
                                                      aclrtMemSharedHandleType shareType,
                                                      void* shareableHandle) {
  return acl_call("aclrtMemExportToShareableHandleV2", [&](const Call& call) {
    if (shareableHandle == nullptr) return call.null("shareableHandle");
    if (const int32_t code = check_type(call, shareType)) return code;
    uint64_t shareable = 0;
    if (const int32_t code = export_handle(call, handle, &shareable)) return code;
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
      std::memset(shareableHandle, 0, sizeof(aclrtMemFabricHandle));
    }
    std::memcpy(shareableHandle, &shareable, sizeof shareable);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                      aclrtDrvMemHandle* handle) {
  return acl_call("aclrtMemImportFromShareableHandle", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return import_handle(call, shareableHandle, deviceId, handle);
  });
}

extern "C" aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle,
                                                        aclrtMemSharedHandleType shareType,
                                                        uint64_t, aclrtDrvMemHandle* handle) {
  return acl_call("aclrtMemImportFromShareableHandleV2", [&](const Call& call) -> int32_t {
    if (shareableHandle == nullptr) return call.null("shareableHandle");
    if (handle == nullptr) return call.null("handle");
    if (const int32_t code = check_type(call, shareType)) return code;
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    uint64_t shareable = 0;
    std::memcpy(&shareable, shareableHandle, sizeof shareable);
    return import_handle(call, shareable, context->device(), handle);
  });
}

extern "C" aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid,
                                                    size_t pidNum) {
  return acl_call("aclrtMemSetPidToShareableHandle", [&](const Call& call) {
    return check_processes(call, shareableHandle, pid, pidNum);
  });
}

extern "C" aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle,
                                                      aclrtMemSharedHandleType shareType,
                                                      int32_t* pid, size_t pidNum) {
  return acl_call("aclrtMemSetPidToShareableHandleV2", [&](const Call& call) {
    if (shareableHandle == nullptr) return call.null("shareableHandle");
    if (pid == nullptr) return call.null("pid");  // before an address without a size is read
    if (const int32_t code = check_type(call, shareType)) return code;
    uint64_t shareable = 0;
    std::memcpy(&shareable, shareableHandle, sizeof shareable);
    return check_processes(call, shareable, pid, pidNum);
  });
}

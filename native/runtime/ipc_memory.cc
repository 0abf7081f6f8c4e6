// SPDX-License-Identifier: Apache-2.0
// Device memory that other processes use. When it is first shared, its pages become those of a file
// without a name, at the same address and with the same content. Other processes of the same user
// reach that file through /proc as long as the sharing one lives, so that nothing is left behind.
#include "runtime/ipc_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

constexpr size_t kKeyLength = 65;

struct Exported {
  const void* start;
  int file;
};

struct Imported {
  void* address;
  size_t size;
};

struct Shared {
  std::mutex mutex;
  std::map<std::string, Exported> exported;  // by key
  std::map<std::string, Imported> imported;
};

Immortal<Shared> shared;
std::atomic<int> exports{0};

int32_t invalid(const Call& call, const char* parameter, const std::string& what) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter, what);
}

bool write_all(int file, const char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t written = pwrite(file, bytes + done, size - done, static_cast<off_t>(done));
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

// Replaces the pages of an allocation by those of a new file; -1 if there is no memory for it.
int move_to_file(const Allocation& allocation) {
  const int file = static_cast<int>(syscall(SYS_memfd_create, "aclhost", 1 /* MFD_CLOEXEC */));
  if (file < 0) return -1;
  void* pages = reachable(reinterpret_cast<void*>(allocation.start));
  const bool is_moved = ftruncate(file, static_cast<off_t>(allocation.mapped)) == 0 &&
                        write_all(file, static_cast<const char*>(pages), allocation.mapped) &&
                        mmap(pages, allocation.mapped, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, file, 0) == pages;
  if (is_moved) return file;
  close(file);
  return -1;
}

std::string key_of(int file, size_t size) {
  struct stat found{};
  fstat(file, &found);
  char text[kKeyLength];
  std::snprintf(text, sizeof text, "aclhost-memory-%d-%d-%zx-%lx", getpid(), file, size,
                static_cast<unsigned long>(found.st_ino));
  return text;
}

// The file that a key names, open for reading and writing, and how much of it; -1 if there is none.
int open_key(const std::string& key, size_t* size) {
  int process = 0, file = 0;
  unsigned long inode = 0;
  if (std::sscanf(key.c_str(), "aclhost-memory-%d-%d-%zx-%lx", &process, &file, size, &inode) !=
      4) {
    return -1;
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  const int opened = open(path, O_RDWR | O_CLOEXEC);
  struct stat found{};
  if (opened < 0) return -1;
  if (fstat(opened, &found) == 0 && found.st_ino == inode && *size > 0 &&
      *size <= static_cast<size_t>(found.st_size)) {
    return opened;
  }
  close(opened);
  return -1;
}

// The key under which an allocation is shared already; empty if it is not.
std::string known_key(uintptr_t start) {
  for (const auto& [key, exported] : shared->exported) {
    if (reinterpret_cast<uintptr_t>(exported.start) == start) return key;
  }
  return "";
}

int32_t export_memory(const Call& call, void* pointer, size_t size, std::string* key) {
  Allocation allocation;
  if (!find_allocation(pointer, &allocation) || allocation.kind == MemoryKind::kHost ||
      reinterpret_cast<uintptr_t>(pointer) != allocation.start || size > allocation.size) {
    return invalid(
        call, "devPtr",
        hex(pointer) + " is not the start of " + std::to_string(size) + " bytes of aclrtMalloc");
  }
  wait_for_users(pointer, allocation.mapped);
  const std::lock_guard<std::mutex> lock(shared->mutex);
  *key = known_key(allocation.start);
  if (!key->empty()) return ACL_SUCCESS;
  const int file = move_to_file(allocation);
  if (file < 0) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                     "there is not enough memory to share " + std::to_string(size) + " bytes");
  }
  *key = key_of(file, size);
  shared->exported[*key] = {pointer, file};
  ++exports;
  return ACL_SUCCESS;
}

int32_t import_memory(const Call& call, const char* key, void** pointer) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  const std::lock_guard<std::mutex> lock(shared->mutex);
  const auto known = shared->imported.find(key);
  if (known != shared->imported.end()) {
    *pointer = known->second.address;
    return ACL_SUCCESS;
  }
  size_t size = 0;
  const int file = open_key(key, &size);
  if (file < 0) {
    return invalid(call, "key", "names no memory of a living process that may be opened");
  }
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (address == MAP_FAILED) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "key", "cannot be mapped");
  }
  shared->imported[key] = {address, size};
  adopt(address, size, context->device());
  observe([&](Observer& o) { o.allocated(address, size, context->device()); });
  *pointer = address;
  return ACL_SUCCESS;
}

// False if the key was not imported.
bool close_import(const Call& call, const std::string& key) {
  Imported ended{};
  {
    const std::lock_guard<std::mutex> lock(shared->mutex);
    const auto found = shared->imported.find(key);
    if (found == shared->imported.end()) return false;
    ended = found->second;
    shared->imported.erase(found);
  }
  wait_for_users(ended.address, ended.size);
  disown(ended.address);
  observe([&](Observer& o) { o.freed(call.name, ended.address, true); });
  munmap(ended.address, ended.size);
  return true;
}

// False if the key was not exported.
bool close_export(const std::string& key) {
  const std::lock_guard<std::mutex> lock(shared->mutex);
  const auto found = shared->exported.find(key);
  if (found == shared->exported.end()) return false;
  close(found->second.file);
  shared->exported.erase(found);
  --exports;
  return true;
}

bool is_known(const std::string& key) {
  const std::lock_guard<std::mutex> lock(shared->mutex);
  return shared->exported.count(key) != 0 || shared->imported.count(key) != 0;
}

int32_t no_key(const Call& call) {
  return invalid(call, "key", "is neither exported nor imported by this process");
}

}  // namespace

void end_sharing(const void* start) {
  if (exports == 0) return;
  std::string key;
  {
    const std::lock_guard<std::mutex> lock(shared->mutex);
    key = known_key(reinterpret_cast<uintptr_t>(start));
  }
  if (!key.empty()) close_export(key);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len,
                                            uint64_t flags) {
  return acl_call("aclrtIpcMemGetExportKey", [&](const Call& call) -> int32_t {
    if (devPtr == nullptr) return call.null("devPtr");
    if (key == nullptr) return call.null("key");
    if (len < kKeyLength) {
      return invalid(call, "len", "is " + std::to_string(len) + "; a key needs 65 bytes");
    }
    if (size == 0) return invalid(call, "size", "is 0; share some bytes");
    if (flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
      return invalid(call, "flags", "is " + std::to_string(flags) + "; pass 0 or 1");
    }
    std::string text;
    if (const int32_t code = export_memory(call, devPtr, size, &text)) return code;
    std::memcpy(key, text.c_str(), text.size() + 1);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return acl_call("aclrtIpcMemImportByKey", [&](const Call& call) -> int32_t {
    if (devPtr == nullptr) return call.null("devPtr");
    if (key == nullptr) return call.null("key");
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS) {
      return invalid(call, "flags", "is " + std::to_string(flags) + "; pass 0 or 1");
    }
    return import_memory(call, key, devPtr);
  });
}

extern "C" aclError aclrtIpcMemClose(const char* key) {
  return acl_call("aclrtIpcMemClose", [&](const Call& call) -> int32_t {
    if (key == nullptr) return call.null("key");
    if (close_import(call, key) || close_export(key)) return ACL_SUCCESS;
    return no_key(call);
  });
}

// Which processes may open a key is up to the system: those of the same user.
extern "C" aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return acl_call("aclrtIpcMemSetImportPid", [&](const Call& call) -> int32_t {
    if (key == nullptr) return call.null("key");
    if (pid == nullptr || num == 0) return call.null("pid");
    return is_known(key) ? ACL_SUCCESS : no_key(call);
  });
}

extern "C" aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr) {
  return acl_call("aclrtIpcMemSetAttr", [&](const Call& call) -> int32_t {
    if (key == nullptr) return call.null("key");
    if (type != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK ||
        attr > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH) {
      return invalid(call, "attr", "is not a link that exists");
    }
    return is_known(key) ? ACL_SUCCESS : no_key(call);
  });
}

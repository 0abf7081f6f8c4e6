// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "base/call.h"
#include "base/fork_mutex.h"
#include "base/immortal.h"
#include "base/observer.h"
#include "base/soc.h"
#include "runtime/config_file.h"
#include "runtime/dumping.h"
#include "runtime/init_callbacks.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

struct ProcessState {
  uint64_t references = 0;                  // calls of aclInit, the repeated ones included
  bool finalized = false;                   // false at first: one aclFinalize alone succeeds
  std::optional<std::string> first_config;  // kept over aclFinalize
};

struct Process {
  ForkMutex mutex{ForkLevel::kOuter};
  ProcessState state;
  bool tells_of_end = false;  // the functions of aclFinalizeCallbackRegister are being called
};

Immortal<Process> process;

int32_t initialize(const Call& call, ProcessState& state, const char* path) {
  std::string config;
  if (const int32_t code = read_config(call, "configPath", path, &config)) return code;
  if (state.first_config && *state.first_config != config) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "configPath",
                     "has other content than at the first aclInit; a process keeps its first "
                     "configuration, pass the same one again");
  }
  if (current_soc() == nullptr) {
    return call.fail(ACL_ERROR_INTERNAL_ERROR, "",
                     "the environment variable ACLHOST_SOC names no known SoC; use a name like " +
                         example_socs());
  }
  if (const int32_t code = check_device_memory(call, ACL_ERROR_INTERNAL_ERROR)) return code;
  if (const int32_t code = check_dump_config(call, config)) return code;
  state.first_config = std::move(config);
  state.references = 1;
  state.finalized = false;
  return ACL_SUCCESS;
}

int32_t finalize(const Call& call, ProcessState& state) {
  state.references = 0;
  state.finalized = true;
  observe([](Observer& o) { o.finalized(); });
  return end_dump(call);
}

int32_t already_finalized(const Call& call) {
  return call.fail(ACL_ERROR_REPEAT_FINALIZE, "",
                   "nothing is initialized (any more); call aclInit before");
}

// A start that a function refuses has not happened.
int32_t tell_of_start(const Call& call, ProcessState before) {
  std::string config;
  if (!initial_configuration(&config)) return ACL_SUCCESS;
  const int32_t code = tell_init(config);
  if (code == ACL_SUCCESS) {
    start_dump(config);
    return ACL_SUCCESS;
  }
  const std::lock_guard<ForkMutex> lock(process->mutex);
  process->state = std::move(before);
  return call.fail(code, "", "a function of aclInitCallbackRegister returned this code");
}

bool is_initialized() {
  const std::lock_guard<ForkMutex> lock(process->mutex);
  return process->state.references > 0;
}

// The one call that tells of the end: those of the functions themselves go on without.
class TellingOfEnd {
 public:
  TellingOfEnd() {
    const std::lock_guard<ForkMutex> lock(process->mutex);
    is_first_ = !std::exchange(process->tells_of_end, true);
  }
  ~TellingOfEnd() {
    if (!is_first_) return;
    const std::lock_guard<ForkMutex> lock(process->mutex);
    process->tells_of_end = false;
  }
  TellingOfEnd(const TellingOfEnd&) = delete;
  TellingOfEnd& operator=(const TellingOfEnd&) = delete;

  bool is_first() const { return is_first_; }

 private:
  bool is_first_;
};

int32_t tell_of_end(const Call& call) {
  const TellingOfEnd telling;
  if (!telling.is_first()) return ACL_SUCCESS;
  const int32_t code = tell_finalize();
  if (code == ACL_SUCCESS) return ACL_SUCCESS;
  return call.fail(code, "", "a function of aclFinalizeCallbackRegister returned this code");
}

}  // namespace

bool initial_configuration(std::string* text) {
  const std::lock_guard<ForkMutex> lock(process->mutex);
  if (process->state.references == 0) return false;
  *text = process->state.first_config.value_or("");
  return true;
}

}  // namespace aclhost

using namespace aclhost;

// The functions of other libraries are called without the lock: they may call what they like.
extern "C" aclError aclInit(const char* configPath) {
  return acl_call("aclInit", [&](const Call& call) -> int32_t {
    ProcessState before;
    {
      const std::lock_guard<ForkMutex> lock(process->mutex);
      ProcessState& state = process->state;
      if (state.references > 0) {
        ++state.references;
        return call.fail(ACL_ERROR_REPEAT_INITIALIZE, "",
                         "it was called before; that is harmless, and counted for "
                         "aclFinalizeReference");
      }
      before = state;
      if (const int32_t code = initialize(call, state, configPath)) return code;
    }
    return tell_of_start(call, std::move(before));
  });
}

extern "C" aclError aclFinalize() {
  return acl_call("aclFinalize", [](const Call& call) -> int32_t {
    const bool was_initialized = is_initialized();
    if (was_initialized) {
      if (const int32_t code = tell_of_end(call)) return code;
    }
    const std::lock_guard<ForkMutex> lock(process->mutex);
    if (!process->state.finalized) return finalize(call, process->state);
    // A function that was told may have done it.
    return was_initialized ? ACL_SUCCESS : already_finalized(call);
  });
}

extern "C" aclError aclFinalizeReference(uint64_t* refCount) {
  return acl_call("aclFinalizeReference", [&](const Call& call) -> int32_t {
    bool is_last;
    {
      const std::lock_guard<ForkMutex> lock(process->mutex);
      is_last = process->state.references == 1;
    }
    if (is_last) {
      if (const int32_t code = tell_of_end(call)) return code;
    }
    const std::lock_guard<ForkMutex> lock(process->mutex);
    ProcessState& state = process->state;
    if (state.references == 0 && !is_last) return already_finalized(call);
    int32_t code = ACL_SUCCESS;
    if (state.references > 0 && --state.references == 0) code = finalize(call, state);
    if (refCount != nullptr) *refCount = state.references;
    return code;
  });
}

// SPDX-License-Identifier: Apache-2.0
// Snapshots of the process. The memory of devices is the process's own, so that whoever saves the
// process saves it: a lock waits for the streams and holds other threads, the program's functions
// are called at their stages, and there is nothing to back up or to restore besides.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

enum class State { kRunning, kLocking, kLocked, kBackedUp };

// Milliseconds for what streams still have when calls are held. It may be a function of the program
// that makes one of these calls, and would not come to an end.
constexpr int32_t kPatience = 20;

struct Snapshot {
  std::mutex mutex;
  State state = State::kRunning;
  std::map<int, std::vector<std::pair<aclrtSnapShotCallBack, void*>>> functions;  // by stage
};

Immortal<Snapshot> snapshot;

const char* state_name(State state) {
  constexpr const char* kNames[] = {"running", "being locked", "locked", "backed up"};
  return kNames[static_cast<int>(state)];
}

// The frame of functions that work while the calls of others are held.
template <typename Body>
int32_t unheld_call(const char* name, Body&& body) {
  if (in_forked_child()) return report_forked(ACL_ERROR_RT_DEV_SETUP_ERROR, name);
  try {
    return body(Call{name, ACL_ERROR_INVALID_PARAM});
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return report_exception(ACL_ERROR_BAD_ALLOC, name);
  }
}

int32_t check_process(const Call& call, int pid, const char* parameter, const void* reserved) {
  if (pid != getpid()) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "pid",
                     "is " + std::to_string(pid) + "; a process can pass its own number only");
  }
  if (reserved == nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, parameter, "is reserved and must be null");
}

int32_t wrong_state(const Call& call, int32_t code, State state, const char* wanted) {
  return call.fail(code, "",
                   std::string("the process is ") + state_name(state) + "; it has to be " + wanted);
}

std::set<int32_t> open_devices() {
  std::set<int32_t> found;
  contexts().for_each([&](void*, const Context& context) { found.insert(context.device()); });
  return found;
}

// Calls the functions of a stage for each device in use, without the lock: they may call what they
// like.
int32_t tell(const Call& call, aclrtSnapShotStage stage) {
  std::vector<std::pair<aclrtSnapShotCallBack, void*>> functions;
  {
    const std::lock_guard<std::mutex> lock(snapshot->mutex);
    functions = snapshot->functions[static_cast<int>(stage)];
  }
  for (const auto& [function, data] : functions) {
    for (const int32_t device : open_devices()) {
      const uint32_t code = function(device, data);
      if (code == 0) continue;
      return call.fail(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, "",
                       "a function of stage " + std::to_string(static_cast<int>(stage)) +
                           " returned " + std::to_string(code));
    }
  }
  return ACL_SUCCESS;
}

State state() {
  const std::lock_guard<std::mutex> lock(snapshot->mutex);
  return snapshot->state;
}

void set_state(State next) {
  const std::lock_guard<std::mutex> lock(snapshot->mutex);
  snapshot->state = next;
}

bool is_held(State state) { return state == State::kLocked || state == State::kBackedUp; }

// The process is being locked as long as this lives, and runs again unless it has become locked.
class Locking {
 public:
  // 0, or the reported failure if the process does not run.
  int32_t begin(const Call& call) {
    const std::lock_guard<std::mutex> lock(snapshot->mutex);
    if (snapshot->state != State::kRunning) {
      return wrong_state(call, ACL_ERROR_SNAPSHOT_LOCK_FAILED, snapshot->state, "running");
    }
    snapshot->state = State::kLocking;
    begun_ = true;
    return ACL_SUCCESS;
  }
  Locking() = default;
  ~Locking() {
    if (begun_ && state() == State::kLocking) set_state(State::kRunning);
  }
  Locking(const Locking&) = delete;
  Locking& operator=(const Locking&) = delete;

 private:
  bool begun_ = false;
};

bool streams_end(int32_t timeout) {
  bool all = true;
  streams().for_each([&](void*, Stream& stream) { all = stream.wait(timeout).in_time && all; });
  return all;
}

// Holds the calls of others at a moment when no stream has anything to do. Tasks may run functions
// of the program, which make calls: so they end before these are held, and what came to a stream
// while another one was waited for, as far as it can, afterwards.
void hold_calls() {
  for (;;) {
    streams_end(Stream::kForever);
    lock_calls();
    if (streams_end(kPatience)) return;
    unlock_calls();
  }
}

int32_t lock_process(const Call& call) {
  Locking locking;
  if (const int32_t code = locking.begin(call)) return code;
  if (const int32_t code = tell(call, ACL_RT_SNAPSHOT_LOCK_PRE)) return code;
  hold_calls();
  set_state(State::kLocked);
  return ACL_SUCCESS;
}

int32_t unlock_process(const Call& call) {
  {
    const std::lock_guard<std::mutex> lock(snapshot->mutex);
    if (!is_held(snapshot->state)) {
      return wrong_state(call, ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, snapshot->state,
                         "locked or backed up");
    }
    snapshot->state = State::kRunning;
    unlock_calls();
  }
  return tell(call, ACL_RT_SNAPSHOT_UNLOCK_POST);
}

int32_t check_stage(const Call& call, aclrtSnapShotStage stage, aclrtSnapShotCallBack function) {
  const int number = static_cast<int>(stage);
  if (number < ACL_RT_SNAPSHOT_LOCK_PRE || number > ACL_RT_SNAPSHOT_UNLOCK_POST) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stage",
                     "is " + std::to_string(number) + "; there are 0 to 5");
  }
  if (function != nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "callback", "is null");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtSnapShotProcessLock(int pid, void* reserve) {
  return unheld_call("aclrtSnapShotProcessLock", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_process(call, pid, "reserve", reserve)) return code;
    return lock_process(call);
  });
}

extern "C" aclError aclrtSnapShotProcessUnlock(int pid, void* reserve) {
  return unheld_call("aclrtSnapShotProcessUnlock", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_process(call, pid, "reserve", reserve)) return code;
    return unlock_process(call);
  });
}

extern "C" aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args) {
  return unheld_call("aclrtSnapShotProcessBackup", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_process(call, pid, "args", args)) return code;
    if (const State now = state(); !is_held(now)) {
      return wrong_state(call, ACL_ERROR_SNAPSHOT_BACKUP_FAILED, now, "locked");
    }
    if (const int32_t code = tell(call, ACL_RT_SNAPSHOT_BACKUP_PRE)) return code;
    if (const int32_t code = tell(call, ACL_RT_SNAPSHOT_BACKUP_POST)) return code;
    set_state(State::kBackedUp);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args) {
  return unheld_call("aclrtSnapShotProcessRestore", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_process(call, pid, "args", args)) return code;
    if (const State now = state(); now != State::kBackedUp) {
      return wrong_state(call, ACL_ERROR_SNAPSHOT_RESTORE_FAILED, now, "backed up");
    }
    if (const int32_t code = tell(call, ACL_RT_SNAPSHOT_RESTORE_PRE)) return code;
    if (const int32_t code = tell(call, ACL_RT_SNAPSHOT_RESTORE_POST)) return code;
    set_state(State::kLocked);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
                                                  aclrtSnapShotCallBack callback, void* args) {
  return unheld_call("aclrtSnapShotCallbackRegister", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_stage(call, stage, callback)) return code;
    const std::lock_guard<std::mutex> lock(snapshot->mutex);
    auto& functions = snapshot->functions[static_cast<int>(stage)];
    const auto is_it = [&](const auto& each) { return each.first == callback; };
    if (std::any_of(functions.begin(), functions.end(), is_it)) {
      return call.fail(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, "callback",
                       "is registered for this stage already");
    }
    functions.emplace_back(callback, args);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
                                                    aclrtSnapShotCallBack callback) {
  return unheld_call("aclrtSnapShotCallbackUnregister", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_stage(call, stage, callback)) return code;
    const std::lock_guard<std::mutex> lock(snapshot->mutex);
    auto& functions = snapshot->functions[static_cast<int>(stage)];
    const auto is_it = [&](const auto& each) { return each.first == callback; };
    const auto found = std::find_if(functions.begin(), functions.end(), is_it);
    if (found == functions.end()) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "callback", "is not registered for this stage");
    }
    functions.erase(found);
    return ACL_SUCCESS;
  });
}

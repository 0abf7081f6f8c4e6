// SPDX-License-Identifier: Apache-2.0
// The C functions that begin and end dumps.
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "acl/acl_dump.h"
#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/fork_mutex.h"
#include "base/immortal.h"
#include "base/json_value.h"
#include "operator/dump.h"
#include "operator/dump_arguments.h"
#include "operator/dump_config.h"
#include "operator/dump_writer.h"
#include "runtime/config_file.h"
#include "runtime/dumping.h"
#include "runtime/init_callbacks.h"

namespace aclhost {
namespace {

struct State {
  ForkMutex mutex{ForkLevel::kMiddle};
  bool has_begun = false;       // by aclmdlInitDump
  bool is_of_init = false;      // by the configuration of aclInit
  std::string problem;          // of dumps that were replaced
  std::set<std::string> paths;  // that programs were told, for good
};

Immortal<State> state;

std::string read_settings(const std::string& config, DumpSettings* settings) {
  return config.empty() ? "" : read_dump_config(parse_json(config), settings);
}

// Of a configuration that was found good; the mutex is held.
void replace(DumpSettings settings) {
  std::shared_ptr<Dump> next;
  if (settings.launches || !settings.exception_path.empty() || !settings.path.empty()) {
    next = std::make_shared<Dump>(std::move(settings));
  }
  const std::shared_ptr<Dump> before = set_dump(std::move(next));
  if (before != nullptr && state->problem.empty()) state->problem = before->problem();
}

// Without the mutex: aclFinalize holds that of the process when it ends the dump.
int32_t check_initialized(const Call& call) {
  std::string config;
  if (initial_configuration(&config)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_UNINITIALIZE, "", "aclInit has to be called before");
}

// The mutex is held.
int32_t check_begun(const Call& call) {
  if (state->has_begun) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_DUMP_NOT_RUN, "", "aclmdlInitDump has to be called before");
}

// The mutex is held.
int32_t finish(const Call& call) {
  replace({});
  const std::string problem = std::exchange(state->problem, "");
  if (problem.empty()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INTERNAL_ERROR, "", "a dump is not whole: " + problem);
}

int32_t begin(const Call& call) {
  if (const int32_t code = check_initialized(call)) return code;
  const std::lock_guard<ForkMutex> lock(state->mutex);
  if (state->has_begun || state->is_of_init) {
    return call.fail(ACL_ERROR_REPEAT_INITIALIZE, "",
                     state->has_begun ? "it was called before; call aclmdlFinalizeDump first"
                                      : "the configuration of aclInit has begun a dump already");
  }
  state->has_begun = true;
  return ACL_SUCCESS;
}

int32_t end(const Call& call) {
  if (const int32_t code = check_initialized(call)) return code;
  const std::lock_guard<ForkMutex> lock(state->mutex);
  if (const int32_t code = check_begun(call)) return code;
  state->has_begun = false;
  return finish(call);
}

int32_t configure(const Call& call, const char* path) {
  if (const int32_t code = check_initialized(call)) return code;
  const std::lock_guard<ForkMutex> lock(state->mutex);
  if (const int32_t code = check_begun(call)) return code;
  if (path == nullptr) return call.null("dumpCfgPath");
  if (*path == '\0') {
    return call.fail(ACL_ERROR_INVALID_FILE, "dumpCfgPath", "is empty; name a JSON file");
  }
  std::string config;
  if (const int32_t code = read_config(call, "dumpCfgPath", path, &config)) return code;
  if (const int32_t code = check_dump_config(call, config)) return code;
  DumpSettings settings;
  read_settings(config, &settings);
  replace(std::move(settings));
  return ACL_SUCCESS;
}

int32_t start_arguments(const Call& call, uint32_t type, const char* path) {
  if (path == nullptr || *path == '\0') {
    return call.fail(ACL_ERROR_FAILURE, "path", "is empty; name a directory");
  }
  if ((type & ACL_OP_DUMP_OP_AICORE_ARGS) == 0) {
    return call.fail(ACL_ERROR_FAILURE, "dumpType",
                     "is " + std::to_string(type) + "; ACL_OP_DUMP_OP_AICORE_ARGS is 1");
  }
  if (!make_directories(path) || access(path, R_OK | W_OK) != 0) {
    return call.fail(ACL_ERROR_FAILURE, "path",
                     "\"" + std::string(path) + "\" is no directory that can be written to");
  }
  if (start_recording_arguments(absolute_path(path))) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_FAILURE, "", "it was called before; call aclopStopDumpArgs first");
}

// A text that stays for ever.
const char* kept(const std::string& path) {
  const std::lock_guard<ForkMutex> lock(state->mutex);
  return path.empty() ? nullptr : state->paths.insert(path).first->c_str();
}

const char* path_of(acldumpType type) {
  const std::shared_ptr<Dump> dump = current_dump();
  if (dump == nullptr) return nullptr;
  if (type == DATA_DUMP || type == OVERFLOW_DUMP) return kept(dump->settings().path);
  const bool is_exception = type >= AIC_ERR_BRIEF_DUMP && type <= AIC_ERR_DETAIL_DUMP;
  const std::string& path = dump->settings().exception_path;
  return is_exception && !path.empty() && make_directories(path) ? kept(path) : nullptr;
}

}  // namespace

int32_t check_dump_config(const Call& call, const std::string& config) {
  DumpSettings settings;
  const std::string problem = read_settings(config, &settings);
  if (problem.empty()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_DUMP_CONFIG, "", "in the configuration, " + problem);
}

void start_dump(const std::string& config) {
  DumpSettings settings;
  read_settings(config, &settings);
  if (settings.path.empty() && settings.exception_path.empty()) return;
  const std::lock_guard<ForkMutex> lock(state->mutex);
  state->is_of_init = true;
  replace(std::move(settings));
}

int32_t end_dump(const Call& call) {
  const std::lock_guard<ForkMutex> lock(state->mutex);
  state->has_begun = false;
  state->is_of_init = false;
  return finish(call);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlInitDump() {
  return acl_call("aclmdlInitDump", [](const Call& call) { return begin(call); });
}

extern "C" aclError aclmdlSetDump(const char* dumpCfgPath) {
  return acl_call("aclmdlSetDump", [&](const Call& call) { return configure(call, dumpCfgPath); });
}

extern "C" aclError aclmdlFinalizeDump() {
  return acl_call("aclmdlFinalizeDump", [](const Call& call) { return end(call); });
}

extern "C" aclError aclopStartDumpArgs(uint32_t dumpType, const char* path) {
  return acl_call("aclopStartDumpArgs",
                  [&](const Call& call) { return start_arguments(call, dumpType, path); });
}

extern "C" aclError aclopStopDumpArgs(uint32_t dumpType) {
  return acl_call("aclopStopDumpArgs", [&](const Call& call) -> int32_t {
    if ((dumpType & ACL_OP_DUMP_OP_AICORE_ARGS) == 0) return ACL_SUCCESS;
    const std::string problem = stop_recording_arguments();
    return problem.empty() ? ACL_SUCCESS : call.fail(ACL_ERROR_FAILURE, "", problem);
  });
}

extern "C" const char* acldumpGetPath(acldumpType dumpType) {
  const char* path = nullptr;
  static_cast<void>(acl_call("acldumpGetPath", [&](const Call&) {
    path = path_of(dumpType);
    return ACL_SUCCESS;
  }));
  return path;
}

extern "C" aclError acldumpRegCallback(acldumpMessageCallback messageCallback, int32_t flag) {
  return acl_call("acldumpRegCallback", [&](const Call& call) -> int32_t {
    if (messageCallback == nullptr) return call.null("messageCallback");
    if (flag != 0) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "flag",
                       "is " + std::to_string(flag) + "; 0, for no files, is the only one");
    }
    set_dump_function(messageCallback);
    return ACL_SUCCESS;
  });
}

extern "C" void acldumpUnregCallback() { set_dump_function(nullptr); }

// SPDX-License-Identifier: Apache-2.0
// What threads can know and say about the tasks that they gave to streams last.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/copy.h"
#include "runtime/graph.h"
#include "runtime/observed.h"
#include "runtime/recorder.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

constexpr size_t kLongestNote = 4096;
constexpr int32_t kMarkBytes = 18;

thread_local uint32_t tasks_of_thread = 0;
thread_local uint32_t last_task = 0;
thread_local std::weak_ptr<GraphTask> last_graph_task;

// Text as it is, anything else as digits.
std::string readable(const void* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text, digits = "0x";
  bool is_text = true;
  for (size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(bytes)[i];
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
    text += static_cast<char>(byte);
    is_text = is_text && (std::isprint(byte) != 0 || byte == 0);
  }
  if (!is_text) return digits;
  return text.substr(0, text.find('\0'));
}

int32_t add_mark(const Call& call, Stream& stream, std::string text) {
  const auto describe = [&] { return Work{call.name, {}, text}; };
  struct Nothing {
    Status operator()() const { return {}; }
    bool touches(const MemoryRange&) const { return false; }
  };
  submit_work(stream, Weight::kSmall, describe, Nothing{});
  return ACL_SUCCESS;
}

}  // namespace

void note_task() { last_task = ++tasks_of_thread; }

void note_graph_task(const GraphTaskPtr& task) {
  last_task = task->id;
  last_graph_task = task;
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return acl_call("aclrtGetThreadLastTaskId", [&](const Call& call) {
    if (taskId == nullptr) return call.null("taskId");
    *taskId = last_task;
    return ACL_SUCCESS;
  });
}

// aclmdlRIDebugJsonPrint writes it.
extern "C" aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr,
                                                 const size_t infoSize) {
  return acl_call("aclrtCacheLastTaskExtendInfo", [&](const Call& call) {
    if (extendInfoPtr == nullptr) return call.null("extendInfoPtr");
    if (infoSize == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "infoSize", "is 0");
    const GraphTaskPtr task = last_graph_task.lock();
    if (task == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "",
                       "the thread has given no task to a graph that is captured or built");
    }
    const size_t size = std::min(infoSize, kLongestNote);
    task->set_note(std::string(extendInfoPtr, strnlen(extendInfoPtr, size)));
    return ACL_SUCCESS;
  });
}

// A mark in the timeline of ACLHOST_TRACE.
extern "C" aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream) {
  return with_stream_in_context(
      "aclrtProfTrace", stream, [&](const Call& call, Stream& found) -> int32_t {
        if (userdata == nullptr) return call.null("userdata");
        if (length <= 0 || length > kMarkBytes) {
          return call.fail(ACL_ERROR_RT_PARAM_INVALID, "length",
                           "is " + std::to_string(length) + "; it must be from 1 to 18");
        }
        char bytes[kMarkBytes];
        const auto size = static_cast<size_t>(length);
        if (const int32_t code =
                copy_bytes(call, bytes, size, userdata, size, ACL_MEMCPY_HOST_TO_HOST)) {
          return code;
        }
        return add_mark(call, found, readable(bytes, size));
      });
}

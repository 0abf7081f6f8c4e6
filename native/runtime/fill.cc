// SPDX-License-Identifier: Apache-2.0
// Fills with a byte or with 32 bits, at once and queued.
#include <algorithm>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/pages.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

struct FillTask {
  void* start;
  int32_t value;
  size_t count;  // bytes
  bool words;    // whether the value counts whole, and not by its lowest byte

  void fill() const {
    void* memory = reachable(start);
    if (words) {
      std::fill_n(static_cast<int32_t*>(memory), count / sizeof value, value);
    } else {
      std::memset(memory, value, count);
    }
  }
  Status operator()() const {
    fill();
    return {};
  }
  bool touches(const MemoryRange& range) const {
    return range.overlaps(MemoryRange::of(start, count));
  }
};

Work describe_fill(const Call& call, const void* start, size_t count) {
  return {call.name,
          {bytes_region("devPtr", start, count, false, true)},
          std::to_string(count) + " bytes"};
}

// True: go on; false: return *code.
bool check_fill(const Call& call, const void* pointer, size_t max_count, size_t count,
                int32_t* code) {
  *code = ACL_SUCCESS;
  if (count == 0) return false;
  if (pointer == nullptr) {
    *code = call.null("devPtr");
  } else if (!current_context()) {
    *code = no_context(call);
  } else if (count > max_count) {
    *code = too_many(call, "maxCount", max_count, count);
  } else {
    *code = check_range(call, "devPtr", pointer, count, Access::kWrite);
  }
  return *code == ACL_SUCCESS;
}

int32_t fill_here(const Call& call, size_t max_count, const FillTask& task) {
  const MemoryUse use;
  int32_t code;
  if (!check_fill(call, task.start, max_count, task.count, &code)) return code;
  if ((code = refuse_unsafe(call)) != ACL_SUCCESS) return code;
  do_here([&] { return describe_fill(call, task.start, task.count); }, [&] { task.fill(); });
  return ACL_SUCCESS;
}

int32_t queue_fill(const Call& call, size_t max_count, const FillTask& task, aclrtStream stream) {
  const MemoryUse use;
  int32_t code;
  if (!check_fill(call, task.start, max_count, task.count, &code)) return code;
  const StreamRef queue = find_stream(stream);
  if (!queue) return no_stream(call, stream);
  const auto work = [&] { return describe_fill(call, task.start, task.count); };
  submit_work(*queue, weight_of(task.count), work, task);
  return ACL_SUCCESS;
}

// Bytes of so many words, or the largest number if they cannot be counted.
size_t word_bytes(size_t words) {
  return words > SIZE_MAX / sizeof(uint32_t) ? SIZE_MAX : words * sizeof(uint32_t);
}

int32_t check_words(const Call& call, const void* start) {
  if (reinterpret_cast<uintptr_t>(start) % sizeof(uint32_t) == 0) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "ptr",
                   hex(start) + " is not a multiple of 4, as the address of 32 bits has to be");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return acl_call("aclrtMemset", [&](const Call& call) {
    return fill_here(call, maxCount, {devPtr, value, count, false});
  });
}

extern "C" aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                                     aclrtStream stream) {
  return acl_call("aclrtMemsetAsync", [&](const Call& call) {
    return queue_fill(call, maxCount, {devPtr, value, count, false}, stream);
  });
}

extern "C" aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return acl_call("aclrtMemsetD32", [&](const Call& call) {
    if (const int32_t code = check_words(call, ptr)) return code;
    return fill_here(call, memSize, {ptr, static_cast<int32_t>(value), word_bytes(N), true});
  });
}

extern "C" aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,
                                        aclrtStream stream) {
  return acl_call("aclrtMemsetD32Async", [&](const Call& call) {
    if (const int32_t code = check_words(call, ptr)) return code;
    const FillTask task{ptr, static_cast<int32_t>(value), word_bytes(N), true};
    return queue_fill(call, memSize, task, stream);
  });
}

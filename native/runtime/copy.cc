// SPDX-License-Identifier: Apache-2.0
// Copies, at once and queued.
#include "runtime/copy.h"

#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/observed.h"
#include "runtime/pages.h"
#include "runtime/registered.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// Rows of bytes; a plain copy is one row.
struct Rows {
  void* dst;
  size_t dst_pitch;
  const void* src;  // null for a fill
  size_t src_pitch;
  size_t width;
  size_t height;
  aclrtMemcpyKind kind;

  // From the first byte to the last, or the largest number if it cannot be counted.
  static size_t span(size_t pitch, size_t width, size_t height) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(pitch, height - 1, &bytes)) return SIZE_MAX;
    return __builtin_add_overflow(bytes, width, &bytes) ? SIZE_MAX : bytes;
  }
  size_t dst_span() const { return span(dst_pitch, width, height); }
  size_t src_span() const { return span(src_pitch, width, height); }
};

void move(const Rows& rows) {
  auto* dst = static_cast<char*>(reachable(rows.dst));
  const auto* src = static_cast<const char*>(reachable(rows.src));
  for (size_t row = 0; row < rows.height; ++row) {
    std::memmove(dst + row * rows.dst_pitch, src + row * rows.src_pitch, rows.width);
  }
}

struct CopyTask {
  Rows rows;

  Status operator()() const {
    move(rows);
    return {};
  }
  bool touches(const MemoryRange& range) const {
    return range.overlaps(MemoryRange::of(rows.dst, rows.dst_span())) ||
           range.overlaps(MemoryRange::of(rows.src, rows.src_span()));
  }
};

int32_t bad_kind(const Call& call, int kind, const char* allowed) {
  return call.fail(ACL_ERROR_INVALID_PARAM, "kind",
                   "is " + std::to_string(kind) + "; this call takes the directions " + allowed +
                       " of aclrtMemcpyKind");
}

int32_t check_ranges(const Call& call, const Rows& rows) {
  const int32_t code = check_range(call, "dst", rows.dst, rows.dst_span(), Access::kWrite);
  if (code != ACL_SUCCESS) return code;
  return check_range(call, "src", rows.src, rows.src_span(), Access::kRead);
}

// What the synchronous and the queued copy have in common. True: go on; false: return *code.
bool check_copy(const Call& call, void* dst, size_t dest_max, const void* src, size_t count,
                aclrtMemcpyKind kind, int32_t* code) {
  *code = ACL_SUCCESS;
  if (count == 0) return false;
  const int direction = static_cast<int>(kind);
  if (dst == nullptr) {
    *code = call.null("dst");
  } else if (src == nullptr) {
    *code = call.null("src");
  } else if (direction < ACL_MEMCPY_HOST_TO_HOST || direction > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    *code = bad_kind(call, direction, "0 to 5");
  } else if (count > dest_max) {
    *code = too_many(call, "destMax", dest_max, count);
  } else {
    return dst != src;
  }
  return false;
}

bool check_copy_2d(const Call& call, const Rows& rows, int32_t* code) {
  *code = ACL_SUCCESS;
  if (rows.width == 0 || rows.height == 0) return false;
  const int direction = static_cast<int>(rows.kind);
  if (rows.dst == nullptr) {
    *code = call.null("dst");
  } else if (rows.src == nullptr) {
    *code = call.null("src");
  } else if (direction < ACL_MEMCPY_HOST_TO_DEVICE || direction > ACL_MEMCPY_DEFAULT) {
    *code = bad_kind(call, direction, "1 to 4");
  } else if (rows.width > rows.dst_pitch || rows.width > rows.src_pitch) {
    *code = call.fail(ACL_ERROR_INVALID_PARAM, "width",
                      "is " + std::to_string(rows.width) + ", more than a pitch (dpitch " +
                          std::to_string(rows.dst_pitch) + ", spitch " +
                          std::to_string(rows.src_pitch) + "); a row must fit into its pitch");
  } else {
    return true;
  }
  return false;
}

// What a direction says about the source and the target.
Side side_of_source(aclrtMemcpyKind kind) {
  if (kind == ACL_MEMCPY_DEFAULT) return Side::kNotSaid;
  const bool device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  return device ? Side::kDevice : Side::kHost;
}

Side side_of_target(aclrtMemcpyKind kind) {
  if (kind == ACL_MEMCPY_DEFAULT) return Side::kNotSaid;
  const bool host = kind == ACL_MEMCPY_HOST_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_HOST;
  return host ? Side::kHost : Side::kDevice;
}

Region rows_region(const char* name, const void* start, size_t pitch, const Rows& rows,
                   bool reads) {
  const auto height = static_cast<int64_t>(rows.height);
  const auto width = static_cast<int64_t>(rows.width);
  return {name,
          static_cast<const char*>(start),
          1,
          {height, width},
          {static_cast<int64_t>(pitch), 1},
          reads,
          !reads,
          reads ? side_of_source(rows.kind) : side_of_target(rows.kind)};
}

Work describe(const Call& call, const Rows& rows) {
  return {call.name,
          {rows_region("src", rows.src, rows.src_pitch, rows, true),
           rows_region("dst", rows.dst, rows.dst_pitch, rows, false)},
          std::to_string(rows.width * rows.height) + " bytes"};
}

int32_t move_here(const Call& call, const Rows& rows) {
  const MemoryUse use;
  if (const int32_t code = check_ranges(call, rows)) return code;
  do_here([&] { return describe(call, rows); }, [&] { move(rows); });
  return ACL_SUCCESS;
}

int32_t copy_now(const Call& call, const Rows& rows) {
  if (!current_context()) return no_context(call);
  if (const int32_t code = refuse_unsafe(call)) return code;
  return move_here(call, rows);
}

bool is_pageable(const void* pointer) {
  Allocation unused;
  return !find_allocation(pointer, &unused) && !is_registered(pointer);
}

int32_t queue_copy(const Call& call, const Rows& rows, Stream& queue) {
  const MemoryUse use;
  if (const int32_t code = check_ranges(call, rows)) return code;
  submit_work(
      queue, weight_of(rows.width * rows.height), [&] { return describe(call, rows); },
      CopyTask{rows});
  return ACL_SUCCESS;
}

// A copy that would have to happen now does not go with captures.
int32_t refuse_pageable(const Call& call, const Stream& queue) {
  if (recorder_of(queue.id()) == nullptr) {
    return refuse_unsafe(call, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC);
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "",
                   "the stream is being captured and the host memory is not pinned, so that it "
                   "cannot be copied later; allocate it with aclrtMallocHost");
}

int32_t copy_queued(const Call& call, const Rows& rows, aclrtStream stream, bool pinned_only) {
  if (!current_context()) return no_context(call);
  const StreamRef queue = find_stream(stream);
  if (!queue) return no_stream(call, stream);
  if (is_pageable(rows.dst) || is_pageable(rows.src)) {
    if (const int32_t code = check_ranges(call, rows)) return code;
    if (pinned_only) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "",
                       "the host memory is not pinned; allocate it with aclrtMallocHost or use "
                       "aclrtMemcpyAsync");
    }
    // A model keeps the address: the memory has to stay, as that of the device.
    if (model_of(*queue) != nullptr) return queue_copy(call, rows, *queue);
    if (const int32_t code = refuse_pageable(call, *queue)) return code;
    // As on hardware: memory that may be paged out cannot be copied later, so it is copied now,
    // behind everything queued before. The caller may free it as soon as the call returns.
    queue->wait();
    observe([&](Observer& o) { o.joined_stream(queue->id()); });
    return move_here(call, rows);
  }
  return queue_copy(call, rows, *queue);
}

}  // namespace

int32_t too_many(const Call& call, const char* limit_name, size_t limit, size_t count) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count",
                   "is " + std::to_string(count) + " but " + limit_name + " is " +
                       std::to_string(limit) + "; the target must have room for count bytes");
}

int32_t check_range(const Call& call, const char* parameter, const void* pointer, size_t size,
                    Access access) {
  if (leaves_allocation(pointer, size)) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
                     hex(pointer) + ": the allocation it lies in ends before " +
                         std::to_string(size) + " bytes; allocate more or pass a smaller count");
  }
  if (is_accessible(pointer, size, access)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
                   hex(pointer) + ": there is no memory of " + std::to_string(size) +
                       (access == Access::kRead ? " bytes to read" : " bytes to write") +
                       " at this address; it may have been freed before");
}

int32_t copy_bytes(const Call& call, void* dst, size_t dest_max, const void* src, size_t count,
                   aclrtMemcpyKind kind) {
  int32_t code;
  if (!check_copy(call, dst, dest_max, src, count, kind, &code)) return code;
  return copy_now(call, {dst, count, src, count, count, 1, kind});
}

int32_t queue_copy_bytes(const Call& call, void* dst, size_t dest_max, const void* src,
                         size_t count, aclrtMemcpyKind kind, aclrtStream stream, bool pinned_only) {
  int32_t code;
  if (!check_copy(call, dst, dest_max, src, count, kind, &code)) return code;
  if (kind == ACL_MEMCPY_HOST_TO_HOST) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind",
                     "is ACL_MEMCPY_HOST_TO_HOST, which cannot be queued; use aclrtMemcpy");
  }
  return copy_queued(call, {dst, count, src, count, count, 1, kind}, stream, pinned_only);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                aclrtMemcpyKind kind) {
  return acl_call("aclrtMemcpy", [&](const Call& call) {
    return copy_bytes(call, dst, destMax, src, count, kind);
  });
}

extern "C" aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                                     aclrtMemcpyKind kind, aclrtStream stream) {
  return acl_call("aclrtMemcpyAsync", [&](const Call& call) {
    return queue_copy_bytes(call, dst, destMax, src, count, kind, stream);
  });
}

extern "C" aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src,
                                                  size_t count, aclrtMemcpyKind kind,
                                                  aclrtStream stream) {
  return acl_call("aclrtMemcpyAsyncWithCondition", [&](const Call& call) {
    return queue_copy_bytes(call, dst, destMax, src, count, kind, stream, true);
  });
}

extern "C" aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch,
                                  size_t width, size_t height, aclrtMemcpyKind kind) {
  return acl_call("aclrtMemcpy2d", [&](const Call& call) {
    const Rows rows{dst, dpitch, src, spitch, width, height, kind};
    int32_t code;
    return check_copy_2d(call, rows, &code) ? copy_now(call, rows) : code;
  });
}

extern "C" aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                                       size_t width, size_t height, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  return acl_call("aclrtMemcpy2dAsync", [&](const Call& call) {
    const Rows rows{dst, dpitch, src, spitch, width, height, kind};
    int32_t code;
    return check_copy_2d(call, rows, &code) ? copy_queued(call, rows, stream, false) : code;
  });
}

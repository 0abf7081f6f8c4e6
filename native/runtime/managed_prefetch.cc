// SPDX-License-Identifier: Apache-2.0
// The C functions that say where managed memory is wanted next.
#include <string>

#include "runtime/managed_memory.h"
#include "runtime/recorder.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

int32_t check_flags(const Call& call, uint64_t flags) {
  if (flags == 0) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "flags", "must be 0");
}

// The pages are where host and device find them already; what is left is the order of the stream.
int32_t prefetch(const Call& call, const void* ptr, size_t size, aclrtMemManagedLocation location,
                 Stream& stream) {
  if (const int32_t code = note_prefetch(call, ptr, size, location)) return code;
  submit_plain(stream, Weight::kSmall, call.name, [](int32_t) { return Status(); });
  return ACL_SUCCESS;
}

// Which place each range goes to: the last one whose index is not behind it.
int32_t check_indices(const Call& call, const size_t* indices, size_t places, size_t count) {
  if (places > count) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "numPrefetchLocs",
                     "is " + std::to_string(places) + ", more than the count of ranges");
  }
  bool is_rising = indices[0] == 0 && indices[places - 1] < count;
  for (size_t i = 1; i < places; ++i) is_rising = is_rising && indices[i - 1] < indices[i];
  if (is_rising) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "prefetchLocIdxs",
                   "must begin with 0 and rise, and stay below the count of ranges");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size,
                                                 aclrtMemManagedLocation location, uint32_t flags,
                                                 aclrtStream stream) {
  return acl_call("aclrtMemManagedPrefetchAsync", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_flags(call, flags)) return code;
    const StreamRef found = find_stream(stream);
    if (!found) return stream_not_found(call, stream);
    return prefetch(call, ptr, size, location, *found);
  });
}

extern "C" aclError aclrtMemManagedPrefetchBatchAsync(
    const void** ptrs, size_t* sizes, size_t count, aclrtMemManagedLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
  return acl_call("aclrtMemManagedPrefetchBatchAsync", [&](const Call& call) -> int32_t {
    if (ptrs == nullptr) return call.null("ptrs");
    if (sizes == nullptr) return call.null("sizes");
    if (prefetchLocs == nullptr) return call.null("prefetchLocs");
    if (prefetchLocIdxs == nullptr) return call.null("prefetchLocIdxs");
    if (count == 0 || numPrefetchLocs == 0) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "count", "or numPrefetchLocs is 0");
    }
    if (const int32_t code = check_flags(call, flags)) return code;
    const size_t places = numPrefetchLocs;
    if (const int32_t code = check_indices(call, prefetchLocIdxs, places, count)) return code;
    const StreamRef found = find_stream(stream);
    if (!found) return stream_not_found(call, stream);
    size_t place = 0;
    for (size_t i = 0; i < count; ++i) {
      if (place + 1 < places && prefetchLocIdxs[place + 1] == i) ++place;
      const int32_t code = prefetch(call, ptrs[i], sizes[i], prefetchLocs[place], *found);
      if (code != ACL_SUCCESS) return code;
    }
    return ACL_SUCCESS;
  });
}

// SPDX-License-Identifier: Apache-2.0
// Copies of bytes with all checks, for every call that copies.
#pragma once

#include <cstddef>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/access.h"
#include "runtime/stream.h"

namespace aclhost {

// Bytes up to which the calling thread moves memory itself rather than waking another one.
constexpr size_t kSmallBytes = 16 * 1024;
constexpr size_t kLongBytes = 16 * 1024 * 1024;  // a hundred times as long as waking one

inline Weight weight_of(size_t bytes) {
  if (bytes <= kSmallBytes) return Weight::kSmall;
  return bytes <= kLongBytes ? Weight::kLarge : Weight::kLong;
}

// As aclrtMemcpy and aclrtMemcpyAsync.
int32_t copy_bytes(const Call& call, void* dst, size_t dest_max, const void* src, size_t count,
                   aclrtMemcpyKind kind);
int32_t queue_copy_bytes(const Call& call, void* dst, size_t dest_max, const void* src,
                         size_t count, aclrtMemcpyKind kind, aclrtStream stream,
                         bool pinned_only = false);

// 0, or the code, reported: the range leaves its allocation or would fault.
int32_t check_range(const Call& call, const char* parameter, const void* pointer, size_t size,
                    Access access);

// The target has room for `limit` bytes only.
int32_t too_many(const Call& call, const char* limit_name, size_t limit, size_t count);

}  // namespace aclhost

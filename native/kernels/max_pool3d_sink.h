// SPDX-License-Identifier: Apache-2.0
// Where rows of a pool's result go: into their place, or through a buffer around the cache.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/memory.h"
#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows are computed as From, in whole steps of some elements, and end as To.
template <typename To, typename From, int64_t step>
class PoolSink {
 public:
  // `stride` in bytes, from one column to the next.
  PoolSink(int64_t columns, int64_t stride, bool past_cache)
      : columns_(columns),
        stride_(stride),
        follow_(stride == sizeof(To)),
        past_cache_(past_cache && follow_ && kSame) {}

  // Room for a row that is to end up at target.
  From* room(char* target) {
    if (past_cache_) {
      if (target != begin_ + filled_ * kItem || filled_ + columns_ > kElements) flush();
      if (filled_ == 0) begin_ = target;
      return buffer_ + filled_;
    }
    const bool in_place = kSame && follow_ && columns_ % step == 0 &&
                          reinterpret_cast<uintptr_t>(target) % alignof(From) == 0;
    return in_place ? reinterpret_cast<From*>(target) : buffer_;
  }

  // The row is in its room.
  void take(const From* room, char* target) {
    if (past_cache_) {
      filled_ += columns_;
    } else if (reinterpret_cast<const char*>(room) == target) {
      return;
    } else if (follow_) {
      for (int64_t i = 0; i < columns_; ++i) store(target + i * kItem, static_cast<To>(room[i]));
    } else {
      for (int64_t i = 0; i < columns_; ++i) store(target + i * stride_, static_cast<To>(room[i]));
    }
  }

  // Afterwards all rows are in their place.
  void flush() {
    if (filled_ == 0) return;
    stream_run(buffer_, filled_ * kItem, begin_);
    finish_streaming();
    filled_ = 0;
  }

 private:
  static constexpr int64_t kItem = sizeof(To);
  static constexpr bool kSame = sizeof(To) == sizeof(From);
  static constexpr int64_t kElements = 2048;

  int64_t columns_;
  int64_t stride_;
  bool follow_;
  bool past_cache_;
  char* begin_ = nullptr;  // where the buffer's first row ends up
  int64_t filled_ = 0;
  alignas(64) From buffer_[kElements + step];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

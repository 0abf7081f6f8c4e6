// SPDX-License-Identifier: Apache-2.0
// Where rows of results go. Kernels write whole vectors, so up to one vector more than a row.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/memory.h"
#include "kernels/resize.h"
#include "kernels/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kSinkBytes = 16 * 1024;
constexpr int64_t kSpillBytes = 2 * 64;  // what may be written after the end of a row

template <typename T>
class RowSink {
 public:
  // For the rows [begin, end), or a part of each. Whole rows of a dense target are its memory from
  // one place to another: what spills into the next is overwritten by that, but for the last rows.
  RowSink(const Rows& rows, int64_t begin, int64_t end, bool whole, bool past_cache)
      : step_(rows.step()), dense_(whole && rows.dense(sizeof(T))), past_cache_(past_cache) {
    if (!dense_) return;
    const int64_t row_bytes = rows.length() * int64_t{sizeof(T)};
    flushed_ = RowPlace(rows, begin).address;
    limit_ = flushed_ + (end - begin) * row_bytes - kSpillBytes;
  }

  // Room for a row that is to end up at target.
  T* room(char* target, int64_t length) {
    const int64_t bytes = length * int64_t{sizeof(T)};
    if (!dense_) return reinterpret_cast<T*>(buffer_);
    if (!past_cache_) return reinterpret_cast<T*>(target + bytes <= limit_ ? target : buffer_);
    if (filled_ + bytes > kSinkBytes) flush();
    return reinterpret_cast<T*>(buffer_ + filled_);
  }

  // The row is in its room.
  void take(const T* room, char* target, int64_t length) {
    const int64_t bytes = length * int64_t{sizeof(T)};
    const char* from = reinterpret_cast<const char*>(room);
    if (from == target) return;
    if (dense_ && past_cache_) {
      filled_ += bytes;
    } else if (step_ != sizeof(T) && length > 1) {
      for (int64_t k = 0; k < length; ++k) {
        std::memcpy(target + k * step_, from + k * sizeof(T), sizeof(T));
      }
    } else if (past_cache_) {
      stream_run(from, bytes, target);
    } else {
      std::memcpy(target, from, bytes);
    }
  }

  void finish() {
    flush();
    if (past_cache_) finish_streaming();
  }

 private:
  void flush() {
    if (filled_ == 0) return;
    stream_run(buffer_, filled_, flushed_);
    flushed_ += filled_;
    filled_ = 0;
  }

  int64_t step_;
  bool dense_;
  bool past_cache_;
  char* flushed_ = nullptr;  // up to here the target is complete
  char* limit_ = nullptr;
  int64_t filled_ = 0;
  alignas(64) char buffer_[kSinkBytes + kSpillBytes];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Where rows of results go. Kernels write whole vectors, so up to one vector more than a row.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/resize/resize.h"
#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kSinkBytes = 16 * 1024;
constexpr int64_t kSpillBytes = 2 * 64;  // what may be written after the end of a row

template <typename T>
class RowSink {
 public:
  // For `count` rows from the one at `first` on, of which `length` elements each are computed.
  // Whole rows of a dense target are its memory from one place to another: what spills into the
  // next is overwritten by that, but for the last rows. `can_stream` if the caller could write past
  // the cache itself.
  RowSink(const Rows& rows, char* first, int64_t count, int64_t length, bool past_cache,
          bool can_stream)
      : step_(rows.step()),
        pitch_(rows.volumes.strides[rows.order[4]]),
        bytes_(length * int64_t{sizeof(T)}),
        dense_(length == rows.length() && rows.dense(sizeof(T))),
        past_cache_(past_cache) {
    flushed_ = first;
    if (dense_) limit_ = flushed_ + count * bytes_ - kSpillBytes;
    const bool whole_lines =
        reinterpret_cast<uintptr_t>(first) % kLineBytes == 0 && bytes_ % kSpillBytes == 0;
    streams_ = can_stream && dense_ && past_cache_ && whole_lines;
  }

  // Whether the caller must do so: rows that consist of lines need no other room than their own.
  bool streams() const { return streams_; }

  // Room for up to `rows` rows one after the other, the first of which is to end up at target.
  // Returns for how many.
  int64_t room(char* target, int64_t rows, T** room) {
    *room = reinterpret_cast<T*>(target);
    if (streams_) return rows;
    if (dense_ && !past_cache_ && target + bytes_ <= limit_) {
      return target + rows * bytes_ <= limit_ ? rows : (limit_ - target) / bytes_;
    }
    if (filled_ + bytes_ > kSinkBytes) flush();
    *room = reinterpret_cast<T*>(buffer_ + filled_);
    if (filled_ + rows * bytes_ <= kSinkBytes) return rows;
    return (kSinkBytes - filled_) / bytes_;
  }

  // The rows are in their room.
  void take(const T* room, char* target, int64_t rows) {
    const char* from = reinterpret_cast<const char*>(room);
    if (from == target) return;
    if (dense_ && past_cache_) {
      filled_ += rows * bytes_;
    } else if (dense_) {
      std::memcpy(target, from, rows * bytes_);
    } else {
      for (; rows > 0; --rows, from += bytes_, target += pitch_) put(from, target);
    }
  }

  void finish() {
    flush();
    if (past_cache_) finish_streaming();
  }

 private:
  void put(const char* row, char* target) const {
    if (step_ != sizeof(T)) {
      for (int64_t i = 0; i < bytes_; i += sizeof(T), target += step_) {
        std::memcpy(target, row + i, sizeof(T));
      }
    } else if (past_cache_) {
      stream_run(row, bytes_, target);
    } else {
      std::memcpy(target, row, bytes_);
    }
  }

  void flush() {
    if (filled_ == 0) return;
    stream_run(buffer_, filled_, flushed_);
    flushed_ += filled_;
    filled_ = 0;
  }

  int64_t step_;
  int64_t pitch_;
  int64_t bytes_;  // of a row
  bool dense_;
  bool past_cache_;
  bool streams_;
  char* flushed_ = nullptr;  // up to here the target is complete
  char* limit_ = nullptr;
  int64_t filled_ = 0;
  alignas(64) char buffer_[kSinkBytes + kSpillBytes];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Where a part of a large volume is put together.
//
// In place, the memory is cleared little by little, right before somebody writes there. Past the
// cache, a scratch slides over the part, and what it leaves behind is written around the cache
// (Note [Stores past the cache] in simd/simd.h). Indices of a pool advance through the volume,
// so the scratch follows them; whoever comes late finds the volume itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/pooling/unpooling.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class Canvas {
 public:
  // Without a scratch, in place. A scratch for `room` elements begins at a line of the cache.
  Canvas(char* volume, const Part& part, int64_t item_size, char* scratch, int64_t room)
      : volume_(volume),
        part_(part),
        item_size_(item_size),
        scratch_(scratch),
        room_(scratch ? room : part.size()),
        window_{part.first, part.first} {}

  const Part& part() const { return part_; }
  // What is cleared, and to be written at origin().
  const Part& window() const { return window_; }
  // Where the volume's first element would be, if the window's neighbours were all there.
  uintptr_t origin() const {
    return scratch_ ? reinterpret_cast<uintptr_t>(scratch_) - window_.first * item_size_
                    : reinterpret_cast<uintptr_t>(volume_);
  }
  // What lies before the window is to be written here.
  char* volume() const { return volume_; }

  // Moves the window to hold `high`, a place in the part; most of those before `low` are complete.
  void advance(int64_t low, int64_t high) {
    if (scratch_) {
      const bool full = high >= window_.first + room_;
      // Little would have to be moved.
      const bool complete = low >= window_.last - kCleared / item_size_ &&
                            low - window_.first >= kFlushed / item_size_;
      // What is flushed ends with a line, so the window may begin before.
      const bool near = high + kLine < low + room_;
      if (complete || full) flush(near ? low : high + 1 - room_ / 2);
    }
    clear(high + 1);
  }

  void finish() {
    if (!scratch_) return clear(part_.last);
    flush(part_.last);
  }

 private:
  static constexpr int64_t kLine = 64;
  static constexpr int64_t kFlushed = 16 << 10;  // bytes; fewer are not worth the trouble
  static constexpr int64_t kCleared = 16 << 10;

  void clear(int64_t end) {
    if (end <= window_.last) return;
    end = std::max(end, window_.last + kCleared / item_size_);
    end = std::min({end, part_.last, window_.first + room_});
    std::memset(reinterpret_cast<char*>(origin() + window_.last * item_size_), 0,
                (end - window_.last) * item_size_);
    window_.last = end;
  }

  // Writes what lies before `end`, in whole lines, and moves the rest to the scratch's begin.
  void flush(int64_t end) {
    while (window_.first < end) {
      clear(std::min(end, window_.first + room_));
      int64_t done = std::min(end, window_.last);
      char* const target = volume_ + window_.first * item_size_;
      if (done < part_.last) {
        const auto beyond = reinterpret_cast<uintptr_t>(volume_ + done * item_size_) % kLine;
        done -= static_cast<int64_t>(beyond) / item_size_;
        if (done <= window_.first) return;
      }
      const int64_t bytes = (done - window_.first) * item_size_;
      stream_run(scratch_, bytes, target);
      const int64_t rest = window_.last - done;
      std::memmove(scratch_, scratch_ + bytes, rest * item_size_);
      window_ = {done, done + rest};
    }
    finish_streaming();
  }

  char* volume_;
  Part part_;
  int64_t item_size_;
  char* scratch_;
  int64_t room_;
  Part window_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

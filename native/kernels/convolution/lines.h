// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "kernels/convolution/taps.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kBlock = 16;  // positions that are computed together, and lanes of a sum

// A plane of a source as lines that all taps can read in whole blocks.
class Lines {
 public:
  explicit Lines(const Source& source) : source_(source) {
    const Taps& inner = source.axes[2];
    const int64_t reach = (inner.count - 1) * inner.step;
    least_ = inner.first + std::min<int64_t>(reach, 0);
    const int64_t places = (inner.positions - 1) * inner.stride + std::max(reach, -reach) + 1;
    pieces_ = std::min(inner.stride, places);
    piece_ = places / inner.stride + 1 + kBlock;
    const int64_t size = (source.axes[0].length * source.axes[1].length + 1) * pieces_ * piece_;
    memory_.reset(new (std::nothrow) float[size]);
    pointers_.reset(new (std::nothrow) const float*[source.taps()]);
    if (has_memory()) std::fill_n(memory_.get(), size, 0.0F);
  }

  bool has_memory() const { return memory_ != nullptr && pointers_ != nullptr; }

  // Zeros around the plane stay.
  void take(const float* plane) {
    const Taps& inner = source_.axes[2];
    const int64_t lines = source_.axes[0].length * source_.axes[1].length;
    for (int64_t i = 0; i < lines * pieces_; ++i) {
      const float* const from = plane + i / pieces_ * inner.length;
      take_piece(from, least_ + i % pieces_, memory_.get() + i * piece_);
    }
  }

  // What each tap meets at the first position of a line; other positions follow.
  const float* const* of_line(int64_t line) {
    const Taps &outer = source_.axes[0], &middle = source_.axes[1], &inner = source_.axes[2];
    const int64_t p = line / middle.positions, q = line % middle.positions;
    const float** to = pointers_.get();
    for (int64_t i = 0; i < outer.count; ++i) {
      for (int64_t j = 0; j < middle.count; ++j) {
        const float* const from = line_at(outer.place(p, i), middle.place(q, j));
        for (int64_t k = 0; k < inner.count; ++k) {
          const int64_t place = inner.place(0, k) - least_;
          *to++ = from + place % inner.stride * piece_ + place / inner.stride;
        }
      }
    }
    return pointers_.get();
  }

 private:
  // Elements that lie a stride apart.
  void take_piece(const float* from, int64_t start, float* to) const {
    const int64_t stride = source_.axes[2].stride, length = source_.axes[2].length;
    const int64_t skipped = start < 0 ? (-start - 1) / stride + 1 : 0;
    if (start + skipped * stride >= length) return;
    const int64_t end = std::min(piece_, (length - 1 - start) / stride + 1);
    for (int64_t i = skipped; i < end; ++i) to[i] = from[start + i * stride];
  }

  // Zeros where there is none.
  const float* line_at(int64_t i, int64_t j) const {
    const int64_t outer = source_.axes[0].length, middle = source_.axes[1].length;
    const bool inside = i >= 0 && i < outer && j >= 0 && j < middle;
    return memory_.get() + (inside ? i * middle + j : outer * middle) * pieces_ * piece_;
  }

  const Source& source_;
  int64_t least_;           // place of the first element of a line
  int64_t pieces_, piece_;  // remainders, and elements of each
  std::unique_ptr<float[]> memory_;
  std::unique_ptr<const float*[]> pointers_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

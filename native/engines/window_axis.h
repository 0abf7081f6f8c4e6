// SPDX-License-Identifier: Apache-2.0
// Which positions a pooling window looks at along one axis, and which windows look at a position.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Positions from begin to end - 1.
struct Range {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// Windows along one axis. Sliding ones have a kernel, a stride and a padding; adaptive ones divide
// the input as evenly as whole numbers allow, and neighbours may share a position.
struct WindowAxis {
  int64_t input = 1;   // positions
  int64_t pooled = 1;  // windows
  bool adaptive = false;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;

  // The positions inside the input that a window looks at. A kernel may be as large as an integer
  // can be.
  Range positions(int64_t window) const {
    if (adaptive) {
      return {scaled(window, input, pooled), scaled(window + 1, input, pooled, pooled - 1)};
    }
    const int64_t start = window * stride - padding;
    const int64_t end = kernel >= input - start ? input : start + kernel;
    const int64_t begin = std::min(std::max<int64_t>(start, 0), input);
    return {begin, std::max(begin, end)};
  }

  // At least as many positions as any window has.
  int64_t most() const { return std::min(input, adaptive ? input / pooled + 2 : kernel); }

  // The windows that look at a position.
  Range windows(int64_t position) const {
    if (adaptive) {
      const int64_t last = scaled(position + 1, pooled, input, -1);
      return {scaled(position, pooled, input), last + 1};
    }
    const int64_t place = position + padding;  // counted from the first window's start
    const int64_t first = place < kernel ? 0 : (place - kernel) / stride + 1;
    const int64_t end = place < 0 ? 0 : place / stride + 1;
    return {std::min(first, pooled), std::max(std::min(first, pooled), std::min(end, pooled))};
  }

  // How many positions a window has, with those of the padding if they count.
  int64_t counted(int64_t window, bool with_padding) const {
    if (adaptive || !with_padding) return positions(window).size();
    const int64_t start = window * stride - padding;
    return std::min(kernel, input + padding - start);
  }

 private:
  // (index * by + more) / parts
  static int64_t scaled(int64_t index, int64_t by, int64_t parts, int64_t more = 0) {
    // Nearly always; dividing is much faster then.
    if ((index | by | parts) <= INT32_MAX) return (index * by + more) / parts;
    return static_cast<int64_t>((static_cast<__int128>(index) * by + more) / parts);
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

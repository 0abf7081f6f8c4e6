// SPDX-License-Identifier: Apache-2.0
// An axis that is longer at both ends than what it shows, or shorter where an end is negative.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class PadMode { kReflect, kReplicate, kCircular };

// Neighbours on the padded axis that show neighbours, or one and the same element.
struct AxisRun {
  int64_t place;  // what the first shows
  int64_t count;
  int64_t step;  // from one place to the next: 1, 0 or -1
};

class PaddedAxis {
 public:
  PaddedAxis() = default;
  PaddedAxis(PadMode mode, int64_t length, int64_t before, int64_t after)
      : mode_(mode), length_(length), before_(before), padded_(length + before + after) {
    for (int64_t position = 0; position < padded_ && known_ < kMostKnown; ++known_) {
      runs_[known_] = run_at(position);
      position += runs_[known_].count;
    }
  }

  int64_t padded() const { return padded_; }
  int64_t before() const { return before_; }
  // Whether nothing is cut off.
  bool is_longer() const { return before_ >= 0 && padded_ >= before_ + length_; }

  // From a position of the padded axis on, as long as it can be.
  AxisRun run_at(int64_t position) const {
    const int64_t left = padded_ - position, place = position - before_;
    if (place >= 0 && place < length_) return {place, std::min(left, length_ - place), 1};
    if (mode_ == PadMode::kCircular) {
      const int64_t inside = (place % length_ + length_) % length_;
      return {inside, std::min(left, length_ - inside), 1};
    }
    const bool reflects = mode_ == PadMode::kReflect;
    if (place < 0) return {reflects ? -place : 0, std::min(left, -place), reflects ? -1 : 0};
    const int64_t last = length_ - 1;
    return {reflects ? 2 * last - place : last, left, reflects ? -1 : 0};
  }

  // Calls visit(position, run) for all runs between two positions, and for some outside of them.
  template <typename Visit>
  void for_each_run(int64_t begin, int64_t end, const Visit& visit) const {
    int64_t position = 0;
    for (int i = 0; i < known_; position += runs_[i++].count) visit(position, runs_[i]);
    position = std::max(position, begin);
    while (position < end) {
      const AxisRun run = run_at(position);
      visit(position, run);
      position += run.count;
    }
  }

  // The first position behind another that shows a place; padded(): none. Begin with -1.
  int64_t next_position(int64_t place, int64_t position) const {
    const int64_t own = before_ + place, last = length_ - 1;
    if (mode_ == PadMode::kCircular) {
      return position < 0 ? (own % length_ + length_) % length_ : position + length_;
    }
    if (mode_ == PadMode::kReplicate) {
      const int64_t first = place == 0 ? std::min<int64_t>(own, 0) : own;
      const int64_t next = std::max(position + 1, first);
      return place == last || next <= own ? next : padded_;
    }
    if (place > 0 && before_ - place > position) return before_ - place;
    if (own > position) return own;
    const int64_t mirrored = before_ + 2 * last - place;
    return place < last && mirrored > position ? mirrored : padded_;
  }

 private:
  static constexpr int kMostKnown = 4;

  PadMode mode_ = PadMode::kReplicate;
  int64_t length_ = 1;
  int64_t before_ = 0;
  int64_t padded_ = 1;
  int known_ = 0;  // the first runs, which rows need again and again
  AxisRun runs_[kMostKnown] = {};
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

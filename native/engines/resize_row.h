// SPDX-License-Identifier: Apache-2.0
// Sums of arrays with weights, and rows resized along their own axis.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/resize_taps.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kGroup = 4;  // arrays that are added up at once

// Adds weights[i] * rows[i] to `sums`, or starts with them, for up to kGroup rows.
template <typename Sum>
void add_weighted(const Sum* const* rows, const Sum* weights, int count, bool starts, int64_t n,
                  Sum* __restrict__ sums) {
  const Sum* const a = rows[0];
  const Sum *const b = rows[1], *const c = rows[2], *const d = rows[3];
  const Sum wa = weights[0], wb = weights[1], wc = weights[2], wd = weights[3];
  if (starts && count == 1) {
    for (int64_t i = 0; i < n; ++i) sums[i] = wa * a[i];
  } else if (starts && count == 2) {
    for (int64_t i = 0; i < n; ++i) sums[i] = wa * a[i] + wb * b[i];
  } else if (starts && count == 3) {
    for (int64_t i = 0; i < n; ++i) sums[i] = wa * a[i] + wb * b[i] + wc * c[i];
  } else if (starts) {
    for (int64_t i = 0; i < n; ++i) sums[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
  } else if (count == kGroup) {
    for (int64_t i = 0; i < n; ++i) {
      sums[i] = sums[i] + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
    }
  } else {
    for (int k = 0; k < count; ++k) {
      for (int64_t i = 0; i < n; ++i) sums[i] += weights[k] * rows[k][i];
    }
  }
}

// Arrays one by one, summed in groups.
template <typename Sum>
class WeightedSum {
 public:
  WeightedSum(int64_t n, Sum* sums) : n_(n), sums_(sums) {}

  // The array must stay until the group is complete.
  void add(const Sum* row, Sum weight) {
    rows_[count_] = row;
    weights_[count_++] = weight;
    if (count_ == kGroup) flush();
  }
  void finish() {
    if (count_ > 0) flush();
    if (starts_) std::fill_n(sums_, n_, Sum{0});
  }

 private:
  void flush() {
    add_weighted(rows_, weights_, count_, starts_, n_, sums_);
    count_ = 0;
    starts_ = false;
  }

  int64_t n_;
  Sum* sums_;
  const Sum* rows_[kGroup] = {};
  Sum weights_[kGroup] = {};
  int count_ = 0;
  bool starts_ = true;
};

// Some results that follow each other along a row. Each consists of `inner` numbers side by side,
// its channels, or of one.
template <typename Sum>
class RowTaps {
 public:
  // False: there is not enough memory.
  bool set(const ResizeAxis& axis, bool gradient, int64_t begin, int64_t end, int64_t inner) {
    inner_ = inner;
    same_ = axis.is_same();
    if (same_) {
      first_ = begin;
      end_ = end;
      count_ = end - begin;
      return true;
    }
    if (inner == 1 && !gradient && has_plain_pairs(axis)) return set_pairs(axis, begin, end);
    if (!taps_.set(axis, gradient, begin, end)) return false;
    first_ = taps_.first();
    end_ = taps_.end();
    count_ = taps_.results();
    most_ = taps_.most();
    return inner > 1 || set_layers();
  }

  bool same() const { return same_; }
  int64_t count() const { return count_; }
  // Which elements of the source's row are needed.
  int64_t first() const { return first_; }
  int64_t end() const { return end_; }

  // `line` holds the elements [first(), end()) and room for one more, which becomes 0.
  void resize(Sum* line, Sum* out) const {
    if (inner_ > 1) return resize_channels(line, out);
    line[end_ - first_] = 0;
    if (layers_ == 0) std::fill_n(out, count_, Sum{0});
    if (layers_ > 0) add_layers<true>(line, 0, out);
    for (int64_t layer = 2; layer < layers_; layer += 2) add_layers<false>(line, layer, out);
    for (int64_t k = 0; layers_ < most_ && k < count_; ++k) {
      for (int64_t i = taps_.starts[k] + layers_; i < taps_.starts[k + 1]; ++i) {
        out[k] += static_cast<Sum>(taps_.weights[i]) * line[taps_.places[i] - first_];
      }
    }
  }

 private:
  // Taps in layers of one for each result, so that vectors can add them up. Where a result has
  // fewer than others, the rest of its taps point at a 0. The last taps of a few results that have
  // many more are left out.
  bool set_layers() {
    constexpr int64_t kMostWaste = 4;
    layers_ = std::min(most_, kMostWaste * taps_.total() / count_ + 1);
    layers_ += layers_ % 2;
    if (!places_.reserve(layers_ * count_) || !weights_.reserve(layers_ * count_)) return false;
    for (int64_t layer = 0; layer < layers_; ++layer) {
      int32_t* const places = places_.data() + layer * count_;
      Sum* const weights = weights_.data() + layer * count_;
      for (int64_t k = 0; k < count_; ++k) {
        const int64_t i = taps_.starts[k] + layer;
        const bool exists = i < taps_.starts[k + 1];
        places[k] = static_cast<int32_t>((exists ? taps_.places[i] : end_) - first_);
        weights[k] = exists ? static_cast<Sum>(taps_.weights[i]) : Sum{0};
      }
    }
    return true;
  }

  // Pairs of neighbours whose places are exact as float.
  static bool has_plain_pairs(const ResizeAxis& axis) {
    return axis.filter == Filter::kLinear && axis.sources <= 1 << 24 && axis.targets <= 1 << 24;
  }

  // The same layers as those of for_each_tap(), in loops that vectors can take.
  bool set_pairs(const ResizeAxis& axis, int64_t begin, int64_t end) {
    count_ = end - begin;
    first_ = tap_window(axis, begin).first;
    end_ = tap_window(axis, end - 1).end;
    layers_ = most_ = 2;
    if (!places_.reserve(2 * count_) || !weights_.reserve(2 * count_)) return false;
    const float last = static_cast<float>(axis.sources - 1);
    const float half = axis.align_corners ? 0 : 0.5f, step = axis.step;
    const auto nothing = static_cast<int32_t>(end_ - first_), first = static_cast<int32_t>(first_);
    int32_t* const places = places_.data();
    Sum* const weights = weights_.data();
    for (int32_t k = 0; k < static_cast<int32_t>(count_); ++k) {
      const float target = static_cast<float>(static_cast<int32_t>(begin) + k);
      float middle = step * (target + half) - half;
      middle = middle > 0 ? middle : 0;
      const auto place = static_cast<int32_t>(middle < last ? middle : last);
      const float rest = middle - static_cast<float>(place);
      const float second = middle < last ? rest : 0;
      places[k] = place - first;
      places[count_ + k] = second > 0 ? place + 1 - first : nothing;
      weights[k] = 1 - second;
      weights[count_ + k] = second;
    }
    return true;
  }

  template <bool starts>
  void add_layers(const Sum* __restrict__ line, int64_t layer, Sum* __restrict__ out) const {
    const int32_t* const a = places_.data() + layer * count_;
    const int32_t* const b = a + count_;
    const Sum* const wa = weights_.data() + layer * count_;
    const Sum* const wb = wa + count_;
    const int64_t count = count_;
    for (int64_t k = 0; k < count; ++k) {
      out[k] = (starts ? Sum{0} : out[k]) + wa[k] * line[a[k]] + wb[k] * line[b[k]];
    }
  }

  void resize_channels(const Sum* line, Sum* out) const {
    for (int64_t k = 0; k < count_; ++k) {
      WeightedSum<Sum> sum(inner_, out + k * inner_);
      for (int64_t i = taps_.starts[k]; i < taps_.starts[k + 1]; ++i) {
        sum.add(line + (taps_.places[i] - first_) * inner_, taps_.weights[i]);
      }
      sum.finish();
    }
  }

  Taps taps_;
  bool same_ = false;
  int64_t inner_ = 1;
  int64_t first_ = 0;
  int64_t end_ = 0;
  int64_t count_ = 0;
  int64_t layers_ = 0;
  int64_t most_ = 0;  // taps of one result
  Workspace<int32_t> places_;
  Workspace<Sum> weights_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

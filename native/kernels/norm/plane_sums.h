// SPDX-License-Identifier: Apache-2.0
// Sums over an image's channel, where its elements are stored: floats, or 16-bit ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engines/float_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Sums of gradients, and of those times what was normalised, (x - mean) * rstd.
struct PlaneTotals {
  double steady = 0, sloping = 0;
};

template <typename Stored>
class PlaneSums {
 public:
  PlaneSums(const Stored* gradient, const Stored* x, int64_t n, float mean, float rstd)
      : gradient_(gradient), x_(x), n_(n), mean_(mean), rstd_(rstd) {}

  __attribute__((flatten)) PlaneTotals totals() const {
    const PlaneSums own = *this;  // on the stack, what it holds stays in registers
    Vector<double> steady[kDoubles] = {}, sloping[kDoubles] = {};
    for (int part = 0; part < kParts; ++part) {
      own.add_part(part, steady + part * kEach, sloping + part * kEach);
    }
    const PlaneTotals found = {total(steady), total(sloping)};
    return std::isfinite(found.steady + found.sloping) ? found : exact();
  }

 private:
  using Floats = Vector<float>;
  static constexpr int kParts = kFloatLanes / kLanes<float>;
  static constexpr int kDoubles = kFloatLanes / kLanes<double>;
  static constexpr int kEach = kDoubles / kParts;

  // Of a part of the lanes, some values in float first.
  void add_part(int part, Vector<double>* steady, Vector<double>* sloping) const {
    const int64_t place = part * kLanes<float>;
    for (int64_t i = 0; i < n_; i += kFloatBlock) {
      Floats own_steady = {}, own_sloping = {};
      const int64_t left = std::min(kFloatBlock, n_ - i), turns = left / kFloatLanes;
      for (int64_t s = 0; s < turns; ++s) {
        const int64_t at = i + s * kFloatLanes + place;
        const auto dy = load_widened(gradient_ + at);
        own_steady += dy;
        own_sloping += dy * ((load_widened(x_ + at) - mean_) * rstd_);
      }
      if (left % kFloatLanes != 0) {  // the last ones, in the last lanes
        using reduce_detail::LastTurn;
        const auto bits = load_vector<Bits>(reduce_detail::last_turn_mask(n_) + place);
        const auto dy = load_widened(LastTurn<Stored>(gradient_, n_).turn + place);
        const auto x = load_widened(LastTurn<Stored>(x_, n_).turn + place);
        own_steady += masked(dy, bits);
        own_sloping += masked(dy * ((x - mean_) * rstd_), bits);
      }
      reduce_detail::add_to(steady, own_steady);
      reduce_detail::add_to(sloping, own_sloping);
    }
  }

  using Bits = Vector<uint32_t>;
  static Floats masked(Floats values, Bits bits) {
    return bit_cast<Floats>(bit_cast<Bits>(values) & bits);
  }

  // Where floats are too narrow.
  __attribute__((noinline)) PlaneTotals exact() const {
    PlaneTotals totals;
    for (int64_t i = 0; i < n_; ++i) {
      const float dy = widen(gradient_[i]);
      totals.steady += double{dy};
      totals.sloping += double{dy * ((widen(x_[i]) - mean_) * rstd_)};
    }
    return totals;
  }

  static double total(Vector<double>* sums) {
    reduce_detail::fold(sums, kDoubles);
    return reduce_detail::sum_of_lanes(sums[0]);
  }

  const Stored *gradient_, *x_;
  int64_t n_;
  float mean_, rstd_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// What gradients of rows that were normalised are made of; see RowNormGradient in row_norm.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engines/float_sums.h"
#include "engines/stored_rows.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Floats, or 16-bit ones.
template <typename Stored>
struct GradientRow {
  const Stored *gradient, *x;
  float mean, rstd;
};

// Sums over a row of g, the weighted gradients, and of g * xhat.
struct RowTotals {
  double steady, sloping;
};

// Sums of some rows, and what these add to those of weight and bias, in one pass: an element of
// weight, of its sum and of that of bias is loaded once for all of them.
template <typename Stored, int rows>
class RowsSums {
 public:
  RowsSums(const GradientRow<Stored>* row, const float* weight, float* of_weight, float* of_bias)
      : weight_(weight), of_weight_(of_weight), of_bias_(of_bias) {
    for (int r = 0; r < rows; ++r) {
      gradient_[r] = row[r].gradient;
      x_[r] = row[r].x;
      mean_[r] = splat<Floats>(row[r].mean);
      rstd_[r] = splat<Floats>(row[r].rstd);
    }
  }

  // The sums of bias and weight have room for kFloatLanes floats before them.
  __attribute__((flatten)) void add_up(int64_t n, RowTotals* totals) const {
    const RowsSums own = *this;  // on the stack, what it holds stays in registers
    Totals sums;
    for (int64_t i = 0; i + kFloatLanes <= n; i += kFloatBlock) {
      own.add_turns(i, std::min(kFloatBlock, n - i) / kFloatLanes, sums);
    }
    if (n % kFloatLanes != 0) own.add_last(n, sums);
    for (int r = 0; r < rows; ++r) {
      totals[r] = {total(sums.steady[r]), total(sums.sloping[r])};
      if (!std::isfinite(totals[r].steady + totals[r].sloping)) totals[r] = exact_totals(n, r);
    }
  }

 private:
  using Floats = Vector<float>;
  static constexpr int kParts = kFloatLanes / kLanes<float>;
  static constexpr int kDoubles = kFloatLanes / kLanes<double>;

  struct Totals {
    Vector<double> steady[rows][kDoubles] = {}, sloping[rows][kDoubles] = {};
  };
  // Of a part of the lanes.
  struct Lanes {
    void add_to(int part, Totals& sums) const {
      constexpr int kEach = kDoubles / kParts;
      for (int r = 0; r < rows; ++r) {
        reduce_detail::add_to(sums.steady[r] + part * kEach, steady[r]);
        reduce_detail::add_to(sums.sloping[r] + part * kEach, sloping[r]);
      }
    }
    Floats steady[rows] = {}, sloping[rows] = {};
  };

  void add_turns(int64_t first, int64_t turns, Totals& sums) const {
    for (int part = 0; part < kParts; ++part) {
      Lanes lanes;
      for (int64_t s = 0; s < turns; ++s) {
        const int64_t at = first + s * kFloatLanes + part * kLanes<float>;
        const auto weight = load_widened(weight_ + at);
        auto of_weight = load_widened(of_weight_ + at), of_bias = load_widened(of_bias_ + at);
        for (int r = 0; r < rows; ++r) {
          const auto dy = load_widened(gradient_[r] + at), x = load_widened(x_[r] + at);
          const auto xhat = (x - mean_[r]) * rstd_[r], g = dy * weight;
          of_weight += dy * xhat;
          of_bias += dy;
          lanes.steady[r] += g;
          lanes.sloping[r] += g * xhat;
        }
        store_vector(of_weight_ + at, of_weight);
        store_vector(of_bias_ + at, of_bias);
      }
      lanes.add_to(part, sums);
    }
  }

  // What is less than a turn. It has the last lanes; those before it were added already.
  void add_last(int64_t n, Totals& sums) const {
    using Bits = Vector<uint32_t>;
    const reduce_detail::LastTurn<float> weights(weight_, n);
    const uint32_t* const mask = reduce_detail::last_turn_mask(n);
    for (int part = 0; part < kParts; ++part) {
      const int place = part * kLanes<float>;
      const int64_t at = n - kFloatLanes + place;
      const auto bits = load_vector<Bits>(mask + place);
      const auto weight = load_widened(weights.turn + place);
      auto of_weight = load_widened(of_weight_ + at), of_bias = load_widened(of_bias_ + at);
      Lanes lanes;
      for (int r = 0; r < rows; ++r) {
        const auto kept = [&](const Stored* values) __attribute__((always_inline)) {
          return load_widened(reduce_detail::LastTurn<Stored>(values, n).turn + place);
        };
        const auto masked = [&](Floats values) __attribute__((always_inline)) {
          return bit_cast<Floats>(bit_cast<Bits>(values) & bits);
        };
        const auto dy = masked(kept(gradient_[r]));
        const auto xhat = masked((kept(x_[r]) - mean_[r]) * rstd_[r]);
        const auto g = masked(dy * weight);
        of_weight += dy * xhat;
        of_bias += dy;
        lanes.steady[r] = g;
        lanes.sloping[r] = g * xhat;
      }
      store_vector(of_weight_ + at, of_weight);
      store_vector(of_bias_ + at, of_bias);
      lanes.add_to(part, sums);
    }
  }

  // Where floats are too narrow.
  __attribute__((noinline)) RowTotals exact_totals(int64_t n, int r) const {
    RowTotals totals = {0, 0};
    for (int64_t i = 0; i < n; ++i) {
      const float g = widen(gradient_[r][i]) * weight_[i];
      totals.steady += double{g};
      totals.sloping += double{g * ((widen(x_[r][i]) - mean_[r][0]) * rstd_[r][0])};
    }
    return totals;
  }

  static double total(Vector<double>* sums) {
    reduce_detail::fold(sums, kDoubles);
    return reduce_detail::sum_of_lanes(sums[0]);
  }

  const Stored *gradient_[rows], *x_[rows];
  Floats mean_[rows], rstd_[rows];
  const float* weight_;
  float *of_weight_, *of_bias_;
};

// The gradient of x, which may take the place of an input.
template <typename Stored>
void combine(const GradientRow<Stored>& row, const RowTotals& totals, bool centred,
             const float* weight, int64_t n, Stored* results) {
  const float mean = row.mean, own = row.rstd;
  const double share = own / static_cast<double>(n);
  const auto steady = static_cast<float>(centred ? totals.steady * share : 0.0);
  const auto sloping = static_cast<float>(totals.sloping * share);
  const auto make = [=](auto dy, auto x, auto factor) {
    return ((dy * factor) * own - steady) - ((x - mean) * own) * sloping;
  };
  make_vectors(n, results, make, row.gradient, row.x, weight);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

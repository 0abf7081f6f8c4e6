// SPDX-License-Identifier: Apache-2.0
// References of blocks of floats that follow one another.
//
// Most functions are so smooth that the polynomial of degree 5 through six values in a block gives
// the others, a hundred times as fast. Two more values tell whether that is so.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

namespace sweep {

class BlockReference {
 public:
  using Function = double (*)(double);

  BlockReference(Function function, const std::vector<float>& in) : function_(function), in_(in) {}

  void fill_each(std::vector<double>& out) const {
    out.resize(in_.size());
    std::transform(in_.begin(), in_.end(), out.begin(), function_);
  }
  // Of floats that follow one another with one exponent.
  void fill_smooth(std::vector<double>& out) {
    take_nodes();
    if (is_constant()) {
      out.assign(in_.size(), differences_[0]);
    } else if (divide_differences();
               agrees_at(in_.size() / 15) && agrees_at(in_.size() * 14 / 15)) {
      out.resize(in_.size());
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = value_at(static_cast<double>(k));
    } else {
      fill_each(out);
    }
  }

 private:
  static constexpr std::size_t kNodes = 6;

  void take_nodes() {
    for (std::size_t node = 0; node < kNodes; ++node) {
      const std::size_t k = node * (in_.size() - 1) / (kNodes - 1);
      nodes_[node] = static_cast<double>(k);
      differences_[node] = function_(in_[k]);
    }
  }
  bool is_constant() const {
    return std::all_of(differences_, differences_ + kNodes, [&](double value) {
      return std::memcmp(&value, differences_, sizeof value) == 0;
    });
  }
  // Newton's, in place of the values.
  void divide_differences() {
    for (std::size_t order = 1; order < kNodes; ++order) {
      for (std::size_t node = kNodes - 1; node >= order; --node) {
        differences_[node] =
            (differences_[node] - differences_[node - 1]) / (nodes_[node] - nodes_[node - order]);
      }
    }
  }
  bool agrees_at(std::size_t k) const {
    const double wanted = function_(in_[k]);
    return std::fabs(value_at(static_cast<double>(k)) - wanted) <= 0x1p-40 * std::fabs(wanted);
  }
  double value_at(double k) const {
    double value = differences_[kNodes - 1];
    for (std::size_t node = kNodes - 1; node-- > 0;) {
      value = value * (k - nodes_[node]) + differences_[node];
    }
    return value;
  }

  Function function_;
  const std::vector<float>& in_;
  double nodes_[kNodes] = {};
  double differences_[kNodes] = {};
};

}  // namespace sweep

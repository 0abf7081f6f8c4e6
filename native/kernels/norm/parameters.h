// SPDX-License-Identifier: Apache-2.0
// Small arrays that norms take and give: weights, means and the like, as floats.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "engines/dense.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A parameter with one float for each of n places; one that is absent is the same everywhere.
class RowParameter {
 public:
  Status take(const TensorView& view, float otherwise, int64_t n, double offset = 0);
  const float* values() const { return values_; }

 private:
  const float* values_ = nullptr;
  DenseArray given_;
  std::unique_ptr<float[]> own_;
};

// Every element of an output, which may be absent.
Status fill_with(double number, const TensorView& out);

// Two floats for each of so many rows.
struct RowStatistics {
  Status make(int64_t rows);
  // To outputs with as many elements, which may be absent.
  Status deliver_means(const TensorView& out) const;
  Status deliver_rstds(const TensorView& out) const;

  std::unique_ptr<float[]> means, rstds;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

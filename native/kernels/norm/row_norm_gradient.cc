// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>

#include "engines/line_sums.h"
#include "engines/matrix.h"
#include "engines/rows.h"
#include "kernels/norm/moments.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/row_norm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rows are added up in groups, the number of which follows from the shape.
struct Groups {
  Groups(int64_t rows, int64_t columns) {
    constexpr int64_t kMost = 64, kElements = 32768, kLeastRows = 8;
    const int64_t wanted = std::min({kMost, rows * columns / kElements, rows / kLeastRows});
    length = (rows + std::max<int64_t>(wanted, 1) - 1) / std::max<int64_t>(wanted, 1);
    count = (rows + length - 1) / length;
  }
  int64_t length, count;
};

// Of each group, the sums of gradients of weight and bias.
class ParameterSums {
 public:
  Status make(const Groups& groups, int64_t columns) {
    columns_ = columns;
    groups_ = groups.count;
    totals_.reset(new (std::nothrow) double[2 * groups_ * columns]);
    parts_.reset(new (std::nothrow) float[2 * groups_ * columns]);
    return totals_ == nullptr || parts_ == nullptr ? no_memory_for_copy() : Status{};
  }

  LineSums<float> sums(int64_t group, bool of_bias) const {
    const int64_t place = (2 * group + of_bias) * columns_;
    return LineSums<float>(columns_, parts_.get() + place, totals_.get() + place);
  }

  // Once all groups are added; those after the first are lost.
  Status deliver_to(const TensorView& out, bool of_bias) const {
    if (!out.present) return {};
    double* const first = totals_.get() + of_bias * columns_;
    for (int64_t group = 1; group < groups_; ++group) {
      const double* const other = first + 2 * group * columns_;
      for (int64_t i = 0; i < columns_; ++i) first[i] += other[i];
    }
    return deliver(first, ACL_DOUBLE, out.dtype, out);
  }

 private:
  int64_t columns_ = 0, groups_ = 0;
  std::unique_ptr<double[]> totals_;
  std::unique_ptr<float[]> parts_;
};

// The tensors of a gradient as matrices; an absent one has no rows that are asked for.
class Gradients {
 public:
  Status open(const RowNormGradient& norm) {
    const aclDataType dtype = norm.x->dtype;
    Status status;
    const auto take = [&](MatrixInput& input, const TensorView* view) {
      if (status.ok() && given(view)) status = input.open(*view, view->dtype, norm.split);
    };
    const auto give = [&](MatrixOutput& output, const TensorView* view) {
      if (status.ok() && given(view)) status = output.open(*view, dtype, norm.split);
    };
    take(gradient, norm.gradient);
    take(x, norm.x);
    take(addend, norm.addend);
    take(of_sum, norm.of_sum);
    give(of_x, norm.of_x);
    give(of_addend, norm.of_addend);
    return status;
  }

  MatrixInput gradient, x, addend, of_sum;
  MatrixOutput of_x, of_addend;
};

// Some of the tensors may be missing: their rows are those of another one, and nobody asks.
struct GradientRows {
  GradientRows(const RowNormGradient& norm, const Gradients& all)
      : gradient(all.gradient.view()),
        x(all.x.view()),
        addend(given(norm.addend) ? all.addend.view() : all.x.view()),
        of_sum(given(norm.of_sum) ? all.of_sum.view() : all.x.view()),
        of_x(given(norm.of_x) ? all.of_x.view() : all.x.view()),
        of_addend(given(norm.of_addend) ? all.of_addend.view() : all.x.view()) {}
  FloatRows gradient, x, addend, of_sum, of_x, of_addend;
};

struct Factors {
  float own;      // of g
  float steady;   // taken away everywhere
  float sloping;  // times xhat
};

Factors factors_of(bool centred, float rstd, int64_t n, const float* g, const float* xhat) {
  const double mean = centred ? lane_sum(n, g) / static_cast<double>(n) : 0.0;
  const double slope = lane_products(n, g, xhat) / static_cast<double>(n);
  return {rstd, static_cast<float>(rstd * mean), static_cast<float>(rstd * slope)};
}

// The row as it was normalised, and its gradient before the weight.
void prepare(const float* x, float mean, float rstd, const float* dy, const float* weight,
             int64_t n, float* xhat, float* g) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    xhat[i] = (x[i] - mean) * rstd;
    g[i] = dy[i] * weight[i];
  }
}

void scale_and_add(float scale, const float* x, const float* y, int64_t n, float* sums) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] = x[i] * scale + y[i];
}

void combine(const Factors& factors, const float* g, const float* xhat, int64_t n, float* results) {
  const float own = factors.own, steady = factors.steady, sloping = factors.sloping;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) results[i] = (g[i] * own - steady) - xhat[i] * sloping;
}

class Differentiation {
 public:
  explicit Differentiation(const RowNormGradient& norm) : norm_(norm) {}

  Status run() {
    Gradients all;
    Status status = all.open(norm_);
    n_ = all.x.view().shape[1];
    rows_ = all.x.view().shape[0];
    if (status.ok()) status = weight_.take(or_absent(norm_.weight), 1, n_);
    if (status.ok()) status = means_.take(or_absent(norm_.mean), 0, rows_);
    if (status.ok()) status = rstds_.take(*norm_.rstd, 0, rows_);
    const Groups groups(rows_, n_);
    if (status.ok()) status = sums_.make(groups, n_);
    if (!status.ok()) return status;
    const GradientRows rows(norm_, all);
    status = for_each_group(groups, rows);
    if (status.ok() && given(norm_.of_x)) status = all.of_x.close();
    if (status.ok() && given(norm_.of_addend)) status = all.of_addend.close();
    if (status.ok()) status = sums_.deliver_to(or_absent(norm_.of_weight), false);
    if (status.ok()) status = sums_.deliver_to(or_absent(norm_.of_bias), true);
    return status;
  }

 private:
  static constexpr int kBuffers = 5;

  Status for_each_group(const Groups& groups, const GradientRows& rows) {
    std::atomic<bool> enough_memory{true};
    parallel_for(groups.count, 1, [&](int64_t begin, int64_t end) {
      const RowBuffers buffers(n_, kBuffers);
      if (!buffers.ok()) enough_memory = false;
      for (int64_t group = begin; group < end && buffers.ok(); ++group) {
        LineSums<float> of_weight = sums_.sums(group, false), of_bias = sums_.sums(group, true);
        const int64_t last = std::min((group + 1) * groups.length, rows_);
        for (int64_t row = group * groups.length; row < last; ++row) {
          differentiate_row(rows, row, buffers, of_weight, of_bias);
        }
        of_weight.finish();
        of_bias.finish();
      }
    });
    return enough_memory ? Status{} : no_memory_for_copy();
  }

  void differentiate_row(const GradientRows& rows, int64_t row, const RowBuffers& buffers,
                         LineSums<float>& of_weight, LineSums<float>& of_bias) const {
    char* const raw = buffers.raw();
    const float* const dy = rows.gradient.read(row, buffers.row(0), raw);
    const float* x = rows.x.read(row, buffers.row(1), raw);
    float *const xhat = buffers.row(2), *const g = buffers.row(3), *const spare = buffers.row(4);
    const float rstd = rstds_.values()[row];
    if (given(norm_.addend)) {
      const float* const addend = rows.addend.read(row, spare, raw);
      scale_and_add(static_cast<float>(norm_.scale), x, addend, n_, spare);
      x = spare;
    }
    prepare(x, means_.values()[row], rstd, dy, weight_.values(), n_, xhat, g);
    if (given(norm_.of_weight)) of_weight.add(dy, xhat);
    if (given(norm_.of_bias)) of_bias.add(dy);
    if (!given(norm_.of_x)) return;
    float* const result = rows.of_x.place(row, g);
    combine(factors_of(given(norm_.mean), rstd, n_, g, xhat), g, xhat, n_, result);
    if (given(norm_.of_sum)) {
      scale_and_add(1, rows.of_sum.read(row, spare, raw), result, n_, result);
    }
    if (given(norm_.of_addend)) rows.of_addend.write(row, result, raw);
    if (norm_.scale != 1) {
      const float scale = static_cast<float>(norm_.scale);
      for (int64_t i = 0; i < n_; ++i) result[i] *= scale;
    }
    rows.of_x.write(row, result, raw);
  }

  const RowNormGradient& norm_;
  int64_t n_ = 0, rows_ = 0;
  RowParameter weight_, means_, rstds_;
  ParameterSums sums_;
};

}  // namespace

Status differentiate(const RowNormGradient& norm) { return Differentiation(norm).run(); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

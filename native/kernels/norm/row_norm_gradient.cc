// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>

#include "engines/line_sums.h"
#include "engines/matrix.h"
#include "engines/rows.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/row_gradient.h"
#include "kernels/norm/row_norm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rows are added up in groups, the number of which follows from the shape.
struct Groups {
  Groups(int64_t rows, int64_t columns) {
    constexpr int64_t kMost = 64, kElements = 16384, kLeastRows = 8;
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
    room_ = kFloatLanes + columns;
    totals_.reset(new (std::nothrow) double[2 * groups_ * columns]);
    parts_.reset(new (std::nothrow) float[2 * groups_ * room_]);
    return totals_ == nullptr || parts_ == nullptr ? no_memory_for_copy() : Status{};
  }

  LineSums<float> sums(int64_t group, bool of_bias) const {
    const int64_t place = 2 * group + of_bias;
    float* const part = parts_.get() + place * room_;
    std::fill_n(part, kFloatLanes, 0.0F);
    return LineSums<float>(columns_, part + kFloatLanes, totals_.get() + place * columns_);
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
  int64_t room_ = 0;  // of a group's floats, see RowsSums
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

void scale_and_add(float scale, const float* x, const float* y, int64_t n, float* sums) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] = x[i] * scale + y[i];
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
    switch (dtype_of_rows(all)) {
      case ACL_FLOAT16:
        status = for_each_group<Half>(groups, rows);
        break;
      case ACL_BF16:
        status = for_each_group<BFloat16>(groups, rows);
        break;
      default:
        status = for_each_group<float>(groups, rows);
    }
    if (status.ok() && given(norm_.of_x)) status = all.of_x.close();
    if (status.ok() && given(norm_.of_addend)) status = all.of_addend.close();
    if (status.ok()) status = sums_.deliver_to(or_absent(norm_.of_weight), false);
    if (status.ok()) status = sums_.deliver_to(or_absent(norm_.of_bias), true);
    return status;
  }

 private:
  static constexpr int kTogether = 4;  // rows
  static constexpr int kSpare = 2 * kTogether, kBuffers = kSpare + 1;

  // Of 16 bits where rows are computed as they are stored; else they are floats.
  aclDataType dtype_of_rows(const Gradients& all) const {
    const aclDataType dtype = norm_.x->dtype;
    const bool one_dtype = all.gradient.view().dtype == dtype && all.x.view().dtype == dtype &&
                           (!given(norm_.of_x) || all.of_x.view().dtype == dtype);
    const bool adds = given(norm_.addend) || given(norm_.of_sum) || given(norm_.of_addend);
    return one_dtype && !adds && norm_.scale == 1 ? dtype : ACL_FLOAT;
  }

  template <typename Stored>
  Status for_each_group(const Groups& groups, const GradientRows& rows) {
    std::atomic<bool> enough_memory{true};
    parallel_for(groups.count, 1, [&](int64_t begin, int64_t end) {
      const RowBuffers buffers(n_, kBuffers);
      if (!buffers.ok()) enough_memory = false;
      for (int64_t group = begin; group < end && buffers.ok(); ++group) {
        LineSums<float> of_weight = sums_.sums(group, false), of_bias = sums_.sums(group, true);
        const int64_t last = std::min((group + 1) * groups.length, rows_);
        int64_t row = group * groups.length;
        for (; row + kTogether <= last; row += kTogether) {
          differentiate_rows<Stored, kTogether>(rows, row, buffers, of_weight, of_bias);
        }
        for (; row < last; ++row) {
          differentiate_rows<Stored, 1>(rows, row, buffers, of_weight, of_bias);
        }
        of_weight.finish();
        of_bias.finish();
      }
    });
    return enough_memory ? Status{} : no_memory_for_copy();
  }

  template <typename Stored, int count>
  void differentiate_rows(const GradientRows& rows, int64_t first, const RowBuffers& buffers,
                          LineSums<float>& of_weight, LineSums<float>& of_bias) const {
    GradientRow<Stored> row[count];
    for (int r = 0; r < count; ++r) {
      row[r] = read<Stored>(rows, first + r, buffers, 2 * r);
      row[r].mean = means_.values()[first + r];
      row[r].rstd = rstds_.values()[first + r];
    }
    RowTotals totals[count];
    const float* const weight = weight_.values();
    RowsSums<Stored, count>(row, weight, of_weight.part(), of_bias.part()).add_up(n_, totals);
    of_weight.end_lines(count);
    of_bias.end_lines(count);
    if (!given(norm_.of_x)) return;
    for (int r = 0; r < count; ++r) {
      const auto combine_to = [&](Stored* results) {
        combine(row[r], totals[r], given(norm_.mean), weight, n_, results);
      };
      float* const room = buffers.row(2 * r);
      if constexpr (std::is_same_v<Stored, float>) {
        float* const results = rows.of_x.place(first + r, room);
        combine_to(results);
        finish_row(rows, first + r, buffers, results);
      } else {
        char* const to = rows.of_x.place_stored(first + r, reinterpret_cast<char*>(room));
        combine_to(reinterpret_cast<Stored*>(to));
        rows.of_x.write_stored(first + r, to);
      }
    }
  }

  // A row's gradient, and what was normalised, where they are or in two buffers.
  template <typename Stored>
  GradientRow<Stored> read(const GradientRows& rows, int64_t row, const RowBuffers& buffers,
                           int number) const {
    float *const dy = buffers.row(number), *const x = buffers.row(number + 1);
    if constexpr (std::is_same_v<Stored, float>) {
      char* const raw = buffers.raw();
      GradientRow<float> found = {};
      found.gradient = rows.gradient.read(row, dy, raw);
      found.x = rows.x.read(row, x, raw);
      if (!given(norm_.addend)) return found;
      const float* const addend = rows.addend.read(row, buffers.row(kSpare), raw);
      scale_and_add(static_cast<float>(norm_.scale), found.x, addend, n_, x);
      found.x = x;
      return found;
    } else {
      const auto stored = [row](const FloatRows& from, float* room) {
        return reinterpret_cast<const Stored*>(
            from.read_stored(row, reinterpret_cast<char*>(room)));
      };
      return {stored(rows.gradient, dy), stored(rows.x, x), 0, 0};
    }
  }

  // What is made of the gradient of what was normalised, which is lost.
  void finish_row(const GradientRows& rows, int64_t row, const RowBuffers& buffers,
                  float* result) const {
    char* const raw = buffers.raw();
    if (given(norm_.of_sum)) {
      const float* const of_sum = rows.of_sum.read(row, buffers.row(kSpare), raw);
      scale_and_add(1, of_sum, result, n_, result);
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

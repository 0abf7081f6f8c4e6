// SPDX-License-Identifier: Apache-2.0
#include "ops/affine_grid.h"

#include "dtypes.h"
#include "engines/cast.h"
#include "engines/dense.h"
#include "engines/overlap.h"
#include "engines/row_pieces.h"
#include "engines/runs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kMost = 3;         // axes
constexpr int64_t kPiece = 256;  // positions

// Evenly spaced from -1 to 1, or the middles of as many parts.
double coordinate(int64_t i, int64_t count, bool align_corners) {
  if (!align_corners) return static_cast<double>(2 * i + 1) / static_cast<double>(count) - 1;
  return count == 1 ? 0 : static_cast<double>(2 * i) / static_cast<double>(count - 1) - 1;
}

class Grid {
 public:
  // `theta` is dense.
  Grid(const double* theta, const TensorView& out, bool align_corners)
      : theta_(theta),
        out_(out),
        dims_(out.rank - 2),
        align_corners_(align_corners),
        item_size_(data_type_bits(out.dtype) / 8),
        narrow_(find_array_cast(ACL_DOUBLE, out.dtype)) {}

  int64_t rows() const { return out_.elements() / (length() * dims_); }
  int64_t length() const { return out_.shape[dims_]; }

  void compute(int64_t row, int64_t begin, int64_t end) const {
    int64_t index[kMost] = {};  // of n and all axes but the last
    int64_t rest = row;
    for (int i = dims_ - 1; i >= 0; --i) {
      index[i] = rest % out_.shape[i];
      rest /= out_.shape[i];
    }
    for (int component = 0; component < dims_; ++component) {
      const double start = row_start(index, component), step = factor(index[0], component, 0);
      double values[kPiece];
      for (int64_t i = begin; i < end; ++i) {
        values[i - begin] = coordinate(i, length(), align_corners_) * step + start;
      }
      put(index, component, begin, end - begin, values);
    }
  }

 private:
  double factor(int64_t n, int row, int column) const {
    return theta_[(n * dims_ + row) * (dims_ + 1) + column];
  }

  // What all axes but the last one contribute.
  double row_start(const int64_t* index, int component) const {
    double sum = 0;
    for (int axis = 1; axis < dims_; ++axis) {
      const int dimension = dims_ - axis;
      sum += coordinate(index[dimension], out_.shape[dimension], align_corners_) *
             factor(index[0], component, axis);
    }
    return sum + factor(index[0], component, dims_);
  }

  void put(const int64_t* index, int component, int64_t first, int64_t count,
           const double* values) const {
    alignas(64) char results[kPiece * sizeof(double)];
    narrow_(reinterpret_cast<const char*>(values), results, count);
    int64_t place = out_.offset + first * out_.strides[dims_] + component * out_.strides[dims_ + 1];
    for (int i = 0; i < dims_; ++i) place += index[i] * out_.strides[i];
    copy_run(results, item_size_, static_cast<char*>(out_.data) + place * item_size_,
             out_.strides[dims_] * item_size_, item_size_, count);
  }

  const double* theta_;
  const TensorView& out_;
  int dims_;
  bool align_corners_;
  int64_t item_size_;
  CastArray narrow_;
};

Status affine_grid(const TensorView& theta, bool align_corners, const TensorView& out) {
  DenseArray factors;  // not widened again for every row
  const Status status = factors.take(theta, ACL_DOUBLE);
  if (!status.ok()) return status;
  const Grid grid(factors.as<double>(), out, align_corners);
  for_each_range(
      grid.rows(), grid.length(), kPiece, may_rewrite(out),
      [&](const RowRange& range) {
        for (int64_t row = range.first; row < range.last; ++row) {
          grid.compute(row, range.begin, range.end);
        }
      },
      4);
  return {};
}

}  // namespace

Status run(const AffineGridArgs& args) {
  if (args.out.empty()) return {};
  return affine_grid(args.theta, args.alignCorners, args.out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

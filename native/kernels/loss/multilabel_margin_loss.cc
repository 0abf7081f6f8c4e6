// SPDX-License-Identifier: Apache-2.0
// Margins between the classes that a row has and those that it has not.
#include "ops/multilabel_margin_loss.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "engines/dense.h"
#include "engines/rows.h"
#include "engines/sums.h"
#include "operator/index_error.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kNone = 0, kMean = 1;

// Classes up to the first negative one; those that do not exist are remembered.
int64_t mark(const int64_t* targets, int64_t classes, int64_t first, float* marks, BadIndex& bad) {
  std::fill_n(marks, classes, 0.0f);
  int64_t count = 0;
  for (; count < classes && targets[count] >= 0; ++count) {
    if (targets[count] < classes) {
      marks[targets[count]] = 1;
    } else if (bad.position < 0) {
      bad = {first + count, targets[count]};
    }
  }
  return count;
}

// The sum of all margins that are too small.
double missing(const float* x, const int64_t* targets, int64_t count, const float* marks,
               int64_t classes, float* margins) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (targets[k] >= classes) continue;
    const float bound = 1 - x[targets[k]];
    for (int64_t i = 0; i < classes; ++i) {
      const float margin = bound + x[i];
      margins[i] = marks[i] == 0 && !(margin <= 0) ? margin : 0;
    }
    sum += sum_of(margins, classes);
  }
  return sum;
}

}  // namespace

Status run(const MultilabelMarginLossArgs& args) {
  const FloatRows self(args.self), is_target(args.isTarget);
  const int64_t rows = self.rows(), classes = self.columns();
  DenseArray targets;
  Status status = targets.take(args.target, ACL_INT64);
  if (!status.ok()) return status;
  const std::unique_ptr<double[]> losses(new (std::nothrow) double[rows]);
  if (losses == nullptr) return no_memory_for_copy();
  FirstBadIndex bad;
  status = for_each_row(rows, classes, 3, [&](int64_t row, const RowBuffers& buffers) {
    const float* const x = self.read(row, buffers.row(0), buffers.raw());
    const int64_t* const own = targets.as<int64_t>() + row * classes;
    float* const marks = buffers.row(1);
    BadIndex found;
    const int64_t count = mark(own, classes, row * classes, marks, found);
    bad.add(found);
    const double sum = missing(x, own, count, marks, classes, buffers.row(2));
    losses[row] = sum / static_cast<double>(classes);
    is_target.write(row, marks, buffers.raw());
  });
  if (!status.ok()) return status;
  if (args.reduction == kNone) {
    status = deliver(losses.get(), ACL_DOUBLE, args.self.dtype, args.out);
  } else {
    const double sum = sum_of(losses.get(), rows);
    const double divisor = args.reduction == kMean ? static_cast<double>(rows) : 1;
    status = deliver_one(sum / divisor, args.self.dtype, args.out);
  }
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(args.kOperator, "target", args.target, bad.get(), classes);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

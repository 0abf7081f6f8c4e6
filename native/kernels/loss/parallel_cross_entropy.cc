// SPDX-License-Identifier: Apache-2.0
// Pieces of a cross entropy whose classes are divided among devices.
#include <cmath>
#include <memory>
#include <new>

#include "engines/dense.h"
#include "engines/rows.h"
#include "engines/sums.h"
#include "ops/cross_entropy_sum_exp_and_index_logit.h"
#include "ops/fused_cross_entropy_loss_with_max_sum.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Results of rows.
template <typename T>
class Column {
 public:
  explicit Column(int64_t rows) : memory_(new (std::nothrow) T[rows]) {}

  bool ok() const { return memory_ != nullptr; }
  T& operator[](int64_t row) const { return memory_[row]; }
  Status deliver_to(const TensorView& out, aclDataType dtype) const {
    return deliver(memory_.get(), dtype, dtype, out);
  }

 private:
  std::unique_ptr<T[]> memory_;
};

}  // namespace

Status run(const CrossEntropySumExpAndIndexLogitArgs& args) {
  const FloatRows logits(args.vocabParallelLogits), powers(args.expLogitsOut);
  const int64_t rows = logits.rows(), classes = logits.columns();
  DenseArray targets, largest;
  Status status = targets.take(args.target, ACL_INT64);
  if (status.ok()) status = largest.take(args.globalLogitsMax, ACL_FLOAT);
  if (!status.ok()) return status;
  const Column<float> predicted(rows), sums(rows);
  const Column<int32_t> offsets(rows), masks(rows);
  if (!predicted.ok() || !sums.ok() || !offsets.ok() || !masks.ok()) return no_memory_for_copy();
  status = for_each_row(rows, classes, 2, [&](int64_t row, const RowBuffers& buffers) {
    const float* const x = logits.read(row, buffers.row(0), buffers.raw());
    float* const results = buffers.row(1);
    const float most = largest.as<float>()[row];
    const int64_t target = targets.as<int64_t>()[row];
    const bool here = target >= args.vocabStartIndex && target < args.vocabEndIndex;
    const int64_t offset = here ? target - args.vocabStartIndex : 0;
    masks[row] = here ? 0 : 1;
    offsets[row] = static_cast<int32_t>(offset);
    predicted[row] = here ? x[offset] - most : 0;
    for (int64_t i = 0; i < classes; ++i) results[i] = math::exp(x[i] - most);
    sums[row] = static_cast<float>(sum_of(results, classes));
    powers.write(row, results, buffers.raw());
  });
  if (status.ok()) status = predicted.deliver_to(args.predictedLogitsOut, ACL_FLOAT);
  if (status.ok()) status = sums.deliver_to(args.sumExpLogitsOut, ACL_FLOAT);
  if (status.ok()) status = offsets.deliver_to(args.targetOffsetOut, ACL_INT32);
  return status.ok() ? masks.deliver_to(args.targetMaskOut, ACL_INT32) : status;
}

Status run(const FusedCrossEntropyLossWithMaxSumArgs& args) {
  DenseArray largest, sums, predicted;
  Status status = largest.take(args.logitsMax, ACL_FLOAT);
  if (status.ok()) status = sums.take(args.sumExpLogits, ACL_FLOAT);
  if (status.ok()) status = predicted.take(args.predictedLogits, ACL_FLOAT);
  if (!status.ok()) return status;
  const int64_t rows = args.logitsMax.elements();
  const Column<float> losses(rows);
  if (!losses.ok()) return no_memory_for_copy();
  for (int64_t i = 0; i < rows; ++i) {
    losses[i] =
        static_cast<float>(std::log(double{sums.as<float>()[i]}) - predicted.as<float>()[i]);
  }
  if (args.vocabParallelLogitsOptional.present) {
    const FloatRows logits(args.vocabParallelLogitsOptional), softmax(args.softMaxOutOptional);
    const int64_t classes = logits.columns();
    status = for_each_row(logits.rows(), classes, 2, [&](int64_t row, const RowBuffers& buffers) {
      const float* const x = logits.read(row, buffers.row(0), buffers.raw());
      float* const results = buffers.row(1);
      const float most = largest.as<float>()[row], sum = sums.as<float>()[row];
      for (int64_t i = 0; i < classes; ++i) results[i] = math::exp(x[i] - most) / sum;
      softmax.write(row, results, buffers.raw());
    });
  }
  return status.ok() ? losses.deliver_to(args.lossOut, ACL_FLOAT) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

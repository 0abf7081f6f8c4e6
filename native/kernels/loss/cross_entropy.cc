// SPDX-License-Identifier: Apache-2.0
// Cross entropy of rows of logits: with a class or with probabilities for each row.
#include <cstring>
#include <memory>
#include <new>

#include "engines/dense.h"
#include "engines/rows.h"
#include "engines/sums.h"
#include "kernels/creation/fill.h"
#include "kernels/loss/targets.h"
#include "kernels/softmax/row_softmax.h"
#include "ops/cross_entropy_loss.h"
#include "ops/cross_entropy_loss_grad.h"
#include "ops/softmax_cross_entropy_with_logits.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

enum class Reduction { kNone, kMean, kSum };

// Nothing stands for the mean.
Reduction reduction_of(const char* word) {
  if (word != nullptr && std::strcmp(word, "none") == 0) return Reduction::kNone;
  return word != nullptr && std::strcmp(word, "sum") == 0 ? Reduction::kSum : Reduction::kMean;
}

// The sum of values weighted by class.
double weigh(const Targets& targets, const float* values, int64_t n, float* products) {
  for (int64_t i = 0; i < n; ++i) products[i] = values[i] * targets.weight(i);
  return sum_of(products, n);
}

// The loss and the weight of each row.
struct RowLosses {
  explicit RowLosses(int64_t rows)
      : memory(new (std::nothrow) double[2 * rows + 1]),
        losses(memory.get()),
        weights(memory.get() + rows) {}

  std::unique_ptr<double[]> memory;
  double* losses;
  double* weights;
};

Status deliver_loss(const RowLosses& found, int64_t rows, Reduction reduction,
                    const TensorView& out) {
  if (reduction == Reduction::kNone) return deliver(found.losses, ACL_DOUBLE, out.dtype, out);
  const double sum = sum_of(found.losses, rows);
  const double divisor = reduction == Reduction::kMean ? sum_of(found.weights, rows) : 1;
  return deliver_one(sum / divisor, out.dtype, out);
}

// What the loss of a row is made of, with a mean divided by the weight of all rows.
struct Slopes {
  double picked;    // of the target's class
  double smoothed;  // of every class, times its weight
};

Slopes slopes_of(float gradient, float smoothing, int64_t classes, double divisor) {
  const double each = gradient / divisor;
  return {each * (1 - double{smoothing}), each * smoothing / static_cast<double>(classes)};
}

// For the target's class exp(x) - 1, in one function or in double: differences would cancel.
void row_gradient(const float* x, const Targets& targets, int64_t number, const Slopes& slopes,
                  int64_t classes, double weight_of_classes, float* results) {
  const double picked = slopes.picked * targets.weight(number);
  if (slopes.smoothed == 0) {
    const auto factor = static_cast<float>(picked);
    for (int64_t i = 0; i < classes; ++i) results[i] = math::exp(x[i]) * factor;
    results[number] = math::expm1(x[number]) * factor;
    return;
  }
  const double all = picked + slopes.smoothed * weight_of_classes;
  const auto slope = [&](int64_t i, double own) {
    return static_cast<float>(math::exp(double{x[i]}) * all - own);
  };
  for (int64_t i = 0; i < classes; ++i) {
    results[i] = slope(i, slopes.smoothed * targets.weight(i));
  }
  results[number] = slope(number, slopes.smoothed * targets.weight(number) + picked);
}

double sum_of_weights(const Targets& targets, int64_t classes) {
  double sum = 0;
  for (int64_t i = 0; i < classes; ++i) sum += targets.weight(i);
  return sum;
}

double weight_of_rows(const Targets& targets, int64_t rows, FirstBadIndex& bad) {
  constexpr int64_t kPart = 4096;
  double total = 0;
  float weights[kPart];
  for (int64_t begin = 0; begin < rows; begin += kPart) {
    const int64_t count = std::min(kPart, rows - begin);
    for (int64_t i = 0; i < count; ++i) {
      const bool counts = targets.counts(begin + i, bad);
      weights[i] = counts ? targets.weight(targets.of(begin + i)) : 0;
    }
    total += sum_of(weights, count);
  }
  return total;
}

TensorView broadcast_to(const TensorView& view, const TensorView& like) {
  TensorView whole = view;
  for (int i = 0; i < like.rank; ++i) {
    if (view.shape[i] == 1) whole.strides[i] = 0;
    whole.shape[i] = like.shape[i];
  }
  return whole;
}

}  // namespace

Status run(const CrossEntropyLossArgs& args) {
  const FloatRows input(args.input), log_probabilities(args.logProbOut);
  const int64_t classes = input.columns();
  const auto smoothing = static_cast<float>(args.labelSmoothing);
  Targets targets;
  Status status = targets.take(args.target, args.weightOptional, classes, args.ignoreIndex);
  if (!status.ok()) return status;
  const RowLosses found(input.rows());
  if (found.memory == nullptr) return no_memory_for_copy();
  FirstBadIndex bad;
  status = for_each_row(input.rows(), classes, 3, [&](int64_t row, const RowBuffers& buffers) {
    const float* x = input.read(row, buffers.row(0), buffers.raw());
    float* const results = log_probabilities.place(row, buffers.row(1));
    log_softmax(x, classes, results);
    found.losses[row] = found.weights[row] = 0;
    if (targets.counts(row, bad)) {
      const int64_t number = targets.of(row);
      const float weight = targets.weight(number);
      const double picked = -double{results[number]} * weight;
      found.weights[row] = weight;
      found.losses[row] = picked;
      if (smoothing != 0) {
        const double all = -weigh(targets, results, classes, buffers.row(2));
        const double share = smoothing / static_cast<double>(classes);
        found.losses[row] = (1 - smoothing) * picked + share * all;
      }
    }
    log_probabilities.write(row, results, buffers.raw());
  });
  for (const TensorView* unused : {&args.zlossOut, &args.lseForZlossOut}) {
    if (status.ok()) status = fill_with_zero(*unused);
  }
  if (!status.ok()) return status;
  status = deliver_loss(found, input.rows(), reduction_of(args.reductionOptional), args.lossOut);
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(args.kOperator, "target", args.target, bad.get(), classes);
}

Status run(const CrossEntropyLossGradArgs& args) {
  const FloatRows input(args.logProb), out(args.out);
  const int64_t classes = input.columns(), rows = input.rows();
  const auto smoothing = static_cast<float>(args.labelSmoothing);
  const Reduction reduction = reduction_of(args.reductionOptional);
  Targets targets;
  DenseArray gradients;
  Status status = targets.take(args.target, args.weightOptional, classes, args.ignoreIndex);
  if (status.ok()) status = gradients.take(args.gradLoss, ACL_FLOAT);
  if (!status.ok()) return status;
  FirstBadIndex bad;
  const bool mean = reduction == Reduction::kMean;
  const double divisor = mean ? weight_of_rows(targets, rows, bad) : 1;
  const int64_t step = reduction == Reduction::kNone ? 1 : 0;
  const double all = smoothing == 0 ? 0 : sum_of_weights(targets, classes);
  status = for_each_row(rows, classes, 2, [&](int64_t row, const RowBuffers& buffers) {
    const float* x = input.read(row, buffers.row(0), buffers.raw());
    float* const results = out.place(row, buffers.row(1));
    if (targets.counts(row, bad)) {
      const float gradient = gradients.as<float>()[row * step];
      const Slopes slopes = slopes_of(gradient, smoothing, classes, divisor);
      row_gradient(x, targets, targets.of(row), slopes, classes, all, results);
    } else {
      std::fill_n(results, classes, 0.0f);
    }
    out.write(row, results, buffers.raw());
  });
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(args.kOperator, "target", args.target, bad.get(), classes);
}

Status run(const SoftmaxCrossEntropyWithLogitsArgs& args) {
  const FloatRows features(args.features), labels(broadcast_to(args.labels, args.features));
  const FloatRows gradients(args.backprop);
  const int64_t classes = features.columns();
  const RowLosses found(features.rows());
  if (found.memory == nullptr) return no_memory_for_copy();
  const auto body = [&](int64_t row, const RowBuffers& buffers) {
    const float* x = features.read(row, buffers.row(0), buffers.raw());
    const float* y = labels.read(row, buffers.row(1), buffers.raw());
    float* const results = gradients.place(row, buffers.row(2));
    float* const products = buffers.row(3);
    const RowSoftmax<float> softmax(x, classes, results);
    const float most = softmax.largest, log_sum = softmax.log_sum();
    for (int64_t i = 0; i < classes; ++i) products[i] = ((x[i] - most) - log_sum) * y[i];
    found.losses[row] = -sum_of(products, classes);
    const auto share = static_cast<float>(1 / softmax.sum);
    for (int64_t i = 0; i < classes; ++i) results[i] = results[i] * share - y[i];
    gradients.write(row, results, buffers.raw());
  };
  Status status = for_each_row(features.rows(), classes, 4, body);
  return status.ok() ? deliver(found.losses, ACL_DOUBLE, args.loss.dtype, args.loss) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Norms of groups of an image's channels.
#include "ops/group_norm.h"

#include <cmath>
#include <new>

#include "engines/sum_reducers.h"
#include "kernels/norm/affine.h"
#include "kernels/norm/channel_norm.h"
#include "kernels/norm/channel_tensors.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/row_norm.h"
#include "ops/group_norm_backward.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void swish(float slope, int64_t n, float* y) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] *= math::sigmoid(slope * y[i]);
}

// The sums of each image's channels, which add up to the gradients of weight and bias.
class ChannelSums {
 public:
  Status make(const Channels& shape) {
    shape_ = shape;
    memory_.reset(new (std::nothrow) double[2 * shape.images * shape.channels]);
    return memory_ == nullptr ? no_memory_for_copy() : Status{};
  }
  double* of(int64_t plane) const { return memory_.get() + 2 * plane; }

  Status deliver_to(const TensorView* out, int which) const {
    if (!given(out)) return {};
    const std::unique_ptr<double[]> totals(new (std::nothrow) double[shape_.channels]);
    if (totals == nullptr) return no_memory_for_copy();
    for (int64_t c = 0; c < shape_.channels; ++c) {
      totals[c] = 0;
      for (int64_t i = 0; i < shape_.images; ++i) totals[c] += of(i * shape_.channels + c)[which];
    }
    return deliver(totals.get(), ACL_DOUBLE, out->dtype, *out);
  }

 private:
  Channels shape_;
  std::unique_ptr<double[]> memory_;
};

}  // namespace

Status normalize(const GroupNorm& norm) {
  const Channels& shape = norm.shape;
  const int64_t own = shape.channels / norm.groups, n = own * shape.pixels;
  DenseRowsIn x;
  DenseRowsOut y;
  RowParameter weight, bias;
  RowStatistics statistics;
  Status status = x.open(*norm.x, n);
  if (status.ok()) status = y.open(*norm.y, norm.x->dtype, n);
  if (status.ok()) status = weight.take(or_absent(norm.weight), 1, shape.channels);
  if (status.ok()) status = bias.take(or_absent(norm.bias), 0, shape.channels);
  const int64_t rows = shape.images * norm.groups;
  if (status.ok()) status = statistics.make(rows);
  if (!status.ok()) return status;
  const FloatRows inputs = x.rows(), outputs = y.rows();
  status = for_each_row(rows, n, 2, [&](int64_t row, const RowBuffers& buffers) {
    const float* const values = inputs.read(row, buffers.row(0), buffers.raw());
    float* const results = outputs.place(row, buffers.row(1));
    const Mean mean(lane_sum(n, values) / static_cast<double>(n));
    const double variance = squares_around(mean, n, values) / static_cast<double>(n);
    const float rstd = inverse_root(variance, norm.epsilon);
    statistics.means[row] = mean.high;
    statistics.rstds[row] = norm.gives_variance ? static_cast<float>(variance) : rstd;
    for (int64_t k = 0; k < own; ++k) {
      const int64_t channel = row % norm.groups * own + k, at = k * shape.pixels;
      scale<Same>(values + at, {mean.high}, {mean.low}, {rstd * weight.values()[channel]},
                  {bias.values()[channel]}, shape.pixels, results + at);
    }
    if (norm.swish != 0) swish(static_cast<float>(norm.swish), n, results);
    outputs.write(row, results, buffers.raw());
  });
  if (status.ok()) status = y.close();
  if (status.ok()) status = statistics.deliver_means(or_absent(norm.mean));
  if (status.ok()) status = statistics.deliver_rstds(or_absent(norm.rstd));
  return status;
}

Status differentiate(const GroupNormGradient& norm) {
  const Channels& shape = norm.shape;
  const int64_t own = shape.channels / norm.groups, pixels = shape.pixels, n = own * pixels;
  DenseRowsIn gradient, x;
  DenseRowsOut result;
  RowParameter weight, means, rstds;
  ChannelSums sums;
  const int64_t rows = shape.images * norm.groups;
  Status status = gradient.open(*norm.gradient, n);
  if (status.ok()) status = x.open(*norm.x, n);
  if (status.ok() && given(norm.of_x)) status = result.open(*norm.of_x, norm.x->dtype, n);
  if (status.ok()) status = weight.take(or_absent(norm.weight), 1, shape.channels);
  if (status.ok()) status = means.take(*norm.mean, 0, rows);
  if (status.ok()) status = rstds.take(*norm.rstd, 0, rows);
  if (status.ok()) status = sums.make(shape);
  if (!status.ok()) return status;
  const FloatRows gradients = gradient.rows(), inputs = x.rows();
  const FloatRows results = given(norm.of_x) ? result.rows() : inputs;
  status = for_each_row(rows, n, 5, [&](int64_t row, const RowBuffers& buffers) {
    const float* const dy = gradients.read(row, buffers.row(0), buffers.raw());
    const float* const values = inputs.read(row, buffers.row(1), buffers.raw());
    float* const xhat = buffers.row(2);
    const float mean = means.values()[row], rstd = rstds.values()[row];
    const float* const weights = weight.values() + row % norm.groups * own;
    float* const products = buffers.row(4);
    offsets<Same>(values, {mean}, {rstd}, n, xhat);
    multiply(dy, xhat, n, products);
    double steady = 0, sloping = 0;
    for (int64_t k = 0; k < own; ++k) {
      double* const both = sums.of(row * own + k);
      both[0] = reducers::sum_of_array(products + k * pixels, pixels);
      both[1] = reducers::sum_of_array(dy + k * pixels, pixels);
      if (std::isinf(weights[k])) {  // infinities of both signs cancel: no common factor
        for (int64_t at = k * pixels; at < (k + 1) * pixels; ++at) {
          const double weighted = static_cast<double>(dy[at]) * weights[k];
          sloping += weighted * xhat[at];
          steady += weighted;
        }
        continue;
      }
      sloping += both[0] * weights[k];
      steady += both[1] * weights[k];
    }
    if (!given(norm.of_x)) return;
    const double share = rstd / static_cast<double>(n);
    float* const to = results.place(row, buffers.row(3));
    for (int64_t k = 0; k < own; ++k) {
      const int64_t at = k * pixels;
      combine<Same>(dy + at, xhat + at, {rstd * weights[k]}, {static_cast<float>(steady * share)},
                    {static_cast<float>(sloping * share)}, pixels, to + at);
    }
    results.write(row, to, buffers.raw());
  });
  if (status.ok() && given(norm.of_x)) status = result.close();
  if (status.ok()) status = sums.deliver_to(norm.of_weight, 0);
  if (status.ok()) status = sums.deliver_to(norm.of_bias, 1);
  return status;
}

Status run(const GroupNormArgs& args) {
  if (args.self.empty()) {
    const Status status = fill_with(0, args.meanOut);
    return status.ok() ? fill_with(std::nan(""), args.rstdOut) : status;
  }
  GroupNorm norm;
  norm.shape = {args.N, args.C, args.HxW};
  norm.groups = args.group;
  norm.epsilon = args.eps;
  norm.x = &args.self;
  norm.weight = &args.gamma;
  norm.bias = &args.beta;
  norm.y = &args.out;
  norm.mean = &args.meanOut;
  norm.rstd = &args.rstdOut;
  return normalize(norm);
}

Status run(const GroupNormBackwardArgs& args) {
  GroupNormGradient norm;
  norm.shape = {args.N, args.C, args.HxW};
  norm.groups = args.group;
  norm.gradient = &args.gradOut;
  norm.x = &args.input;
  norm.mean = &args.mean;
  norm.rstd = &args.rstd;
  norm.weight = &args.gamma;
  norm.of_x = wanted(args.outputMask, 0, args.gradInput);
  norm.of_weight = wanted(args.outputMask, 1, args.gradGammaOut);
  norm.of_bias = wanted(args.outputMask, 2, args.gradBetaOut);
  if (!args.input.empty()) return differentiate(norm);
  const Status status = fill_with(0, or_absent(norm.of_weight));
  return status.ok() ? fill_with(0, or_absent(norm.of_bias)) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

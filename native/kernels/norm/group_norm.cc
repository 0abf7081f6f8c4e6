// SPDX-License-Identifier: Apache-2.0
// Norms of groups of an image's channels.
#include "ops/group_norm.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "engines/stored_rows.h"
#include "kernels/norm/affine.h"
#include "kernels/norm/channel_norm.h"
#include "kernels/norm/channel_tensors.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/plane_sums.h"
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

// Calls body(channel, at, count) for what a piece has of each channel, from its place `at` on.
template <typename Body>
void for_each_channel(Range piece, int64_t pixels, const Body& body) {
  int64_t channel = piece.begin / pixels, left = (channel + 1) * pixels - piece.begin;
  for (int64_t at = 0, count; at < piece.count; at += count, left = pixels) {
    count = std::min(left, piece.count - at);
    body(channel++, at, count);
  }
}

// A row's channels, their gradients, and what they were normalised with.
template <typename Stored>
struct RowChannels {
  const Stored *gradient, *x;
  int64_t count, pixels;
  float mean, rstd;
  const float* weights;
};

// Leaves the sums of each channel, those times what was normalised first.
template <typename Stored>
PlaneTotals add_up(const RowChannels<Stored>& row, double* sums) {
  const float mean = row.mean, rstd = row.rstd;
  PlaneTotals totals;  // of weighted gradients
  for (int64_t k = 0; k < row.count; ++k) {
    const Stored *const dy = row.gradient + k * row.pixels, *const x = row.x + k * row.pixels;
    const double weight = row.weights[k];
    const PlaneTotals own = PlaneSums<Stored>(dy, x, row.pixels, mean, rstd).totals();
    sums[2 * k] = own.sloping;
    sums[2 * k + 1] = own.steady;
    if (!std::isinf(weight)) {
      totals.sloping += sums[2 * k] * weight;
      totals.steady += sums[2 * k + 1] * weight;
      continue;
    }
    for (int64_t i = 0; i < row.pixels; ++i) {  // infinities of both signs cancel: no factor
      const double weighted = double{widen(dy[i])} * weight;
      totals.sloping += weighted * ((widen(x[i]) - mean) * rstd);
      totals.steady += weighted;
    }
  }
  return totals;
}

// The gradient of x, which may take its place; of n elements.
template <typename Stored>
void combine_channels(const RowChannels<Stored>& row, const PlaneTotals& totals, Stored* results) {
  const float mean = row.mean, rstd = row.rstd;
  const double share = rstd / static_cast<double>(row.count * row.pixels);
  const auto steady = static_cast<float>(totals.steady * share);
  const auto sloping = static_cast<float>(totals.sloping * share);
  for (int64_t k = 0; k < row.count; ++k) {
    const int64_t at = k * row.pixels;
    const float own = rstd * row.weights[k];
    const auto make = [=](auto dy, auto x) {
      return (dy * own - steady) - ((x - mean) * rstd) * sloping;
    };
    make_vectors(row.pixels, results + at, make, row.gradient + at, row.x + at);
  }
}

// A row of 16-bit floats: y = (x - mean) * rstd * weight + bias, and what a swish makes of it.
template <typename Stored>
RowMoments normalize_stored(const GroupNorm& norm, const char* from, int64_t channels,
                            const float* weights, const float* biases, char* to) {
  const int64_t pixels = norm.shape.pixels;
  const Stored* const x = reinterpret_cast<const Stored*>(from);
  const RowMoments found(x, channels * pixels);
  const float high = found.mean.high, low = found.mean.low;
  const float rstd = inverse_root(found.variance, norm.epsilon);
  const auto slope = static_cast<float>(norm.swish);
  for (int64_t k = 0; k < channels; ++k) {
    const float factor = rstd * weights[k], bias = biases[k];
    const Stored* const plane = x + k * pixels;
    Stored* const results = reinterpret_cast<Stored*>(to) + k * pixels;
    if (slope == 0) {
      const auto make = [=](auto each) { return ((each - high) - low) * factor + bias; };
      make_vectors(pixels, results, make, plane);
      continue;
    }
    make_chunks<1>(&plane, pixels, results, [&](int64_t, int64_t, const auto& values, float* made) {
      scale<Same>(values[0], {high}, {low}, {factor}, {bias}, kStoredChunk, made);
      swish(slope, kStoredChunk, made);
    });
  }
  return found;
}

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
  // Of channels of few pixels, chunks would be more than what a swish is made of.
  const bool too_short = norm.swish != 0 && shape.pixels < 4 * kStoredChunk;
  const auto normalize_as_stored = too_short                      ? nullptr
                                   : norm.x->dtype == ACL_FLOAT16 ? normalize_stored<Half>
                                   : norm.x->dtype == ACL_BF16    ? normalize_stored<BFloat16>
                                                                  : nullptr;
  const auto body = [&](int64_t row, const RowBuffers& buffers) {
    const int64_t first = row % norm.groups * own;
    const auto keep = [&](const RowMoments& found, float rstd) {
      statistics.means[row] = found.mean.high;
      statistics.rstds[row] = norm.gives_variance ? static_cast<float>(found.variance) : rstd;
    };
    if (normalize_as_stored != nullptr) {
      const RowMoments found =
          normalize_as_stored(norm, inputs.read_stored(row, nullptr), own, weight.values() + first,
                              bias.values() + first, outputs.place_stored(row, nullptr));
      return keep(found, inverse_root(found.variance, norm.epsilon));
    }
    RowInput<float> values(inputs, row, buffers.row(0), buffers.raw());
    const RowOutput<float> results(outputs, row, buffers.row(1), buffers.raw());
    const RowMoments found(values, n);
    const float rstd = inverse_root(found.variance, norm.epsilon);
    keep(found, rstd);
    for_each_piece(n, [&](Range piece) {
      const float* const from = values.read(piece);
      float* const to = results.place(piece);
      for_each_channel(piece, shape.pixels, [&](int64_t k, int64_t at, int64_t count) {
        scale<Same>(from + at, {found.mean.high}, {found.mean.low},
                    {rstd * weight.values()[first + k]}, {bias.values()[first + k]}, count,
                    to + at);
      });
      if (norm.swish != 0) swish(static_cast<float>(norm.swish), piece.count, to);
      results.write(piece);
    });
  };
  status = for_each_row(rows, std::min(n, kRowPiece), 2, body, n);
  if (status.ok()) status = y.close();
  if (status.ok()) status = statistics.deliver_means(or_absent(norm.mean));
  if (status.ok()) status = statistics.deliver_rstds(or_absent(norm.rstd));
  return status;
}

namespace {

template <typename Stored>
Status differentiate_as(const GroupNormGradient& norm) {
  const Channels& shape = norm.shape;
  const int64_t own = shape.channels / norm.groups, n = own * shape.pixels;
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
  const auto body = [&](int64_t row, const RowBuffers& buffers) {
    const auto stored = [&](const FloatRows& from, int number) {
      char* const room = reinterpret_cast<char*>(buffers.row(number));
      return reinterpret_cast<const Stored*>(from.read_stored(row, room));
    };
    const RowChannels<Stored> channels = {stored(gradients, 0),
                                          stored(inputs, 1),
                                          own,
                                          shape.pixels,
                                          means.values()[row],
                                          rstds.values()[row],
                                          weight.values() + row % norm.groups * own};
    const PlaneTotals totals = add_up(channels, sums.of(row * own));
    if (!given(norm.of_x)) return;
    char* const to = results.place_stored(row, buffers.raw());
    combine_channels(channels, totals, reinterpret_cast<Stored*>(to));
    results.write_stored(row, to);
  };
  status = for_each_row(rows, n, 2, body);
  if (status.ok() && given(norm.of_x)) status = result.close();
  if (status.ok()) status = sums.deliver_to(norm.of_weight, 0);
  if (status.ok()) status = sums.deliver_to(norm.of_bias, 1);
  return status;
}

}  // namespace

Status differentiate(const GroupNormGradient& norm) {
  switch (norm.x->dtype) {
    case ACL_FLOAT16:
      return differentiate_as<Half>(norm);
    case ACL_BF16:
      return differentiate_as<BFloat16>(norm);
    default:
      return differentiate_as<float>(norm);
  }
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

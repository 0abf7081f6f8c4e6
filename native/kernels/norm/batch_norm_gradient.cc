// SPDX-License-Identifier: Apache-2.0
// Gradients of norms of channels over a batch of images.
#include <memory>
#include <new>

#include "engines/stored_rows.h"
#include "kernels/norm/channel_blocks.h"
#include "kernels/norm/channel_tensors.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/plane_sums.h"
#include "kernels/norm/row_norm.h"
#include "ops/batch_norm_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

class BatchDifferentiation {
 public:
  explicit BatchDifferentiation(const BatchNormGradient& norm) : norm_(norm), blocks_(norm.shape) {}

  Status run() {
    const int64_t channels = norm_.shape.channels, line = channels * norm_.shape.pixels;
    DenseRowsIn gradient, x;
    DenseRowsOut result;
    Status status = gradient.open(*norm_.gradient, line);
    if (status.ok()) status = x.open(*norm_.x, line);
    if (status.ok() && given(norm_.of_x)) status = result.open(*norm_.of_x, norm_.x->dtype, line);
    if (status.ok()) status = weight_.take(or_absent(norm_.weight), 1, channels);
    if (!status.ok()) return status;
    totals_.reset(new (std::nothrow) double[2 * channels]);
    if (totals_ == nullptr) return no_memory_for_copy();
    const FloatRows gradients = gradient.rows(), inputs = x.rows();
    const FloatRows results = given(norm_.of_x) ? result.rows() : inputs;
    direct_ = gradients.direct() && inputs.direct() && results.direct();
    const int64_t width = blocks_.channels * norm_.shape.pixels;
    const int64_t room = std::min(width, kRowPiece);
    const aclDataType dtype = norm_.x->dtype;
    const auto as_stored =
        blocks_.channels > 1 || norm_.gradient->dtype != dtype ? nullptr
        : dtype == ACL_FLOAT16 ? &BatchDifferentiation::differentiate_channel<Half>
        : dtype == ACL_BF16    ? &BatchDifferentiation::differentiate_channel<BFloat16>
                               : nullptr;
    const auto body = [&](int64_t number, const RowBuffers& buffers) {
      if (as_stored != nullptr) return (this->*as_stored)(number, gradients, inputs, results);
      const ChannelBlock block(norm_.shape, blocks_, number);
      const Images dy(gradients, block), values(inputs, block);
      add_up(block, dy, values, buffers);
      if (given(norm_.of_x)) spread(block, dy, values, Images(results, block), buffers);
    };
    status = for_each_row(blocks_.count, room, 3, body, width * norm_.shape.images);
    if (status.ok() && given(norm_.of_x)) status = result.close();
    if (status.ok()) status = deliver_to(norm_.of_weight, 0);
    return status.ok() ? deliver_to(norm_.of_bias, channels) : status;
  }

 private:
  // What is taken away from the gradient times a factor.
  struct ChannelShares {
    float factor, steady, sloping;
  };
  ChannelShares shares_of(int64_t channel) const {
    const float factor = norm_.rstd[channel] * weight_.values()[channel];
    const double share = factor / static_cast<double>(norm_.shape.images * norm_.shape.pixels);
    const double steady = totals_[norm_.shape.channels + channel] * share;
    return {factor, norm_.training ? static_cast<float>(steady) : 0,
            static_cast<float>(totals_[channel] * share)};
  }

  // A channel of 16-bit floats, where they are stored.
  template <typename Stored>
  void differentiate_channel(int64_t channel, const FloatRows& gradient, const FloatRows& x,
                             const FloatRows& result) const {
    const int64_t images = norm_.shape.images, pixels = norm_.shape.pixels;
    const float mean = norm_.mean[channel], rstd = norm_.rstd[channel];
    const auto plane = [&](const FloatRows& rows, int64_t image) {
      return reinterpret_cast<const Stored*>(rows.read_stored(image, nullptr)) + channel * pixels;
    };
    PlaneTotals sums;
    for (int64_t i = 0; i < images; ++i) {
      const PlaneTotals own =
          PlaneSums<Stored>(plane(gradient, i), plane(x, i), pixels, mean, rstd).totals();
      sums.steady += own.steady;
      sums.sloping += own.sloping;
    }
    totals_[channel] = sums.sloping;
    totals_[norm_.shape.channels + channel] = sums.steady;
    if (!given(norm_.of_x)) return;
    const auto [factor, steady, sloping] = shares_of(channel);
    for (int64_t i = 0; i < images; ++i) {
      auto* const to =
          reinterpret_cast<Stored*>(result.place_stored(i, nullptr)) + channel * pixels;
      if (norm_.training) {
        const auto make = [=, factor = factor, steady = steady, sloping = sloping](auto dy,
                                                                                   auto each) {
          return (dy * factor - steady) - ((each - mean) * rstd) * sloping;
        };
        make_vectors(pixels, to, make, plane(gradient, i), plane(x, i));
      } else {
        const auto make = [factor = factor](auto dy) { return dy * factor; };
        make_vectors(pixels, to, make, plane(gradient, i));
      }
    }
  }

  // Several channels of some images at once, if nothing is converted.
  static constexpr int kLines = 4;
  bool in_lines(const ChannelBlock& block) const { return block.channels > 1 && direct_; }

  void load(const ChannelBlock& block, Spread& mean, Spread& rstd) const {
    for (int64_t k = 0; k < block.channels; ++k) {
      mean.set(k, norm_.mean[block.first + k]);
      rstd.set(k, norm_.rstd[block.first + k]);
    }
  }

  // The sums of gradients, and of those times what was normalised.
  void add_up(const ChannelBlock& block, const Images& gradient, const Images& x,
              const RowBuffers& buffers) const {
    Spread mean(block), rstd(block);
    load(block, mean, rstd);
    ChannelTotals steady(block), sloping(block);
    const float one_mean = mean.same().value, one_rstd = rstd.same().value;
    const Each means = mean.each(), rstds = rstd.each();
    int64_t done = 0;
    for (; in_lines(block) && done + kLines <= norm_.shape.images; done += kLines) {
      float *dy[kLines], *values[kLines];
      gradient.find(done, dy);
      x.find(done, values);
      add_lines<kLines>(dy, values, means, rstds, block.width, steady.lines().part(),
                        sloping.lines().part());
      steady.lines().end_lines(kLines);
      sloping.lines().end_lines(kLines);
    }
    const auto add = [&](int64_t image, Range piece) {
      const float* const dy = gradient.read(image, piece, buffers.row(0), buffers.raw());
      const float* const values = x.read(image, piece, buffers.row(1), buffers.raw());
      steady.add([dy](int64_t i) { return dy[i]; }, [&] { return lane_total(piece.count, dy); });
      sloping.add([=](int64_t i) { return dy[i] * ((values[i] - means[i]) * rstds[i]); },
                  [&] { return lane_slopes(piece.count, dy, values, one_mean, one_rstd); });
    };
    block.visit(add, done);
    for (int64_t k = 0; k < block.channels; ++k) {
      totals_[block.first + k] = sloping.of(k);
      totals_[norm_.shape.channels + block.first + k] = steady.of(k);
    }
  }

  void spread(const ChannelBlock& block, const Images& gradient, const Images& x,
              const Images& result, const RowBuffers& buffers) const {
    Spread mean(block), rstd(block), own(block), steady(block), sloping(block);
    load(block, mean, rstd);
    for (int64_t k = 0; k < block.channels; ++k) {
      const ChannelShares shares = shares_of(block.first + k);
      own.set(k, shares.factor);
      sloping.set(k, shares.sloping);
      steady.set(k, shares.steady);
    }
    int64_t done = 0;
    const bool together = in_lines(block) && norm_.training;
    for (; together && done + kLines <= norm_.shape.images; done += kLines) {
      float *dy[kLines], *values[kLines], *results[kLines];
      gradient.find(done, dy);
      x.find(done, values);
      result.find(done, results);
      combine_lines<kLines>(dy, values,
                            {mean.each(), rstd.each(), own.each(), steady.each(), sloping.each()},
                            block.width, results);
    }
    const auto make = [&](int64_t image, Range piece) {
      const float* const dy = gradient.read(image, piece, buffers.row(0), buffers.raw());
      float* const results = result.place(image, piece, buffers.row(2));
      with_numbers(block, [&](auto number) {
        const auto factor = number(own), shift = number(steady);
        if (!norm_.training) return scale(dy, shift, shift, factor, shift, piece.count, results);
        const float* const values = x.read(image, piece, buffers.row(1), buffers.raw());
        const Shares<decltype(factor)> shares = {number(mean), number(rstd), factor, shift,
                                                 number(sloping)};
        combine(dy, values, shares, piece.count, results);
      });
      result.write(image, piece, results, buffers.raw());
    };
    block.visit(make, done);
  }

  Status deliver_to(const TensorView* out, int64_t first) const {
    return given(out) ? deliver(totals_.get() + first, ACL_DOUBLE, out->dtype, *out) : Status{};
  }

  const BatchNormGradient& norm_;
  const ChannelBlocks blocks_;
  bool direct_ = false;
  RowParameter weight_;
  std::unique_ptr<double[]> totals_;
};

}  // namespace

Status differentiate(const BatchNormGradient& norm) { return BatchDifferentiation(norm).run(); }

Status run(const BatchNormBackwardArgs& args) {
  BatchNormGradient norm;
  norm.shape = channels_of(args.input);
  norm.training = args.training;
  norm.gradient = &args.gradOut;
  norm.x = &args.input;
  norm.weight = &args.weight;
  norm.of_x = wanted(args.outputMask, 0, args.gradInput);
  norm.of_weight = wanted(args.outputMask, 1, args.gradWeight);
  norm.of_bias = wanted(args.outputMask, 2, args.gradBias);
  const int64_t channels = norm.shape.channels;
  RowParameter mean, second;
  Status status = mean.take(args.training ? args.saveMean : args.runningMean, 0, channels);
  if (status.ok()) {
    status = second.take(args.training ? args.saveInvstd : args.runningVar, 1, channels);
  }
  if (!status.ok()) return status;
  RowStatistics statistics;
  status = statistics.make(channels);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < channels; ++i) {
    const float value = second.values()[i];
    statistics.rstds[i] = args.training ? value : inverse_root(value, args.eps);
  }
  norm.mean = mean.values();
  norm.rstd = statistics.rstds.get();
  return differentiate(norm);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Norms of channels over a batch of images.
#include "ops/batch_norm.h"

#include <cmath>

#include "engines/stored_rows.h"
#include "kernels/norm/channel_blocks.h"
#include "kernels/norm/channel_tensors.h"
#include "kernels/norm/parameters.h"
#include "kernels/norm/row_norm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// A block's mean, as the sum of two floats.
struct BlockMean {
  explicit BlockMean(const ChannelBlock& block) : high(block), low(block) {}
  void set(int64_t channel, const Mean& mean) {
    high.set(channel, mean.high);
    low.set(channel, mean.low);
  }
  Spread high, low;
};

constexpr int64_t kLoaded = 192 << 10;  // floats of a block that stay in the second-level cache

class BatchNormalization {
 public:
  explicit BatchNormalization(const BatchNorm& norm) : norm_(norm), blocks_(norm.shape) {}

  Status run() {
    const int64_t channels = norm_.shape.channels, line = channels * norm_.shape.pixels;
    DenseRowsIn x;
    DenseRowsOut y;
    Status status = x.open(*norm_.x, line);
    if (status.ok()) status = y.open(*norm_.y, norm_.x->dtype, line);
    if (status.ok()) status = weight_.take(or_absent(norm_.weight), 1, channels);
    if (status.ok()) status = bias_.take(or_absent(norm_.bias), 0, channels);
    if (status.ok()) status = running_mean_.take(or_absent(norm_.running_mean), 0, channels);
    if (status.ok())
      status = running_variance_.take(or_absent(norm_.running_variance), 1, channels);
    if (status.ok()) status = found_.make(channels);
    if (status.ok()) status = updated_.make(channels);
    if (!status.ok()) return status;
    const FloatRows inputs = x.rows(), outputs = y.rows();
    const int64_t width = blocks_.channels * norm_.shape.pixels, all = width * norm_.shape.images;
    const bool loads = norm_.training && !inputs.direct() && all <= kLoaded && blocks_.channels > 1;
    const auto normalize_as_stored =
        blocks_.channels > 1            ? nullptr
        : norm_.x->dtype == ACL_FLOAT16 ? &BatchNormalization::normalize_channel<Half>
        : norm_.x->dtype == ACL_BF16    ? &BatchNormalization::normalize_channel<BFloat16>
                                        : nullptr;
    const auto body = [&](int64_t number, const RowBuffers& buffers) {
      if (normalize_as_stored != nullptr) {
        return (this->*normalize_as_stored)(number, inputs, outputs);
      }
      const ChannelBlock block(norm_.shape, blocks_, number);
      Images images(inputs, block);
      if (loads) images.load(norm_.shape.images, buffers.row(0), buffers.raw());
      normalize_block(block, images, Images(outputs, block), buffers);
    };
    const int64_t room = std::min(width, kRowPiece);
    status = for_each_row(blocks_.count, loads ? std::max(all, room) : room, 2, body, all);
    if (status.ok()) status = y.close();
    return status.ok() && norm_.training ? deliver_statistics() : status;
  }

 private:
  // A channel of 16-bit floats, where they are stored.
  template <typename Stored>
  void normalize_channel(int64_t channel, const FloatRows& x, const FloatRows& y) const {
    const int64_t images = norm_.shape.images, pixels = norm_.shape.pixels;
    const auto plane = [&](int64_t image) {
      return reinterpret_cast<const Stored*>(x.read_stored(image, nullptr)) + channel * pixels;
    };
    Mean mean(running_mean_.values()[channel]);
    if (norm_.training) {
      const auto count = static_cast<double>(images * pixels);
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < images; ++i) sum += sum_stored(plane(i), pixels);
      mean = Mean(sum / count);
      keep_mean(channel, mean);
      for (int64_t i = 0; i < images; ++i) squares += squares_around(mean, pixels, plane(i));
      keep_variance(channel, squares / count, count);
    } else {
      keep_running_deviation(channel);
    }
    const float high = mean.high, low = mean.low, bias = bias_.values()[channel];
    const float factor = found_.rstds[channel] * weight_.values()[channel];
    const auto make = [=](auto each) { return ((each - high) - low) * factor + bias; };
    for (int64_t i = 0; i < images; ++i) {
      auto* const results = reinterpret_cast<Stored*>(y.place_stored(i, nullptr));
      make_vectors(pixels, results + channel * pixels, make, plane(i));
    }
  }

  void keep_mean(int64_t channel, const Mean& mean) const {
    found_.means[channel] = mean.high;
    updated_.means[channel] = moved(running_mean_.values()[channel], mean.high);
  }
  void keep_variance(int64_t channel, double variance, double count) const {
    const double unbiased = count > 1 ? count / (count - 1) : 0;
    found_.rstds[channel] = inverse_root(variance, norm_.epsilon);
    updated_.rstds[channel] = moved(running_variance_.values()[channel], variance * unbiased);
  }
  void keep_running_deviation(int64_t channel) const {
    found_.rstds[channel] = inverse_root(running_variance_.values()[channel], norm_.epsilon);
  }

  void normalize_block(const ChannelBlock& block, const Images& x, const Images& y,
                       const RowBuffers& buffers) const {
    BlockMean mean(block);
    if (norm_.training) {
      find_means(block, x, buffers, mean);
      find_variances(block, x, buffers, mean);
    }
    Spread factor(block), bias(block);
    for (int64_t k = 0; k < block.channels; ++k) {
      const int64_t channel = block.first + k;
      if (!norm_.training) {
        mean.set(k, Mean(running_mean_.values()[channel]));
        keep_running_deviation(channel);
      }
      factor.set(k, found_.rstds[channel] * weight_.values()[channel]);
      bias.set(k, bias_.values()[channel]);
    }
    block.visit([&](int64_t image, Range piece) {
      const float* const values = x.read(image, piece, buffers.row(0), buffers.raw());
      float* const results = y.place(image, piece, buffers.row(1));
      with_numbers(block, [&](auto number) {
        scale(values, number(mean.high), number(mean.low), number(factor), number(bias),
              piece.count, results);
      });
      y.write(image, piece, results, buffers.raw());
    });
  }

  void find_means(const ChannelBlock& block, const Images& x, const RowBuffers& buffers,
                  BlockMean& mean) const {
    ChannelTotals sums(block);
    // Elements of 16 bits have so few digits that four of them may be added in float.
    const bool narrow = norm_.x->dtype != ACL_FLOAT;
    block.visit([&](int64_t image, Range piece) {
      const float* const line = x.read(image, piece, buffers.row(0), buffers.raw());
      if (!narrow) return sums.add_exactly(line, piece.count);
      sums.add([line](int64_t i) { return line[i]; },
               [&] { return lane_total(piece.count, line); });
    });
    for (int64_t k = 0; k < block.channels; ++k) {
      const Mean found(sums.of(k) / block.values());
      mean.set(k, found);
      keep_mean(block.first + k, found);
    }
  }

  void find_variances(const ChannelBlock& block, const Images& x, const RowBuffers& buffers,
                      const BlockMean& mean) const {
    ChannelTotals sums(block);
    const Each high = mean.high.each(), low = mean.low.each();
    block.visit([&](int64_t image, Range piece) {
      const float* const line = x.read(image, piece, buffers.row(0), buffers.raw());
      const auto square = [=](int64_t i) {
        const float off = (line[i] - high[i]) - low[i];
        return off * off;
      };
      sums.add(square, [&] { return squares_around(mean_of(mean), piece.count, line); });
    });
    const double count = block.values();
    for (int64_t k = 0; k < block.channels; ++k) {
      keep_variance(block.first + k, sums.of(k) / count, count);
    }
  }

  static Mean mean_of(const BlockMean& mean) {
    Mean both;
    both.high = mean.high.same().value;
    both.low = mean.low.same().value;
    return both;
  }

  float moved(float running, double found) const {
    return static_cast<float>((1 - norm_.momentum) * running + norm_.momentum * found);
  }

  Status deliver_statistics() const {
    Status status = found_.deliver_means(or_absent(norm_.mean));
    if (status.ok()) status = found_.deliver_rstds(or_absent(norm_.rstd));
    if (status.ok()) status = updated_.deliver_means(or_absent(norm_.running_mean));
    if (status.ok()) status = updated_.deliver_rstds(or_absent(norm_.running_variance));
    return status;
  }

  const BatchNorm& norm_;
  const ChannelBlocks blocks_;
  RowParameter weight_, bias_, running_mean_, running_variance_;
  RowStatistics found_, updated_;
};

}  // namespace

Status normalize(const BatchNorm& norm) { return BatchNormalization(norm).run(); }

Channels channels_of(const TensorView& x) {
  return {x.shape[0], x.shape[1], x.elements() / (x.shape[0] * x.shape[1])};
}

Status run(const BatchNormArgs& args) {
  if (args.input.empty()) {
    const Status status = fill_with(0, args.saveMean);
    return status.ok() ? fill_with(std::nan(""), args.saveInvstd) : status;
  }
  BatchNorm norm;
  norm.shape = channels_of(args.input);
  norm.training = args.training;
  norm.momentum = args.momentum;
  norm.epsilon = args.eps;
  norm.x = &args.input;
  norm.weight = &args.weight;
  norm.bias = &args.bias;
  norm.running_mean = &args.runningMean;
  norm.running_variance = &args.runningVar;
  norm.y = &args.output;
  norm.mean = &args.saveMean;
  norm.rstd = &args.saveInvstd;
  return normalize(norm);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

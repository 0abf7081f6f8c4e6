// SPDX-License-Identifier: Apache-2.0
// Channels of a batch of images, in blocks: one with many pixels, or several with few.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/line_sums.h"
#include "engines/rows.h"
#include "kernels/norm/affine.h"
#include "kernels/norm/channel_norm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Channels of few pixels are computed side by side.
constexpr int64_t kFewPixels = 96;
constexpr int64_t kSideBySide = 512;  // elements

// The channels that are computed together: a line of each image.
struct ChannelBlocks {
  explicit ChannelBlocks(const Channels& shape)
      : channels(shape.pixels < kFewPixels
                     ? std::min(shape.channels, std::max<int64_t>(1, kSideBySide / shape.pixels))
                     : 1),
        count((shape.channels + channels - 1) / channels) {}
  int64_t channels, count;
};

// One block of channels.
struct ChannelBlock {
  ChannelBlock(const Channels& of, const ChannelBlocks& blocks, int64_t number)
      : shape(of),
        first(number * blocks.channels),
        channels(std::min(blocks.channels, of.channels - first)),
        width(channels * of.pixels) {}

  // Lines come in pieces that stay in the first-level cache, converted ones as well; of several
  // channels there is one.
  int64_t pieces() const { return (width + kRowPiece - 1) / kRowPiece; }
  Range piece(int64_t number) const {
    const int64_t begin = number * kRowPiece;
    return {begin, std::min(kRowPiece, width - begin)};
  }
  // Calls body(image, piece) for all of them, from an image on.
  template <typename Body>
  void visit(const Body& body, int64_t first_image = 0) const {
    for (int64_t i = first_image; i < shape.images; ++i) {
      for (int64_t k = 0; k < pieces(); ++k) body(i, piece(k));
    }
  }

  Range columns() const { return {first * shape.pixels, width}; }
  double values() const { return static_cast<double>(shape.images * shape.pixels); }

  const Channels& shape;
  int64_t first, channels, width;
};

// Lines of a tensor whose rows are images.
class Images {
 public:
  Images(const FloatRows& rows, const ChannelBlock& block)
      : rows_(rows), columns_(block.columns()) {}

  // Reads all lines once, so that they can be asked for again. They must stay where they are.
  void load(int64_t images, float* values, char* raw) {
    for (int64_t i = 0; i < images; ++i) {
      rows_.read_part(i, columns_, values + i * columns_.count, raw);
    }
    loaded_ = values;
  }

  const float* read(int64_t image, Range piece, float* values, char* raw) const {
    if (loaded_ != nullptr) return loaded_ + image * columns_.count + piece.begin;
    if (rows_.direct()) return at(image, piece);
    rows_.read_part(image, in_row(piece), values, raw);
    return values;
  }
  float* place(int64_t image, Range piece, float* values) const {
    return rows_.direct() ? at(image, piece) : values;
  }
  // Lines of some images that are as they are computed.
  template <int count>
  void find(int64_t first, float* (&lines)[count]) const {
    for (int i = 0; i < count; ++i) lines[i] = at(first + i, {0, columns_.count});
  }
  void write(int64_t image, Range piece, const float* values, char* raw) const {
    if (!rows_.direct()) rows_.write_part(image, in_row(piece), values, raw);
  }

 private:
  float* at(int64_t image, Range piece) const {
    return rows_.place(image, nullptr) + columns_.begin + piece.begin;
  }
  Range in_row(Range piece) const { return {columns_.begin + piece.begin, piece.count}; }

  const FloatRows& rows_;
  Range columns_;
  const float* loaded_ = nullptr;
};

// Sums of lines for each channel of a block.
class ChannelTotals {
 public:
  explicit ChannelTotals(const ChannelBlock& block)
      : block_(block), lines_(block.channels > 1 ? block.width : 0, part_, totals_) {}

  // What value(k) gives for element k. With one channel, `sum` gives the sum of a piece.
  template <typename Value, typename Sum>
  void add(const Value& value, const Sum& sum) {
    if (block_.channels > 1) return lines_.add_each(value);
    alone_ += sum();
  }
  LineSums<float>& lines() { return lines_; }  // of several channels
  // For means, which are subtracted.
  void add_exactly(const float* line, int64_t count) {
    if (block_.channels > 1) return lines_.add_exactly(line);
    alone_ += lane_sum(count, line);
  }
  // Once all are added.
  double of(int64_t channel) {
    if (block_.channels == 1) return alone_;
    if (!done_) lines_.finish();
    done_ = true;
    double sum = 0;
    const int64_t pixels = block_.shape.pixels;
    for (int64_t k = 0; k < pixels; ++k) sum += totals_[channel * pixels + k];
    return sum;
  }

 private:
  const ChannelBlock& block_;
  float part_[kSideBySide];
  double totals_[kSideBySide];
  LineSums<float> lines_;
  double alone_ = 0;
  bool done_ = false;
};

// Numbers of a block's channels, repeated for their pixels.
class Spread {
 public:
  explicit Spread(const ChannelBlock& block) : block_(block) {}
  void set(int64_t channel, float value) {
    if (block_.channels == 1) {
      values_[0] = value;
    } else {
      std::fill_n(values_ + channel * block_.shape.pixels, block_.shape.pixels, value);
    }
  }
  Each each() const { return {values_}; }
  Same same() const { return {values_[0]}; }

 private:
  const ChannelBlock& block_;
  float values_[kSideBySide];
};

// Calls visit with Same or Each, by which a block's numbers are found.
template <typename Visit>
void with_numbers(const ChannelBlock& block, const Visit& visit) {
  if (block.channels == 1) {
    visit([](const Spread& spread) { return spread.same(); });
  } else {
    visit([](const Spread& spread) { return spread.each(); });
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

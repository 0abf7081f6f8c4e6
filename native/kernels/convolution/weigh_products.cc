// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/weigh_products.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/cast.h"
#include "engines/outer_products.h"
#include "kernels/convolution/planes.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kLeastMap = 16;        // channels; fewer would leave lanes of vectors empty
constexpr int64_t kLargestBlock = 64;    // columns
constexpr int64_t kElements = 1 << 18;   // of the map, of the image and of sums, at a time
constexpr int64_t kFewest = 256;         // positions
constexpr int64_t kMost = 2048;          // positions
constexpr int64_t kTerms = 512;          // that are added at a time
constexpr int64_t kSlice = 16;           // channels of the map that are turned together
constexpr int64_t kGrain = 1 << 14;      // elements; less is not worth a second thread
constexpr int64_t kGrainWork = 1 << 18;  // multiplications, likewise

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

const float* floats_of(const TensorView& view) {
  return static_cast<const float*>(view.data) + view.offset;
}

// How positions and channels are cut. Which terms are added together follows from shapes alone.
struct Cut {
  explicit Cut(const WeightSums& sums);

  Source tile(int64_t number) const;
  int64_t chunks() const { return tiles * divided_up(batches, images); }
  int64_t words() const { return images * plane * (has_odd_lines ? 2 : 1); }  // of a channel

  const Source& source;
  int64_t map_channels, batches;
  int64_t lengths[kAxes], counts[kAxes];  // of tiles of positions
  int64_t tiles;
  int64_t images;      // in a chunk, of one tile each
  int64_t plane;       // elements of one, at most
  bool has_odd_lines;  // of pairs
  int64_t width;       // of rows with an element for each channel of the map
  int64_t height;      // channels of the source in a block
  int64_t blocks;      // that are summed up at a time
};

Cut::Cut(const WeightSums& sums)
    : source(sums.source), map_channels(sums.weight.shape[0]), batches(sums.batches) {
  width = divided_up(map_channels, kLargestBlock) * kLargestBlock;
  const int64_t most = std::clamp(kElements / width, kFewest, kMost);
  int64_t room = most;
  tiles = plane = 1;
  for (int i = kAxes - 1; i >= 0; --i) {
    const int64_t positions = source.axes[i].positions;
    lengths[i] = divided_up(positions, divided_up(positions, std::max<int64_t>(room, 1)));
    counts[i] = divided_up(positions, lengths[i]);
    tiles *= counts[i];
    room /= lengths[i];
    Taps taps = source.axes[i];
    taps.positions = lengths[i];
    const PlaneAxis axis(taps);
    plane *= axis.elements * axis.remainders;
  }
  images = tiles > 1 ? 1 : std::clamp<int64_t>(most / source.positions(), 1, batches);
  has_odd_lines = source.pairs && (counts[kAxes - 1] > 1 || lengths[kAxes - 1] % 2 == 1);
  height = block_height(source.channels);
  const int64_t largest = std::max(source.taps() * width, words());
  blocks =
      std::clamp<int64_t>(kElements / (height * largest), 1, divided_up(source.channels, height));
}

Source Cut::tile(int64_t number) const {
  Source part = source;
  for (int i = kAxes - 1; i >= 0; --i) {
    const int64_t first = number % counts[i] * lengths[i];
    number /= counts[i];
    part.axes[i].first += first * part.axes[i].stride;
    part.axes[i].positions = std::min(lengths[i], part.axes[i].positions - first);
  }
  return part;
}

float joined(float first, float second) {
  return bit_cast<float>(bit_cast<uint32_t>(first) >> 16 |
                         (bit_cast<uint32_t>(second) & 0xFFFF0000U));
}

// Memory for what is turned, and for sums.
struct Room {
  explicit Room(const Cut& cut) {
    const int64_t positions = cut.images * cut.lengths[0] * cut.lengths[1] * cut.lengths[2];
    const int64_t channels = cut.blocks * cut.height;
    map.reset(new (std::nothrow) float[positions * cut.width]);
    image.reset(new (std::nothrow) float[channels * cut.words()]);
    sums.reset(new (std::nothrow) float[channels * cut.source.taps() * cut.width]);
    places.reset(new (std::nothrow) int64_t[2 * positions]);
    complete = map != nullptr && image != nullptr && sums != nullptr && places != nullptr;
    if (complete) std::fill_n(map.get(), positions * cut.width, 0.0F);
  }

  std::unique_ptr<float[]> map, image, sums;
  std::unique_ptr<int64_t[]> places;
  bool complete;
};

// A tile of some images, turned.
class Chunk {
 public:
  Chunk(const WeightSums& sums, const Cut& cut, int64_t number, const Room& room)
      : sums_(sums),
        cut_(cut),
        room_(room),
        tile_(number % cut.tiles),
        source_(cut.tile(tile_)),
        planes_(source_),
        first_image_(number / cut.tiles * cut.images),
        images_(std::min(cut.images, cut.batches - first_image_)) {
    const int64_t length = source_.axes[kAxes - 1].positions;
    line_terms_ = source_.pairs ? divided_up(length, 2) : length;
    lines_ = source_.axes[0].positions * source_.axes[1].positions;
    place_terms();
  }

  // The source's channels from one on, in blocks, and all of the map's. False: there is no memory.
  bool turn(int64_t channel, int64_t blocks) const;

  // Adds products of a block of so many channels and an element of the kernel to the sums.
  void multiply(int64_t block, int64_t rows, int64_t tap, bool add) const;

  int64_t terms() const { return images_ * lines_ * line_terms_; }

 private:
  void place_terms();
  void turn_planes(int64_t block, int64_t image, const float* from, int64_t rows,
                   float* scratch) const;
  void turn_map(int64_t first, int64_t count) const;
  const float* map_of(int64_t image, int64_t line) const;

  const WeightSums& sums_;
  const Cut& cut_;
  const Room& room_;
  int64_t tile_;
  Source source_;
  Planes planes_;
  int64_t first_image_, images_;
  int64_t lines_, line_terms_;
};

// Terms one line after the other; the last pair of an odd line is behind the others' planes.
void Chunk::place_terms() {
  const int64_t all = terms(), step = source_.pairs ? 2 : 1;
  const int64_t length = source_.axes[kAxes - 1].positions;
  int64_t* const of_image = room_.places.get();
  int64_t* const of_map = of_image + all;
  for (int64_t term = 0; term < all; ++term) {
    const int64_t line = term / line_terms_, at = term % line_terms_ * step;
    const bool alone = source_.pairs && at + 1 == length;
    const int64_t plane = line / lines_ + (alone ? cut_.images : 0);
    of_image[term] = (plane * cut_.plane + planes_.column(line % lines_) + at) * cut_.height;
    of_map[term] = term * cut_.width;
  }
}

bool Chunk::turn(int64_t channel, int64_t blocks) const {
  const int64_t slices = divided_up(cut_.map_channels, kSlice), turned = blocks * images_;
  const int64_t work = std::max(cut_.height * planes_.size(), kSlice * terms());
  std::atomic<bool> enough_memory{true};
  parallel_for(turned + slices, kGrain / work + 1, [&](int64_t begin, int64_t end) {
    std::unique_ptr<float[]> scratch;
    for (int64_t number = begin; number < end; ++number) {
      if (number >= turned) {
        const int64_t first = (number - turned) * kSlice;
        turn_map(first, std::min(kSlice, cut_.map_channels - first));
        continue;
      }
      const int64_t size = cut_.height * planes_.size();
      if (scratch == nullptr) {
        scratch.reset(new (std::nothrow) float[size]);
        if (scratch == nullptr) {
          enough_memory = false;
          return;
        }
        std::fill_n(scratch.get(), size, 0.0F);
      }
      const int64_t block = number / images_, image = number % images_;
      const int64_t first = channel + block * cut_.height;
      const float* const from =
          source_.data + (first_image_ + image) * source_.batch_step + first * source_.plane_step;
      turn_planes(block, image, from, std::min(cut_.height, source_.channels - first),
                  scratch.get());
    }
  });
  return enough_memory;
}

void Chunk::turn_planes(int64_t block, int64_t image, const float* from, int64_t rows,
                        float* scratch) const {
  const int64_t size = planes_.size(), height = cut_.height;
  for (int64_t row = 0; row < rows; ++row) {
    planes_.take(from + row * source_.plane_step, scratch + row * size);
  }
  float* const to = room_.image.get() + (block * cut_.words() + image * cut_.plane) * height;
  transpose(Columns<float>{scratch, size}, size, height, to, height);
  if (!source_.pairs) return;
  const int64_t all = size * height, most = all - height;
  if (cut_.has_odd_lines) {
    float* const alone = to + cut_.images * cut_.plane * height;
    for (int64_t i = 0; i < all; ++i) alone[i] = joined(to[i], 0);
  }
  for (int64_t i = 0; i < most; ++i) to[i] = joined(to[i], to[i + height]);
}

// The first position of a line of the tile.
const float* Chunk::map_of(int64_t image, int64_t line) const {
  int64_t at[kAxes] = {line / source_.axes[1].positions, line % source_.axes[1].positions, 0};
  int64_t number = tile_, position = 0, step = 1;
  for (int i = kAxes - 1; i >= 0; --i) {
    position += (number % cut_.counts[i] * cut_.lengths[i] + at[i]) * step;
    number /= cut_.counts[i];
    step *= cut_.source.axes[i].positions;
  }
  const int64_t row = (first_image_ + image) * sums_.map_step;
  return floats_of(sums_.map) + row * sums_.map.strides[0] + position;
}

// Some channels of the map.
void Chunk::turn_map(int64_t first, int64_t count) const {
  const int64_t length = source_.axes[kAxes - 1].positions, step = sums_.map.strides[0];
  const bool is_dense = cut_.tiles == 1;  // lines lie one behind the other
  const int64_t runs = is_dense ? 1 : lines_, run = is_dense ? lines_ * length : length;
  float* const to = room_.map.get() + first;
  for (int64_t number = 0; number < images_ * runs; ++number) {
    const float* const from = map_of(number / runs, number % runs) + first * step;
    transpose(Columns<float>{from, step}, run, count, to + number * run * cut_.width, cut_.width);
  }
  if (!source_.pairs) return;
  for (int64_t line = 0; line < images_ * lines_; ++line) {
    for (int64_t term = 0; term < line_terms_; ++term) {
      const float* const pair = to + (line * length + 2 * term) * cut_.width;
      float* const words = to + (line * line_terms_ + term) * cut_.width;
      const bool alone = 2 * term + 1 == length;
      for (int64_t i = 0; i < count; ++i) {
        words[i] = joined(pair[i], alone ? 0 : pair[cut_.width + i]);
      }
    }
  }
}

void Chunk::multiply(int64_t block, int64_t rows, int64_t tap, bool add) const {
  const int64_t height = cut_.height, all = terms(), columns = columns_for(rows);
  const float* const a =
      room_.image.get() + (block * cut_.words() + planes_.distance(tap)) * height;
  const int64_t taps = source_.taps(), c_stride = taps * cut_.width;
  float* const to = room_.sums.get() + (block * height * taps + tap) * cut_.width;
  const int64_t* const places = room_.places.get();
  for (int64_t first = 0; first < all; first += kTerms) {
    for (int64_t column = 0; column < cut_.map_channels; column += columns) {
      const OuterProducts products = {std::min(kTerms, all - first),
                                      a,
                                      room_.map.get() + column,
                                      places + all + first,
                                      source_.pairs,
                                      places + first};
      add_outer_products(rows, columns, products, to + column, c_stride, add || first > 0);
    }
  }
}

// Sums of some channels of the source go to the weight.
bool store(const WeightSums& sums, const Cut& cut, const Room& room, int64_t channel,
           int64_t channels) {
  const TensorView& weight = sums.weight;
  const CastArray cast = find_array_cast(ACL_FLOAT, weight.dtype);
  const int64_t taps = cut.source.taps(), length = channels * taps;
  const int64_t size = data_type_bits(weight.dtype) / 8;
  std::atomic<bool> enough_memory{true};
  const int64_t slices = divided_up(cut.map_channels, kSlice);
  parallel_for(slices, kGrain / (kSlice * length) + 1, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<float[]> rows(new (std::nothrow) float[kSlice * length]);
    if (rows == nullptr) {
      enough_memory = false;
      return;
    }
    for (int64_t first = begin * kSlice; first < std::min(end * kSlice, cut.map_channels);
         first += kSlice) {
      const int64_t count = std::min(kSlice, cut.map_channels - first);
      transpose(Columns<float>{room.sums.get() + first, cut.width}, count, length, rows.get());
      for (int64_t row = 0; row < count; ++row) {
        const int64_t place = weight.offset + (first + row) * weight.strides[0] + channel * taps;
        cast(reinterpret_cast<const char*>(rows.get() + row * length),
             static_cast<char*>(weight.data) + place * size, length);
      }
    }
  });
  return enough_memory;
}

// False: there is no memory.
bool weigh_channels(const WeightSums& sums, const Cut& cut, const Room& room, int64_t channel) {
  const int64_t channels = std::min(cut.blocks * cut.height, cut.source.channels - channel);
  const int64_t blocks = divided_up(channels, cut.height), taps = cut.source.taps();
  for (int64_t number = 0; number < cut.chunks(); ++number) {
    const Chunk chunk(sums, cut, number, room);
    if (!chunk.turn(channel, blocks)) return false;
    const int64_t work = cut.height * cut.map_channels * chunk.terms();
    parallel_for(blocks * taps, kGrainWork / work + 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t block = item / taps;
        const int64_t rows = std::min(cut.height, channels - block * cut.height);
        chunk.multiply(block, rows, item % taps, number > 0);
      }
    });
  }
  return store(sums, cut, room, channel, channels);
}

}  // namespace

bool weighs_by_products(const Source& source, int64_t map_channels) {
  // Blocks of few rows are wide.
  const int64_t least = source.channels <= kFewRows ? 2 * kLeastMap : kLeastMap;
  return map_channels >= least && has_small_planes(source);
}

Status weigh_by_products(const WeightSums& sums) {
  const Cut cut(sums);
  const Room room(cut);
  if (!room.complete) return no_memory_for_blocks();
  const int64_t step = cut.blocks * cut.height;
  for (int64_t channel = 0; channel < sums.source.channels; channel += step) {
    if (!weigh_channels(sums, cut, room, channel)) return no_memory_for_blocks();
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

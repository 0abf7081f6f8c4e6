// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling with windows of two by two by two that lie side by side.
//
// An index tells which of its window's eight elements gets the gradient; the others get 0. So for
// every vector of windows there are eight vectors of elements, in two rows of two planes: one
// comparison and one selection for each. Past the cache, the planes of a block are finished in a
// buffer and written as a whole: stores to several rows in turn would each leave a line unfinished.
#pragma once

#include <algorithm>

#include "kernels/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class PairedWindows {
  using Bits = BitsOf<T>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int kMostLanes = kVectorBytes / sizeof(T);
  // Rows of results seldom start with a line of the cache, and a store to two lines costs more. For
  // 16-bit elements, fewer steps outweigh that.
  static constexpr int kBestLanes = kSize == 4 ? 8 : kMostLanes;
  static constexpr int64_t kFinished = 8192;  // elements of a plane before they are written
  static constexpr int64_t kFastBytes = 16 * 1024;
  // Differences of indices stay far from where 32 bits would wrap around to a small one.
  static constexpr int64_t kMostElements = 1 << 29;

 public:
  static bool possible(const PoolGradient& work) {
    const Window& window = work.window;
    for (int axis = 0; axis < 3; ++axis) {
      if (window.kernel[axis] != 2 || window.stride[axis] != 2) return false;
      if (window.padding[axis] != 0 || window.dilation[axis] != 1) return false;
      if (2 * work.gradients.shape[2 + axis] > work.result.shape[2 + axis]) return false;
    }
    return work.gradients.shape[4] >= kFewestColumns &&
           work.result.slab(0).elements() <= kMostElements && 3 * work.result.shape[4] <= kFinished;
  }

  PairedWindows(const PoolGradient& work, SlabFlags* outside)
      : work_(work),
        outside_(outside),
        rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        width_(work.result.shape[4]),
        block_rows_(most_rows()),
        blocks_((rows_ + block_rows_ - 1) / block_rows_) {}

  // A unit is a block of pooled rows of one plane.
  int64_t units() const { return work_.result.slabs() * work_.gradients.shape[2] * blocks_; }
  int64_t elements_of_unit() const { return 8 * block_rows_ * columns_; }

  void compute(int64_t begin, int64_t end) const {
    const int64_t planes = work_.gradients.shape[2];
    int64_t block = begin % blocks_, plane = begin / blocks_ % planes;
    for (int64_t unit = begin, slab = begin / blocks_ / planes; unit < end; ++slab) {
      const Slab gradients = work_.gradients.slab(slab), indices = work_.indices.slab(slab);
      const Slab result = work_.result.slab(slab);
      bool inside = true;
      for (; plane < planes && unit < end; ++plane) {
        for (; block < blocks_ && unit < end; ++block, ++unit) {
          inside &= compute_block(gradients, indices, result, plane, block);
        }
        block = 0;
      }
      plane = 0;
      if (!inside) outside_->set(slab);
    }
    if (work_.past_cache) finish_streaming();
  }

 private:
  // As many as can be finished with a row behind them, but few enough for the first-level cache.
  int64_t most_rows() const {
    const int64_t fast = std::max<int64_t>(kFastBytes / (4 * width_ * kSize), 1);
    return std::min({(kFinished / width_ - 1) / 2, fast, rows_});
  }

  // Two planes, or what is to become of them, with rows a pitch apart.
  struct Target {
    char* planes[2];
    int64_t pitch;
  };

  // False if an index lies outside its window.
  bool compute_block(const Slab& gradients, const Slab& indices, const Slab& result, int64_t plane,
                     int64_t block) const {
    const bool last_plane = plane + 1 == gradients.shape[0], last_block = block + 1 == blocks_;
    const int64_t first = block * block_rows_, windows = std::min(block_rows_, rows_ - first);
    const int64_t rows = last_block ? result.shape[1] - 2 * first : 2 * windows;
    const bool rows_dense = result.strides[2] == kSize;
    const bool planes_dense = rows_dense && result.strides[1] == width_ * kSize;
    const bool in_place = rows_dense && !(work_.past_cache && planes_dense);
    alignas(64) Bits finished[2][kFinished];
    Target target = {{reinterpret_cast<char*>(finished[0]), reinterpret_cast<char*>(finished[1])},
                     width_ * kSize};
    if (in_place) {
      target = {{result.row(2 * plane, 2 * first), result.row(2 * plane + 1, 2 * first)},
                result.strides[1]};
    }
    const bool inside = select(gradients, indices, plane, {first, first + windows}, target);
    for (char* const to : target.planes) clear_unseen(to, target.pitch, windows, rows);
    if (!in_place) {
      for (int k = 0; k < 2; ++k) {
        char* const place = result.row(2 * plane + k, 2 * first);
        if (planes_dense) {
          stream_run(finished[k], rows * width_ * kSize, place);
        } else {
          scatter(finished[k], rows, place, result);
        }
      }
    }
    for (int64_t d = 2 * plane + 2; last_plane && d < result.shape[0]; ++d) {
      clear_plane(result, d, 2 * first, rows);
    }
    return inside;
  }

  void scatter(const Bits* finished, int64_t rows, char* to, const Slab& result) const {
    for (int64_t h = 0; h < rows; ++h, to += result.strides[1]) {
      for (int64_t w = 0; w < width_; ++w) store(to + w * result.strides[2], *finished++);
    }
  }

  // The elements of a plane behind the last column and row of windows.
  void clear_unseen(char* to, int64_t pitch, int64_t windows, int64_t rows) const {
    const int64_t seen = 2 * columns_ * kSize, unseen = width_ * kSize - seen;
    for (int64_t h = 0; unseen > 0 && h < 2 * windows; ++h) {
      std::memset(to + h * pitch + seen, 0, unseen);
    }
    for (int64_t h = 2 * windows; h < rows; ++h) std::memset(to + h * pitch, 0, width_ * kSize);
  }

  void clear_plane(const Slab& result, int64_t d, int64_t first, int64_t rows) const {
    for (int64_t h = first; h < first + rows; ++h) {
      char* const row = result.row(d, h);
      for (int64_t w = 0; w < width_; ++w) store(row + w * result.strides[2], Bits{0});
    }
  }

  // With vectors of no more windows than a row has, or with some of the next row's: what is written
  // for these is overwritten, but for the last row.
  template <int lanes = kMostLanes>
  bool select(const Slab& gradients, const Slab& indices, int64_t plane, Range rows,
              Target target) const {
    if constexpr (lanes > kFewestColumns) {
      if (columns_ < lanes || lanes > kBestLanes) {
        const bool follow = indices.strides[1] == columns_ * int64_t{sizeof(Index)} &&
                            gradients.strides[1] == columns_ * kSize &&
                            target.pitch == width_ * kSize;
        bool inside = true;
        if (follow && columns_ < lanes && columns_ > lanes / 2 && rows.size() > 1) {
          const Range before_last = {rows.begin, rows.end - 1};
          inside = select_rows<lanes, true>(gradients, indices, plane, before_last, target);
          for (char*& to : target.planes) to += 2 * before_last.size() * target.pitch;
          rows.begin = before_last.end;
        }
        return inside & select<lanes / 2>(gradients, indices, plane, rows, target);
      }
    }
    return select_rows<lanes, false>(gradients, indices, plane, rows, target);
  }

  template <int lanes, bool beyond_row>
  ACLHOST_APART bool select_rows(const Slab& gradients, const Slab& indices, int64_t plane,
                                 const Range& rows, Target target) const {
    alignas(64) Index index_copy[kFinished / 2];
    alignas(64) T value_copy[kFinished / 2];
    Decoder<lanes> decoder(work_.result, beyond_row ? columns_ : lanes);
    const int64_t last = beyond_row ? 0 : columns_ - lanes;
    const int64_t first = (2 * plane * work_.result.shape[3] + 2 * rows.begin) * width_;
    uint32_t window = static_cast<uint32_t>(first);
    const char* index_row = indices.row(plane, rows.begin);
    const char* value_row = gradients.row(plane, rows.begin);
    for (int64_t h = 0; h < rows.size(); ++h) {
      const Index* index = contiguous(index_row, indices.strides[2], columns_, index_copy);
      const T* value = contiguous(value_row, gradients.strides[2], columns_, value_copy);
      for (int64_t at = 0;; at = std::min(at + lanes, last)) {
        const auto code =
            decoder.template decode<beyond_row>(index + at, window + static_cast<uint32_t>(2 * at));
        put<lanes>(code, sums_of_one<lanes>(value + at), 2 * at, target);
        if (at == last) break;
      }
      window += 2 * decoder.row;
      index_row += indices.strides[1];
      value_row += gradients.strides[1];
      for (char*& to : target.planes) to += 2 * target.pitch;
    }
    return decoder.all_inside();
  }

  template <int lanes>
  static void put(Vector<Bits, lanes> code, Vector<Bits, lanes> value, int64_t column,
                  const Target& target) {
    using Codes = Vector<Bits, lanes>;
    // For each column, the code that the window's first column would have.
    const Codes codes[] = {interleave_low(code, code - Bits{1}),
                           interleave_high(code, code - Bits{1})};
    const Codes gradients[] = {interleave_low(value, value), interleave_high(value, value)};
    for (int element = 0; element < 4; ++element) {
      char* const to = target.planes[element / 2] + element % 2 * target.pitch + column * kSize;
      const Codes wanted = splat<Codes>(static_cast<Bits>(2 * element));
      for (int half = 0; half < 2; ++half) {
        const Codes selected = codes[half] == wanted ? gradients[half] : Codes{};
        store_vector(to + half * lanes * kSize, selected);
      }
    }
  }

  // Which of its window's elements an index means: 4 * plane + 2 * row + column.
  template <int lanes>
  struct Decoder {
    static constexpr int kWords = std::min(lanes, kLanes<uint32_t>);  // at a time
    using Words = Vector<uint32_t, kWords>;
    using Codes = Vector<Bits, lanes>;
    const uint32_t plane, row;  // elements of the result
    const uint32_t windows;     // of a row; lanes behind them are not looked at
    Words most = {}, high = {};

    Decoder(const Volumes& result, int64_t windows_of_row)
        : plane(static_cast<uint32_t>(result.shape[3] * result.shape[4])),
          row(static_cast<uint32_t>(result.shape[4])),
          windows(static_cast<uint32_t>(windows_of_row)) {}

    // The first window begins with the element `begin`.
    template <bool beyond_row>
    Codes decode(const Index* indices, uint32_t begin) {
      if constexpr (lanes == kWords) {
        return decode_words<beyond_row, 0>(indices, begin);
      } else {
        return join(decode_words<false, 0>(indices, begin),
                    decode_words<beyond_row, kWords>(indices, begin),
                    std::make_integer_sequence<int, lanes>{});
      }
    }

    bool all_inside() const {
      bool inside = true;
      for (int i = 0; i < kWords; ++i) inside &= most[i] <= 1 && high[i] == 0;
      return inside;
    }

   private:
    template <bool beyond_row, int first>
    Vector<Bits, kWords> decode_words(const Index* indices, uint32_t begin) {
      Words window;
      for (int i = 0; i < kWords; ++i) window[i] = first + i;
      auto index = load_indices<Words>(indices + first);
      Words rest = index.low - (2 * window + begin);
      const auto in_plane = rest >= plane;
      rest = in_plane ? rest - plane : rest;
      const auto in_row = rest >= row;
      rest = in_row ? rest - row : rest;
      Words looked_at = rest;
      if constexpr (beyond_row) {
        looked_at = window < windows ? rest : Words{};
        index.high = window < windows ? index.high : Words{};
      }
      most = most > looked_at ? most : looked_at;
      high |= index.high;
      Words code = in_plane ? rest + 4u : rest;
      code = in_row ? code + 2u : code;
      return cast_vector<Bits, kWords>(code);
    }
  };

  // What sums of one gradient each are: -0 becomes 0, and NaN a quiet one.
  template <int lanes>
  static Vector<Bits, lanes> sums_of_one(const T* values) {
    using Codes = Vector<Bits, lanes>;
    if constexpr (std::is_same_v<T, float>) {
      using Floats = Vector<float, lanes>;
      return bit_cast<Codes>(Floats{} + load_vector<Floats>(values));
    } else {
      constexpr bool kHalf = std::is_same_v<T, Half>;
      constexpr Bits kSign = 0x8000, kInfinity = kHalf ? 0x7C00 : 0x7F80;
      constexpr Bits kQuiet = kHalf ? 0x0200 : 0x0040;
      const Codes bits = load_vector<Codes>(values);
      const Codes magnitude = bits & static_cast<Bits>(~kSign);
      const Codes quiet = bits | (bit_cast<Codes>(magnitude > kInfinity) & kQuiet);
      return magnitude == Bits{0} ? Codes{} : quiet;
    }
  }

  const PoolGradient& work_;
  SlabFlags* const outside_;
  const int64_t rows_, columns_;  // pooled
  const int64_t width_;
  const int64_t block_rows_;
  const int64_t blocks_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

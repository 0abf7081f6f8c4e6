// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling with windows of two by two by two that lie side by side.
//
// An index tells which of its window's eight elements gets the gradient; the others get 0. So for
// every vector of windows there are eight vectors of elements, in two rows of two planes: one
// comparison and one selection for each. Past the cache, the planes of a block are finished in a
// buffer and written as a whole: stores to several rows in turn would each leave a line unfinished.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/pooling/max_pool3d_backward.h"
#include "kernels/pooling/max_pool3d_pair_codes.h"
#include "kernels/pooling/max_pool3d_pair_rows.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class PairedWindows {
  using Bits = BitsOf<T>;
  using Packed = PackedPairs<T, Index>;
  using Part = typename Packed::Part;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int kMostLanes = kVectorBytes / sizeof(T);
  static constexpr int64_t kFinished = 8192;  // elements of a plane before they are written
  static constexpr int64_t kFastBytes = 16 * 1024;
  // In short rows. Fewer are faster added up, where sums need no scratch.
  static constexpr int64_t kFewestWindows = kSize == 4 ? 512 : 0;

 public:
  static bool possible(const PoolGradient& work) {
    if (!windows_are_pairs(work) || 3 * work.result.shape[4] > kFinished) return false;
    const int64_t windows = work.gradients.slabs() * work.gradients.slab(0).elements();
    return work.gradients.shape[4] >= kFewestColumns ||
           (windows >= kFewestWindows && Packed::possible(work));
  }

  PairedWindows(const PoolGradient& work, SlabFlags* outside)
      : work_(work),
        outside_(outside),
        rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        width_(work.result.shape[4]),
        dense_(work.result.strides[4] == kSize && work.result.strides[3] == width_ * kSize) {
    if (Packed::possible(work)) packed_.emplace(work);
    in_place_ = work.result.strides[4] == kSize && !(dense_ && work.past_cache);
    blocks_ = (rows_ - 1) / most_rows() + 1;
  }

  // A unit is a block of pooled rows of one plane.
  int64_t units() const { return work_.result.slabs() * work_.gradients.shape[2] * blocks_; }
  int64_t elements_of_unit() const { return 8 * (rows_ / blocks_) * columns_; }

  void compute(int64_t begin, int64_t end) const {
    const int64_t planes = work_.gradients.shape[2];
    const bool planes_at_once = packed_ && in_place_ && blocks_ == 1;
    int64_t block = begin % blocks_, plane = begin / blocks_ % planes;
    for (int64_t unit = begin, slab = begin / blocks_ / planes; unit < end; ++slab) {
      const Part part = {work_.gradients.slab(slab), work_.indices.slab(slab),
                         work_.result.slab(slab)};
      bool inside = true;
      while (plane < planes && unit < end) {
        const int64_t some = planes_at_once ? std::min(planes - plane, end - unit) : 1;
        inside &= compute_block(part, {plane, plane + some}, block);
        unit += some;
        if (++block < blocks_) continue;
        block = 0;
        plane += some;
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
    return std::min((kFinished / width_ - 1) / 2, fast);
  }

  // All blocks have about as many.
  Range rows_of(int64_t block) const {
    if (blocks_ == 1) return {0, rows_};
    return {block * rows_ / blocks_, (block + 1) * rows_ / blocks_};
  }

  // Two planes, or what is to become of them, with rows a pitch apart.
  struct Target {
    char* planes[2];
    int64_t pitch;
  };

  // False if an index lies outside its window. Planes come alone but in place, and packed.
  bool compute_block(const Part& part, const Range& planes, int64_t block) const {
    const Slab& result = part.result;
    const Range pooled = rows_of(block);
    const int64_t first = 2 * pooled.begin, depth = part.gradients.shape[0];
    const int64_t rows = (pooled.end < rows_ ? 2 * pooled.end : result.shape[1]) - first;
    alignas(64) Bits finished[2][kFinished];
    Target target = {{reinterpret_cast<char*>(finished[0]), reinterpret_cast<char*>(finished[1])},
                     width_ * kSize};
    if (in_place_) {
      target = {{result.row(2 * planes.begin, first), result.row(2 * planes.begin + 1, first)},
                result.strides[1]};
    }
    bool inside;
    if (packed_) {
      const int64_t step = 2 * result.strides[0];
      inside = packed_->select(part, planes, pooled, target.planes, step);
    } else {
      inside = select(part.gradients, part.indices, planes.begin, pooled, target);
    }
    for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
      for (int k = 0; k < 2; ++k) {
        char* const place = result.row(2 * plane + k, first);
        char* const to = in_place_ ? place : target.planes[k];
        clear_unseen(to, target.pitch, pooled.size(), rows);
        if (!in_place_) deliver(finished[k], rows, place, result);
      }
    }
    for (int64_t d = 2 * depth; planes.end == depth && d < result.shape[0]; ++d) {
      clear_plane(result, d, first, rows);
    }
    return inside;
  }

  void deliver(const Bits* finished, int64_t rows, char* to, const Slab& result) const {
    if (dense_) return stream_run(finished, rows * width_ * kSize, to);
    for (int64_t h = 0; h < rows; ++h, to += result.strides[1], finished += width_) {
      for (int64_t w = 0; w < width_; ++w) store(to + w * result.strides[2], finished[w]);
    }
  }

  // The elements of a plane behind the last column and row of windows.
  void clear_unseen(char* to, int64_t pitch, int64_t windows, int64_t rows) const {
    const int64_t seen = 2 * columns_ * kSize, unseen = width_ * kSize - seen;
    const bool cleared = unseen == 0 || (packed_ && packed_->clears_rows());
    for (int64_t h = 0; !cleared && h < 2 * windows; ++h) {
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
      if (columns_ < lanes) {
        const bool follow = indices.strides[1] == columns_ * int64_t{sizeof(Index)} &&
                            gradients.strides[1] == columns_ * kSize &&
                            target.pitch == width_ * kSize;
        bool inside = true;
        if (follow && columns_ > lanes / 2 && rows.size() > 1) {
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
    // A copy is shorter than a vector, of which the high words of all indices are looked at.
    if (beyond_row) std::fill_n(index_copy, lanes, Index{0});
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
      const auto index = load_indices<Words>(indices + first);
      Words rest = index.low - (2 * window + begin);
      const auto in_plane = rest >= plane;
      rest = in_plane ? rest - plane : rest;
      const auto in_row = rest >= row;
      rest = in_row ? rest - row : rest;
      Words looked_at = rest;
      if constexpr (beyond_row) looked_at = window < windows ? rest : Words{};
      most = most > looked_at ? most : looked_at;
      high |= index.high;
      Words code = in_plane ? rest + 4u : rest;
      code = in_row ? code + 2u : code;
      return cast_vector<Bits, kWords>(code);
    }
  };

  const PoolGradient& work_;
  SlabFlags* const outside_;
  const int64_t rows_, columns_;  // pooled
  const int64_t width_;
  const bool dense_;  // planes of the result
  bool in_place_;
  int64_t blocks_;
  std::optional<Packed> packed_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

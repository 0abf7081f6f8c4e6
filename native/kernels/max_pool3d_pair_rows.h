// SPDX-License-Identifier: Apache-2.0
// Short rows of windows of two by two by two, several of which share a vector.
//
// A step takes as many rows of windows as a vector has lanes for. The rows of the result that
// belong to them follow each other in a plane, so they are some vectors, too, wherever rows begin:
// each lane takes from its window, and keeps the gradient if that means this very element. Which
// window a lane takes from is the same in each step, and looked up.
#pragma once

#include <algorithm>

#include "kernels/max_pool3d_backward.h"
#include "kernels/max_pool3d_pair_codes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class PackedPairs {
  using Bits = BitsOf<T>;
  using Cells = Vector<Bits>;
  using Lanes = MaskOf<Cells>;
  using Words = Vector<uint32_t>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kCells = kLanes<Bits>;
  static constexpr int64_t kWords = kLanes<uint32_t>;
  static constexpr int64_t kMostVectors = 4;  // of each plane, in a step

 public:
  static bool possible(const PoolGradient& work) {
    // Offsets in a window must differ in as many bits as a lane has.
    const int64_t width = work.result.shape[4], reach = (work.result.shape[3] + 1) * width + 1;
    return kPermutesLanes<Bits> && work.gradients.shape[4] <= kCells &&
           2 * width <= kMostVectors * kCells && reach < std::numeric_limits<Bits>::max() &&
           2 * rows_of_step(work) * width >= kCells;
  }

  // Of tensors for which this is possible.
  explicit PackedPairs(const PoolGradient& work)
      : rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        width_(work.result.shape[4]),
        plane_(width_ * work.result.shape[3]),
        step_rows_(rows_of_step(work)),
        vectors_((step_rows_ * 2 * width_ - 1) / kCells + 1) {
    // What is written beyond a row is overwritten by the next.
    const Cells number = numbers<Cells>();
    for (int64_t row = 0; row < 2 * step_rows_; ++row) {
      const Bits window = static_cast<Bits>(row / 2 * columns_);
      const Bits below = static_cast<Bits>(row % 2 * width_);
      for (int64_t i = 0; i < width_; i += kCells) {
        const Cells column = number + static_cast<Bits>(i);
        const int64_t to = row * width_ + i;
        store_vector(lanes_ + to, (column / 2 + window) % static_cast<Bits>(kCells));
        store_vector(offsets_ + to, column < static_cast<Bits>(2 * columns_)
                                        ? column % 2 + below
                                        : splat<Cells>(std::numeric_limits<Bits>::max()));
      }
    }
    for (int64_t row = 0; row < step_rows_; ++row) {
      for (int64_t i = 0; i < columns_; i += kWords) {
        const Words column = numbers<Words>() + static_cast<uint32_t>(i + row * width_);
        store_vector(windows_ + row * columns_ + i, 2 * column);
      }
    }
  }

  // Rows of windows of some planes, no fewer than a step has. What becomes of a plane are two dense
  // ones; those of the next are a pitch behind. False if an index lies outside its window.
  bool select(const Slab& indices, const Slab& gradients, const Range& planes, const Range& rows,
              char* const* to, int64_t pitch) const {
    if (vectors_ == 1) return select<1>(indices, gradients, planes, rows, to, pitch);
    if (vectors_ == 2) return select<2>(indices, gradients, planes, rows, to, pitch);
    if (vectors_ == 3) return select<3>(indices, gradients, planes, rows, to, pitch);
    return select<4>(indices, gradients, planes, rows, to, pitch);
  }

 private:
  static int64_t rows_of_step(const PoolGradient& work) {
    return std::min({kCells / work.gradients.shape[4],
                     kMostVectors * kCells / (2 * work.result.shape[4]), work.gradients.shape[3]});
  }

  template <typename V>
  static V numbers() {
    V vector;
    for (int i = 0; i < kLanes<Element<V>>; ++i) vector[i] = static_cast<Element<V>>(i);
    return vector;
  }

  // The windows of a step, and the lanes that look at them.
  template <int vectors>
  class Step {
    static constexpr int kParts = vectors * kCells / 4 > kWords ? kCells / kWords : 1;

   public:
    static constexpr int kWindows = kParts * kWords;  // of which some belong to the next step

    explicit Step(const PackedPairs& packed)
        : plane_(static_cast<Bits>(packed.plane_)),
          row_(static_cast<Bits>(packed.width_)),
          last_((2 * packed.step_rows_ * packed.width_ - kCells) * kSize) {
      const auto windows = static_cast<uint32_t>(packed.step_rows_ * packed.columns_);
      own_ = bit_cast<Cells>(numbers<Cells>() < static_cast<Bits>(windows));
      for (int i = 0; i < kParts; ++i) {
        const uint32_t first = i * kWords;
        windows_[i] = load_vector<Words>(packed.windows_ + first);
        own_words_[i] = bit_cast<Words>(numbers<Words>() + first < windows);
      }
      for (int i = 0; i < vectors; ++i) {
        const int64_t first = at(i) / kSize;
        taken_[i] = load_vector<Lanes>(packed.lanes_ + first);
        wanted_[i] = load_vector<Cells>(packed.offsets_ + first);
      }
    }

    // The first window begins with this element.
    void select(const Index* indices, const T* gradients, int64_t begin, char* first,
                char* second) {
      const Cells offset = offsets(indices, static_cast<uint32_t>(begin));
      const Cells sum = all_lanes(sums_of_one<kWindows>(gradients));
      for (int i = 0; i < vectors; ++i) {
        const Cells own = permute_lanes(offset, taken_[i]), own_sum = permute_lanes(sum, taken_[i]);
        store_vector(first + at(i), own == wanted_[i] ? own_sum : Cells{});
        store_vector(second + at(i), own - plane_ == wanted_[i] ? own_sum : Cells{});
      }
    }

    bool all_inside() const {
      const Cells outside = bit_cast<Cells>(most_ > Bits{1}) | bit_cast<Cells>(far_);
      Bits any = 0;
      for (int i = 0; i < kCells; ++i) any |= outside[i];
      return any == 0;
    }

   private:
    // Where a vector of the result begins, in bytes. The last may begin in the one before it.
    int64_t at(int vector) const { return vector + 1 < vectors ? vector * kVectorBytes : last_; }

    // How far each index is from the begin of its window.
    Cells offsets(const Index* indices, uint32_t begin) {
      Words words[2];
      for (int i = 0; i < kParts; ++i) {
        const auto index = load_indices<Words>(indices + i * kWords);
        words[i] = index.low - (windows_[i] + begin);
        far_ |= index.high;
        if (kSize == 2) far_ |= own_words_[i] & words[i] >> 16;
      }
      Cells offset;
      if constexpr (kCells == kWords) {
        offset = words[0];
      } else {
        offset = low_halves(words[0], words[kParts - 1]);
      }
      Cells rest = offset >= plane_ ? offset - plane_ : offset;
      rest = rest >= row_ ? rest - row_ : rest;
      rest &= own_;
      most_ = most_ > rest ? most_ : rest;
      return offset;
    }

    static Cells low_halves(Words a, Words b) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      return evens(bit_cast<Cells>(a), bit_cast<Cells>(b));
#else
      return odds(bit_cast<Cells>(a), bit_cast<Cells>(b));
#endif
    }

    static Cells all_lanes(Cells cells) { return cells; }
    template <typename V>
    static Cells all_lanes(V half) {
      return join(half, half, std::make_integer_sequence<int, kCells>{});
    }

    const Bits plane_, row_;
    const int64_t last_;
    Words windows_[kParts], own_words_[kParts];
    Cells own_;
    Lanes taken_[vectors];
    Cells wanted_[vectors];
    Words far_ = {};
    Cells most_ = {};
  };

  template <int vectors>
  ACLHOST_APART bool select(const Slab& indices, const Slab& gradients, const Range& planes,
                            const Range& rows, char* const* to, int64_t pitch) const {
    constexpr int64_t lanes = Step<vectors>::kWindows;
    const int64_t step_rows = step_rows_, columns = columns_, width = width_;
    const int64_t last = rows.end - step_rows, windows = step_rows * columns;
    const bool follow = follows<Index>(indices) && follows<T>(gradients);
    Step<vectors> step(*this);
    char *first = to[0], *second = to[1];
    for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
      const int64_t begin = 2 * plane * plane_;
      const auto* index = reinterpret_cast<const Index*>(indices.row(plane, 0));
      const auto* gradient = reinterpret_cast<const T*>(gradients.row(plane, 0));
      // Up to here, nothing behind the slab is read.
      const int64_t left = (indices.shape[0] - plane) * rows_ * columns - lanes;
      int64_t row = rows.begin;
      for (; follow && row < rows.end; row += step_rows) {
        // The last step may begin inside the one before it.
        const int64_t h = std::min(row, last), done = 2 * (h - rows.begin) * width * kSize;
        if (h * columns > left) break;
        step.select(index + h * columns, gradient + h * columns, begin + 2 * h * width,
                    first + done, second + done);
      }
      for (; row < rows.end; row += step_rows) {
        const int64_t h = std::min(row, last), done = 2 * (h - rows.begin) * width * kSize;
        alignas(64) Index index_copy[lanes];
        alignas(64) T gradient_copy[lanes];
        copy_rows(indices, plane, {h, h + step_rows}, index_copy);
        copy_rows(gradients, plane, {h, h + step_rows}, gradient_copy);
        std::fill(index_copy + windows, index_copy + lanes, Index{0});
        step.select(index_copy, gradient_copy, begin + 2 * h * width, first + done, second + done);
      }
      first += pitch;
      second += pitch;
    }
    return step.all_inside();
  }

  template <typename E>
  static bool follows(const Slab& slab) {
    constexpr int64_t kItem = sizeof(E);
    return reinterpret_cast<uintptr_t>(slab.data) % alignof(E) == 0 && slab.dense(kItem);
  }

  template <typename E>
  static void copy_rows(const Slab& slab, int64_t plane, const Range& rows, E* to) {
    for (int64_t h = rows.begin; h < rows.end; ++h) {
      const char* const row = slab.row(plane, h);
      for (int64_t w = 0; w < slab.shape[2]; ++w) *to++ = load<E>(row + w * slab.strides[2]);
    }
  }

  const int64_t rows_, columns_;                   // pooled
  const int64_t width_, plane_;                    // of the result
  const int64_t step_rows_;                        // pooled
  const int64_t vectors_;                          // of a plane of the result, in a step
  alignas(64) uint32_t windows_[kCells + kWords];  // where they begin, from the step's first
  alignas(64) Bits lanes_[(kMostVectors + 1) * kCells];
  alignas(64) Bits offsets_[(kMostVectors + 1) * kCells];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Windows of two by two by two that are taken a vector at a time, as many rows as that holds.
//
// A step takes some short rows of windows, or a part of a long one. The rows of the result that
// belong to short ones follow each other in a plane, so they are some vectors, too, wherever rows
// begin: each lane takes from its window, and keeps the gradient if that means this very element.
// Which window a lane takes from is the same in each step, and looked up.
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
  struct Part {
    Slab gradients, indices, result;
  };

  static bool possible(const PoolGradient& work) {
    // Offsets in a window must differ in as many bits as a lane has.
    const int64_t width = work.result.shape[4], reach = (work.result.shape[3] + 1) * width + 1;
    return kPermutesLanes<Bits> && reach < std::numeric_limits<Bits>::max() &&
           2 * rows_of_step(work) * width >= kCells;
  }

  // Of tensors for which this is possible.
  explicit PackedPairs(const PoolGradient& work)
      : rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        width_(work.result.shape[4]),
        plane_(width_ * work.result.shape[3]),
        step_rows_(rows_of_step(work)),
        step_columns_(long_rows(work) ? kCells : columns_),
        step_width_(long_rows(work) ? 2 * kCells : width_),
        vectors_((step_rows_ * 2 * step_width_ - 1) / kCells + 1) {
    // What is written beyond a row is overwritten by the next.
    const Cells number = numbers<Cells>();
    for (int64_t row = 0; row < 2 * step_rows_; ++row) {
      const Bits window = static_cast<Bits>(row / 2 * step_columns_);
      const Bits below = static_cast<Bits>(row % 2 * width_);
      for (int64_t i = 0; i < step_width_; i += kCells) {
        const Cells column = number + static_cast<Bits>(i);
        const int64_t to = row * step_width_ + i;
        store_vector(lanes_ + to, (column / 2 + window) % static_cast<Bits>(kCells));
        store_vector(offsets_ + to, column < static_cast<Bits>(2 * step_columns_)
                                        ? column % 2 + below
                                        : splat<Cells>(std::numeric_limits<Bits>::max()));
      }
    }
    for (int64_t row = 0; row < step_rows_; ++row) {
      for (int64_t i = 0; i < step_columns_; i += kWords) {
        const Words column = numbers<Words>() + static_cast<uint32_t>(i + row * width_);
        store_vector(windows_ + row * step_columns_ + i, 2 * column);
      }
    }
  }

  // Whether the elements of a row that no window sees are cleared.
  bool clears_rows() const { return step_width_ == width_; }

  // Rows of windows of some planes, no fewer than a step has. What becomes of a plane are two dense
  // ones; those of the next are a pitch behind. False if an index lies outside its window.
  bool select(const Part& part, const Range& planes, const Range& rows, char* const* to,
              int64_t pitch) const {
    if (vectors_ == 1) return select<1>(part, planes, rows, to, pitch);
    if (vectors_ == 2) return select<2>(part, planes, rows, to, pitch);
    if (vectors_ == 3) return select<3>(part, planes, rows, to, pitch);
    return select<4>(part, planes, rows, to, pitch);
  }

 private:
  static bool long_rows(const PoolGradient& work) {
    return work.gradients.shape[4] > kCells || 2 * work.result.shape[4] > kMostVectors * kCells;
  }

  static int64_t rows_of_step(const PoolGradient& work) {
    if (long_rows(work)) return 1;
    return std::min({kCells / work.gradients.shape[4],
                     kMostVectors * kCells / (2 * work.result.shape[4]), work.gradients.shape[3]});
  }

  template <typename V>
  static V numbers() {
    V vector;
    for (int i = 0; i < kLanes<Element<V>>; ++i) vector[i] = static_cast<Element<V>>(i);
    return vector;
  }

  // How steps follow each other: some short rows are one line, and long ones a line each. The last
  // step of a line may have to begin inside the one before it.
  struct Walk {
    Walk(const PackedPairs& packed, const Range& rows)
        : windows(packed.step_rows_ * packed.step_columns_) {
      if (packed.clears_rows()) {
        const int64_t step_rows = packed.step_rows_;
        lines = 1;
        steps = (rows.size() - 1) / step_rows + 1;
        const int64_t rows_back = steps * step_rows - rows.size();
        elements = 2 * step_rows * packed.width_;
        windows_back = rows_back * packed.columns_;
        elements_back = 2 * rows_back * packed.width_;
      } else {
        lines = rows.size();
        steps = (packed.columns_ - 1) / kCells + 1;
        elements = 2 * kCells;
        windows_back = steps * kCells - packed.columns_;
        elements_back = 2 * windows_back;
      }
    }
    int64_t lines;              // of a plane
    int64_t steps;              // of a line
    int64_t windows, elements;  // from a step to the next
    int64_t windows_back, elements_back;
  };

  // The windows of a step, and the lanes that look at them.
  template <int vectors>
  class Step {
    static constexpr int kParts = vectors * kCells / 4 > kWords ? kCells / kWords : 1;

   public:
    static constexpr int kWindows = kParts * kWords;  // of which some belong to the next step

    explicit Step(const PackedPairs& packed)
        : plane_(static_cast<Bits>(packed.plane_)), row_(static_cast<Bits>(packed.width_)) {
      const auto windows = static_cast<uint32_t>(packed.step_rows_ * packed.step_columns_);
      own_ = bit_cast<Cells>(numbers<Cells>() < static_cast<Bits>(windows));
      for (int i = 0; i < kParts; ++i) {
        const uint32_t first = i * kWords;
        windows_[i] = load_vector<Words>(packed.windows_ + first);
        own_words_[i] = bit_cast<Words>(numbers<Words>() + first < windows);
      }
      for (int i = 0; i < vectors; ++i) {
        // The last vector may begin in the one before it.
        const int64_t last = 2 * packed.step_rows_ * packed.step_width_ - kCells;
        const int64_t first = std::min(i * kCells, last);
        const bool below = packed.step_width_ != packed.width_ && i >= 2;
        places_[i] = (first + (below ? packed.width_ - packed.step_width_ : 0)) * kSize;
        taken_[i] = load_vector<Lanes>(packed.lanes_ + first);
        wanted_[i] = load_vector<Cells>(packed.offsets_ + first);
      }
    }

    // The element that the first window begins with, and how far the next step is.
    void begin_with(int64_t element) {
      for (int i = 0; i < kParts; ++i) begins_[i] = windows_[i] + static_cast<uint32_t>(element);
    }
    void move(int64_t elements) {
      for (Words& begins : begins_) begins += static_cast<uint32_t>(elements);
    }

    void select(const Index* indices, const T* gradients, char* first, char* second) {
      const Cells offset = offsets(indices);
      const Cells sum = all_lanes(sums_of_one<kWindows>(gradients));
      for (int i = 0; i < vectors; ++i) {
        const Cells own = permute_lanes(offset, taken_[i]), own_sum = permute_lanes(sum, taken_[i]);
        store_vector(first + places_[i], own == wanted_[i] ? own_sum : Cells{});
        store_vector(second + places_[i], own - plane_ == wanted_[i] ? own_sum : Cells{});
      }
    }

    bool all_inside() const {
      const Cells outside = bit_cast<Cells>(most_ > Bits{1}) | bit_cast<Cells>(far_);
      Bits any = 0;
      for (int i = 0; i < kCells; ++i) any |= outside[i];
      return any == 0;
    }

   private:
    // How far each index is from the begin of its window.
    Cells offsets(const Index* indices) {
      Words words[2];
      for (int i = 0; i < kParts; ++i) {
        const auto index = load_indices<Words>(indices + i * kWords);
        words[i] = index.low - begins_[i];
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
    int64_t places_[vectors];  // of vectors of the result, in bytes
    Words windows_[kParts], begins_[kParts], own_words_[kParts];
    Cells own_;
    Lanes taken_[vectors];
    Cells wanted_[vectors];
    Words far_ = {};
    Cells most_ = {};
  };

  template <int vectors>
  bool select(const Part& part, const Range& planes, const Range& rows, char* const* to,
              int64_t pitch) const {
    // Steps read more windows than they take; in the last planes those may lie behind the slab.
    const int64_t pooled_plane = rows_ * columns_;
    const int64_t more = Step<vectors>::kWindows - step_rows_ * step_columns_;
    const bool follow = follows<Index>(part.indices) && follows<T>(part.gradients);
    const int64_t careful = more > 0 ? (more - 1) / pooled_plane + 1 : 0;
    const int64_t easy = follow ? part.indices.shape[0] - careful : 0;
    const int64_t middle = std::min(std::max(planes.begin, easy), planes.end);
    const int64_t skipped = (middle - planes.begin) * pitch;
    char* const rest[] = {to[0] + skipped, to[1] + skipped};
    bool inside = true;
    if (planes.begin < middle) {
      inside = select<vectors, true>(part, {planes.begin, middle}, rows, to, pitch);
    }
    if (middle < planes.end) {
      inside &= select<vectors, false>(part, {middle, planes.end}, rows, rest, pitch);
    }
    return inside;
  }

  template <int vectors, bool easy>
  ACLHOST_APART bool select(const Part& part, const Range& planes, const Range& rows,
                            char* const* to, int64_t pitch) const {
    constexpr int64_t lanes = Step<vectors>::kWindows;
    const Walk walk(*this, rows);
    const auto* index = reinterpret_cast<const Index*>(part.indices.row(planes.begin, 0));
    const auto* gradient = reinterpret_cast<const T*>(part.gradients.row(planes.begin, 0));
    // Up to here, what a step reads lies in the slab.
    int64_t last = -1;
    if (follows<Index>(part.indices) && follows<T>(part.gradients)) {
      last = (part.indices.shape[0] - planes.begin) * rows_ * columns_ - lanes;
    }
    char *first = to[0], *second = to[1];
    Step<vectors> step(*this);
    for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
      for (int64_t line = 0; line < walk.lines; ++line) {
        int64_t window = (rows.begin + line) * columns_, at = 2 * line * width_ * kSize;
        step.begin_with(2 * (plane * plane_ + (rows.begin + line) * width_));
        for (int64_t left = walk.steps; left > 0; --left) {
          if (left == 1 && walk.windows_back > 0) {
            window -= walk.windows_back;
            at -= walk.elements_back * kSize;
            step.move(-walk.elements_back);
          }
          if (easy || window <= last) {
            step.select(index + window, gradient + window, first + at, second + at);
          } else {
            alignas(64) Index index_copy[lanes] = {};
            alignas(64) T gradient_copy[lanes] = {};
            copy_step(part.indices, plane, window, index_copy);
            copy_step(part.gradients, plane, window, gradient_copy);
            step.select(index_copy, gradient_copy, first + at, second + at);
          }
          window += walk.windows;
          at += walk.elements * kSize;
          step.move(walk.elements);
        }
      }
      index += rows_ * columns_;
      gradient += rows_ * columns_;
      last -= rows_ * columns_;
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
  void copy_step(const Slab& slab, int64_t plane, int64_t window, E* to) const {
    const int64_t row = window / columns_, column = window % columns_;
    for (int64_t h = row; h < row + step_rows_; ++h) {
      const char* const from = slab.row(plane, h) + column * slab.strides[2];
      for (int64_t w = 0; w < step_columns_; ++w) *to++ = load<E>(from + w * slab.strides[2]);
    }
  }

  const int64_t rows_, columns_;  // pooled
  const int64_t width_, plane_;   // of the result
  const int64_t step_rows_, step_columns_;
  const int64_t step_width_;                       // of the result
  const int64_t vectors_;                          // of a plane of the result, in a step
  alignas(64) uint32_t windows_[kCells + kWords];  // where they begin, from the step's first
  alignas(64) Bits lanes_[(kMostVectors + 1) * kCells];
  alignas(64) Bits offsets_[(kMostVectors + 1) * kCells];
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Steps of a vector of windows of two by two by two, and what each lane of the result looks at.
//
// A step takes some short rows of windows, or a part of a long one. The rows of the result that
// belong to short ones follow each other in a plane, so they are some vectors, too, wherever rows
// begin: each lane takes from its window, and keeps the gradient if that means this very element.
// Which window a lane takes from is the same in each step, and looked up.
#pragma once

#include <algorithm>

#include "kernels/pooling/max_pool3d_backward.h"
#include "kernels/pooling/max_pool3d_pair_codes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T>
class PairSteps {
  using Bits = BitsOf<T>;
  using Cells = Vector<Bits>;
  using Lanes = MaskOf<Cells>;
  using Words = Vector<uint32_t>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kWords = kLanes<uint32_t>;
  static constexpr int64_t kMostVectors = 4;  // of each plane, in a step

 public:
  static constexpr int64_t kCells = kLanes<Bits>;

  static bool possible(const PoolGradient& work) {
    // Offsets in a window must differ in as many bits as a lane has.
    const int64_t width = work.result.shape[4], reach = (work.result.shape[3] + 1) * width + 1;
    return kPermutesLanes<Bits> && reach < std::numeric_limits<Bits>::max() &&
           2 * rows_of_step(work) * width >= kCells;
  }

  // Of tensors for which this is possible.
  explicit PairSteps(const PoolGradient& work)
      : columns_(work.gradients.shape[4]),
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

  int64_t rows() const { return step_rows_; }
  int64_t columns() const { return step_columns_; }
  int64_t vectors() const { return vectors_; }  // of a plane of the result
  bool whole_rows() const { return step_width_ == width_; }

  template <typename Index, int vectors>
  class Step;

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

  const int64_t columns_;        // pooled
  const int64_t width_, plane_;  // of the result
  const int64_t step_rows_, step_columns_;
  const int64_t step_width_;  // of the result
  const int64_t vectors_;
  alignas(64) uint32_t windows_[kCells + kWords];  // where they begin, from the step's first
  alignas(64) Bits lanes_[(kMostVectors + 1) * kCells];
  alignas(64) Bits offsets_[(kMostVectors + 1) * kCells];
};

// The windows of a step, and the lanes that look at them.
template <typename T>
template <typename Index, int vectors>
class PairSteps<T>::Step {
  static constexpr int kParts = vectors * kCells / 4 > kWords ? kCells / kWords : 1;

 public:
  static constexpr int kWindows = kParts * kWords;  // of which some belong to the next step

  explicit Step(const PairSteps& steps)
      : plane_(static_cast<Bits>(steps.plane_)), row_(static_cast<Bits>(steps.width_)) {
    const auto windows = static_cast<uint32_t>(steps.step_rows_ * steps.step_columns_);
    own_ = bit_cast<Cells>(numbers<Cells>() < static_cast<Bits>(windows));
    for (int i = 0; i < kParts; ++i) {
      const uint32_t first = i * kWords;
      windows_[i] = load_vector<Words>(steps.windows_ + first);
      own_words_[i] = bit_cast<Words>(numbers<Words>() + first < windows);
    }
    for (int i = 0; i < vectors; ++i) {
      // The last vector may begin in the one before it.
      const int64_t last = 2 * steps.step_rows_ * steps.step_width_ - kCells;
      const int64_t first = std::min(i * kCells, last);
      const bool below = steps.step_width_ != steps.width_ && i >= 2;
      places_[i] = (first + (below ? steps.width_ - steps.step_width_ : 0)) * kSize;
      taken_[i] = load_vector<Lanes>(steps.lanes_ + first);
      wanted_[i] = load_vector<Cells>(steps.offsets_ + first);
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

}  // namespace ACLHOST_ISA
}  // namespace aclhost

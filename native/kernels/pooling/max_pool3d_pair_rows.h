// SPDX-License-Identifier: Apache-2.0
// Windows of two by two by two that are taken a vector at a time, as many rows as that holds.
#pragma once

#include <algorithm>

#include "kernels/pooling/max_pool3d_backward.h"
#include "kernels/pooling/max_pool3d_pair_steps.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class PackedPairs {
  using Steps = PairSteps<T>;
  template <int vectors>
  using Step = typename Steps::template Step<Index, vectors>;
  static constexpr int64_t kSize = sizeof(T);

 public:
  struct Part {
    Slab gradients, indices, result;
  };

  static bool possible(const PoolGradient& work) {
    const int64_t* strides = work.result.strides;
    return follows<T>(work.gradients) && follows<Index>(work.indices) && strides[4] == kSize &&
           strides[3] == work.result.shape[4] * kSize && Steps::possible(work);
  }

  // Of tensors for which this is possible.
  explicit PackedPairs(const PoolGradient& work)
      : steps_(work),
        rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        width_(work.result.shape[4]),
        plane_(width_ * work.result.shape[3]) {}

  // Whether the elements of a row that no window sees are cleared.
  bool clears_rows() const { return steps_.whole_rows(); }

  // Rows of windows of some planes, no fewer than a step has. What becomes of a plane are two dense
  // ones; those of the next are a pitch behind. False if an index lies outside its window.
  bool select(const Part& part, const Range& planes, const Range& rows, char* const* to,
              int64_t pitch) const {
    if (steps_.vectors() == 1) return select<1>(part, planes, rows, to, pitch);
    if (steps_.vectors() == 2) return select<2>(part, planes, rows, to, pitch);
    if (steps_.vectors() == 3) return select<3>(part, planes, rows, to, pitch);
    return select<4>(part, planes, rows, to, pitch);
  }

 private:
  // How steps follow each other: some short rows are one line, and long ones a line each. The last
  // step of a line may have to begin inside the one before it.
  struct Walk {
    Walk(const PackedPairs& packed, const Range& rows)
        : windows(packed.steps_.rows() * packed.steps_.columns()) {
      if (packed.steps_.whole_rows()) {
        const int64_t step_rows = packed.steps_.rows();
        lines = 1;
        steps = (rows.size() - 1) / step_rows + 1;
        const int64_t rows_back = steps * step_rows - rows.size();
        elements = 2 * step_rows * packed.width_;
        windows_back = rows_back * packed.columns_;
        elements_back = 2 * rows_back * packed.width_;
      } else {
        lines = rows.size();
        steps = (packed.columns_ - 1) / Steps::kCells + 1;
        elements = 2 * Steps::kCells;
        windows_back = steps * Steps::kCells - packed.columns_;
        elements_back = 2 * windows_back;
      }
    }
    int64_t lines;              // of a plane
    int64_t steps;              // of a line
    int64_t windows, elements;  // from a step to the next
    int64_t windows_back, elements_back;
  };

  template <int vectors>
  bool select(const Part& part, const Range& planes, const Range& rows, char* const* to,
              int64_t pitch) const {
    // Steps read more windows than they take; in the last planes those may lie behind the slab.
    const int64_t pooled_plane = rows_ * columns_;
    const int64_t more = Step<vectors>::kWindows - steps_.rows() * steps_.columns();
    const int64_t careful = more > 0 ? (more - 1) / pooled_plane + 1 : 0;
    const int64_t easy = part.indices.shape[0] - careful;
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
    int64_t last = (part.indices.shape[0] - planes.begin) * rows_ * columns_ - lanes;
    char *first = to[0], *second = to[1];
    Step<vectors> step(steps_);
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
            std::copy_n(index + window, walk.windows, index_copy);
            std::copy_n(gradient + window, walk.windows, gradient_copy);
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

  // Whether the elements of each slab follow each other.
  template <typename E>
  static bool follows(const Volumes& volumes) {
    return reinterpret_cast<uintptr_t>(volumes.data) % alignof(E) == 0 &&
           volumes.slab(0).dense(sizeof(E));
  }

  const Steps steps_;
  const int64_t rows_, columns_;  // pooled
  const int64_t width_, plane_;   // of the result
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

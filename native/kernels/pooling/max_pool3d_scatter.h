// SPDX-License-Identifier: Apache-2.0
// Scatters gradients to the elements that the pooling took, wherever those are.
//
// A dense FLOAT slab is its own accumulator. Any other slab goes through a scratch, block by block:
// a block reads only the pooled positions whose windows reach it. If an index points outside its
// window, its gradient may then land in no block. The number of those that did land tells, and the
// slab is done again with every block reading every position.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "kernels/pooling/max_pool3d_backward.h"
#include "kernels/pooling/max_pool3d_overlapping.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kBlockSums = 16 * 1024;
// Each block of the slow path reads the whole slab, so their number is limited instead.
constexpr int64_t kMostSlowBlocks = 64;

// Pooled positions: the product of three ranges.
struct Box {
  Range axis[3];
};

inline Box everything_in(const Slab& pooled) {
  return {{{0, pooled.shape[0]}, {0, pooled.shape[1]}, {0, pooled.shape[2]}}};
}

// The pooled positions whose windows touch a block. A block within one plane, or one row, is
// reached by fewer of them.
inline Box windows_reaching(const Range& block, const Slab& input, const Slab& pooled,
                            const Window& window) {
  Range covered[3] = {{0, input.shape[0]}, {0, input.shape[1]}, {0, input.shape[2]}};
  int64_t begin = block.begin, last = block.end - 1;
  int64_t size = input.elements();
  for (int axis = 0; axis < 3; ++axis) {
    size /= input.shape[axis];
    covered[axis] = {begin / size, last / size + 1};
    if (covered[axis].size() > 1) break;
    begin %= size;
    last %= size;
  }
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    box.axis[axis] = windows_reaching(covered[axis], window, axis, pooled.shape[axis]);
  }
  return box;
}

// The block that starts here: whole planes, else whole rows of a plane, else a part of a row.
inline Range block_at(int64_t begin, const Slab& input, int64_t most) {
  const int64_t plane = input.plane(), row = input.shape[2];
  const int64_t unit = plane <= most ? plane : row <= most ? row : 1;
  const int64_t whole = plane <= most ? input.elements() : row <= most ? plane : row;
  const int64_t end_of_whole = (begin / whole + 1) * whole;
  return {begin, std::min(begin + most / unit * unit, end_of_whole)};
}

template <typename T, typename Index>
class SlabGradient {
  using Real = ComputeType<T>;

 public:
  SlabGradient(const Slab& gradient, const Slab& indices, const Slab& result, const Window& window)
      : gradient_(gradient), indices_(indices), result_(result), window_(window) {}

  // False if some gradient had nowhere to go.
  bool compute() const {
    if (result_is_accumulator()) return accumulate_in_place() == gradient_.elements();
    Real sums[kBlockSums];
    int64_t landed = 0;
    if (result_.elements() <= kBlockSums) {  // one block, which every window reaches
      const Range everything = {0, result_.elements()};
      landed = accumulate(everything, everything_in(gradient_), sums);
      deliver(everything, sums);
      return landed == gradient_.elements();
    }
    for_each_block(kBlockSums, [&](const Range& block) {
      landed += accumulate(block, windows_reaching(block, result_, gradient_, window_), sums);
      deliver(block, sums);
    });
    if (landed == gradient_.elements()) return true;
    return compute_without_windows(sums) == gradient_.elements();
  }

  // The first pooled position whose index is outside the input.
  int64_t first_bad_position(int64_t* index) const {
    int64_t position = 0;
    for (int64_t d = 0; d < indices_.shape[0]; ++d) {
      for (int64_t h = 0; h < indices_.shape[1]; ++h) {
        const char* row = indices_.row(d, h);
        for (int64_t w = 0; w < indices_.shape[2]; ++w, ++position) {
          *index = load<Index>(row + w * indices_.strides[2]);
          if (*index < 0 || *index >= result_.elements()) return position;
        }
      }
    }
    return position;
  }

 private:
  bool result_is_accumulator() const {
    const bool aligned = reinterpret_cast<uintptr_t>(result_.data) % alignof(T) == 0;
    return std::is_same_v<T, Real> && aligned && result_.dense(sizeof(T));
  }

  int64_t accumulate_in_place() const {
    const Range everything = {0, result_.elements()};
    return accumulate(everything, everything_in(gradient_), reinterpret_cast<Real*>(result_.data));
  }

  template <typename Visit>
  void for_each_block(int64_t most, const Visit& visit) const {
    for (int64_t begin = 0; begin < result_.elements();) {
      const Range block = block_at(begin, result_, most);
      visit(block);
      begin = block.end;
    }
  }

  int64_t compute_without_windows(Real* small) const {
    const int64_t wanted = (result_.elements() + kMostSlowBlocks - 1) / kMostSlowBlocks;
    std::unique_ptr<Real[]> large;
    if (wanted > kBlockSums) large.reset(new (std::nothrow) Real[wanted]);
    Real* const sums = large ? large.get() : small;
    int64_t landed = 0;
    for_each_block(large ? wanted : kBlockSums, [&](const Range& block) {
      landed += accumulate(block, everything_in(gradient_), sums);
      deliver(block, sums);
    });
    return landed;
  }

  // Sums up the gradients that belong to a block; tells how many there were.
  int64_t accumulate(const Range& block, const Box& pooled, Real* sums) const {
    std::fill_n(sums, block.size(), Real{0});
    int64_t landed = 0;
    for (int64_t d = pooled.axis[0].begin; d < pooled.axis[0].end; ++d) {
      for (int64_t h = pooled.axis[1].begin; h < pooled.axis[1].end; ++h) {
        landed +=
            accumulate_row(block, gradient_.row(d, h), indices_.row(d, h), pooled.axis[2], sums);
      }
    }
    return landed;
  }

  int64_t accumulate_row(const Range& block, const char* gradients, const char* indices,
                         const Range& positions, Real* sums) const {
    int64_t landed = 0;
    for (int64_t w = positions.begin; w < positions.end; ++w) {
      const int64_t index = load<Index>(indices + w * indices_.strides[2]);
      if (index < block.begin || index >= block.end) continue;
      sums[index - block.begin] += widen(load<T>(gradients + w * gradient_.strides[2]));
      ++landed;
    }
    return landed;
  }

  // Rounds the sums once and puts them where the block lies.
  void deliver(const Range& block, const Real* sums) const {
    constexpr int64_t kSize = sizeof(T);
    if (result_.dense(kSize)) {
      round_run(sums, block.size(), result_.data + block.begin * kSize, kSize);
      return;
    }
    const int64_t width = result_.shape[2], step = result_.strides[2];
    for (int64_t begin = block.begin; begin < block.end;) {
      const int64_t row = begin / width, end = std::min(block.end, (row + 1) * width);
      char* to = result_.row(row / result_.shape[1], row % result_.shape[1]);
      round_run(sums + (begin - block.begin), end - begin, to + begin % width * step, step);
      begin = end;
    }
  }

  static void round_run(const Real* sums, int64_t count, char* to, int64_t step) {
    constexpr int64_t kSize = sizeof(T);
    int64_t i = 0;
    for (; step == kSize && i + kLanes<Real> <= count; i += kLanes<Real>) {
      store_narrowed(reinterpret_cast<T*>(to) + i, load_vector<Vector<Real>>(sums + i));
    }
    for (; i < count; ++i) store(to + i * step, Narrow<T>::from(sums[i]));
  }

  const Slab gradient_, indices_, result_;
  const Window& window_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

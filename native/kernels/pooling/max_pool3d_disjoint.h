// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling with windows that share no element: nothing is summed up or scattered.
//
// Every element of the result is the gradient of its window or 0. An index tells which row of its
// window it means, and which column. Some rows of windows are staged: for each column of the
// result, the row that gets the window's gradient there, and that gradient. Every row of the result
// is then one comparison and one selection per vector. Past the cache, whole planes of a block are
// written at once: stores to several rows in turn would each leave a line unfinished.
#pragma once

#include <algorithm>

#include "kernels/pooling/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace disjoint_detail {

// A row of the result: the gradients of the columns where it is the staged row.
template <int lanes, typename Bits>
inline void select_row(const Bits* staged, const Bits* gradients, Bits row, int64_t count,
                       char* to) {
  using V = Vector<Bits, lanes>;
  const auto step = [=](int64_t i) {
    const V row_of_column = load_vector<V>(staged + i), gradient = load_vector<V>(gradients + i);
    store_vector(to + i * sizeof(Bits), row_of_column == splat<V>(row) ? gradient : V{});
  };
  if constexpr (lanes > 1) {
    if (count < lanes) return select_row<lanes / 2>(staged, gradients, row, count, to);
  }
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(i);
  if (i < count) step(count - lanes);
}

}  // namespace disjoint_detail

template <typename T, typename Index>
class DisjointWindows {
  using Bits = BitsOf<T>;
  static constexpr int kStep = kLanes<ComputeType<T>>;
  static constexpr int64_t kSize = sizeof(T);
  using Words = Vector<int32_t, kStep>;
  using Pattern = Vector<Bits, kStep>;

  static constexpr int64_t kStaged = 2048;    // columns of all staged rows together
  static constexpr int64_t kFinished = 8192;  // elements of the result before they are written
  static constexpr Bits kNoRow = static_cast<Bits>(-1);

 public:
  static bool possible(const PoolGradient& work) {
    const Window& window = work.window;
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t kernel = window.kernel[axis], stride = window.stride[axis];
      const int64_t before_last = (work.gradients.shape[2 + axis] - 1) * stride;
      if (kernel > stride || window.padding[axis] != 0) return false;
      if (window.dilation[axis] != 1 && kernel != 1) return false;
      if (before_last + kernel > work.result.shape[2 + axis]) return false;
    }
    return work.gradients.shape[4] >= kFewestColumns &&
           work.result.slab(0).elements() <= INT32_MAX && window.kernel[0] <= 64 &&
           window.kernel[1] <= 64 && work.gradients.shape[4] * window.stride[2] <= kStaged &&
           2 * window.stride[1] * work.result.shape[4] <= kFinished;
  }

  DisjointWindows(const PoolGradient& work, SlabFlags* outside)
      : work_(work),
        outside_(outside),
        rows_(work.gradients.shape[3]),
        columns_(work.gradients.shape[4]),
        staged_columns_(columns_ * work.window.stride[2]),
        block_rows_(most_rows()),
        blocks_((rows_ + block_rows_ - 1) / block_rows_) {}

  // A unit is a block of pooled rows of one plane; its windows own some rows of some planes.
  int64_t units() const { return work_.result.slabs() * work_.gradients.shape[2] * blocks_; }
  int64_t elements_of_unit() const {
    return work_.window.stride[0] * block_rows_ * work_.window.stride[1] * work_.result.shape[4];
  }

  void compute(int64_t begin, int64_t end) const {
    Stage stage;
    locate_windows(stage.windows);
    const int64_t planes = work_.gradients.shape[2];
    int64_t block = begin % blocks_, plane = begin / blocks_ % planes;
    for (int64_t unit = begin, slab = begin / blocks_ / planes; unit < end; ++slab) {
      const Slab gradients = work_.gradients.slab(slab), indices = work_.indices.slab(slab);
      const Slab result = work_.result.slab(slab);
      for (; plane < planes && unit < end; ++plane) {
        for (; block < blocks_ && unit < end; ++block, ++unit) {
          if (!fill(gradients, indices, plane, block, &stage)) outside_->set(slab);
          write(&stage, result, plane, block);
        }
        block = 0;
      }
      plane = 0;
    }
    if (work_.past_cache) finish_streaming();
  }

 private:
  // As many as can be staged, and finished together with rows behind them that no window sees.
  int64_t most_rows() const {
    const int64_t finished = kFinished / (work_.window.stride[1] * work_.result.shape[4]);
    return std::min({kStaged / staged_columns_, finished - 1, rows_});
  }

  struct Stage {
    alignas(64) Bits rows[kStaged + 2 * kStep];       // of the window, for each column
    alignas(64) Bits gradients[kStaged + 2 * kStep];  // for each column
    alignas(64) int32_t windows[kStaged + kStep];     // first elements, from the block's first
    alignas(64) Index indices[kStaged + kStep];       // copies of what is not contiguous
    alignas(64) T values[kStaged + kStep];
    alignas(64) Bits finished[kFinished];
  };

  void locate_windows(int32_t* windows) const {
    const int64_t row_step = work_.window.stride[1] * work_.result.shape[4];
    for (int64_t row = 0; row < block_rows_; ++row) {
      for (int64_t column = 0; column < columns_; ++column) {
        *windows++ = static_cast<int32_t>(row * row_step + column * work_.window.stride[2]);
      }
    }
    std::fill_n(windows, kStep, 0);
  }

  // The elements of a block one after the other: where they are, or a copy.
  template <typename E>
  const E* run_of(const Slab& slab, int64_t plane, int64_t first_row, int64_t rows, E* copy) const {
    constexpr int64_t kItem = sizeof(E);
    const bool follow = rows == 1 || slab.strides[1] == columns_ * kItem;
    if (follow && (columns_ == 1 || slab.strides[2] == kItem)) {
      return contiguous(slab.row(plane, first_row), kItem, rows * columns_, copy);
    }
    for (int64_t row = 0; row < rows; ++row) {
      const char* from = slab.row(plane, first_row + row);
      for (int64_t i = 0; i < columns_; ++i) {
        copy[row * columns_ + i] = load<E>(from + i * slab.strides[2]);
      }
    }
    return copy;
  }

  // Stages a block. False if an index lies outside its window.
  ACLHOST_APART bool fill(const Slab& gradients, const Slab& indices, int64_t plane, int64_t block,
                          Stage* stage) const {
    const int64_t first_row = block * block_rows_;
    const int64_t rows = std::min(block_rows_, rows_ - first_row), count = rows * columns_;
    const Index* index = run_of(indices, plane, first_row, rows, stage->indices);
    const T* value = run_of(gradients, plane, first_row, rows, stage->values);
    Fold fold(work_, plane * work_.window.stride[0], first_row * work_.window.stride[1]);
    int64_t i = 0;
    for (; i + kStep <= count; i += kStep) fold.step(index + i, value + i, i, stage);
    if (i < count) {
      Index last_indices[kStep];
      T last_values[kStep] = {};
      for (int64_t k = 0; k < kStep; ++k) {
        last_indices[k] = i + k < count
                              ? index[i + k]
                              : static_cast<Index>(fold.block_begin + stage->windows[i + k]);
      }
      std::memcpy(last_values, value + i, (count - i) * kSize);
      fold.step(last_indices, last_values, i, stage);
    }
    return fold.all_inside();
  }

  // Folds indices to rows and columns of their windows.
  struct Fold {
    const Window& window;
    const int32_t plane, row;   // elements of the result in a plane and in a row
    const int32_t block_begin;  // the first element of the block's first window
    Words negative = {}, far = {}, beyond = {};

    Fold(const PoolGradient& work, int64_t first_plane, int64_t first_row)
        : window(work.window),
          plane(static_cast<int32_t>(work.result.shape[3] * work.result.shape[4])),
          row(static_cast<int32_t>(work.result.shape[4])),
          block_begin(static_cast<int32_t>(first_plane * plane + first_row * row)) {}

    void step(const Index* indices, const T* values, int64_t at, Stage* stage) {
      const auto index = load_indices<Words>(indices);
      Words rest = index.low - (load_vector<Words>(stage->windows + at) + block_begin);
      const Words of_plane = count_off(&rest, plane, window.kernel[0]);
      const Words of_row = count_off(&rest, row, window.kernel[1]);
      const int32_t kernel_rows = static_cast<int32_t>(window.kernel[1]);
      const uint32_t kernel_columns = static_cast<uint32_t>(window.kernel[2]);
      negative |= index.low;
      far |= index.high;
      beyond |= bit_cast<Vector<uint32_t, kStep>>(rest) >= kernel_columns;
      const auto row_code = cast_vector<Bits, kStep>(of_plane * kernel_rows + of_row);
      // The sum of a gradient alone: -0 becomes 0.
      T sums[kStep];
      store_narrowed(sums, Vector<ComputeType<T>>{} + load_widened(values));
      spread(row_code, rest, load_vector<Pattern>(sums), at, stage);
    }

    // Takes a length off while it can be taken; tells how often.
    static Words count_off(Words* rest, int32_t length, int64_t kernel) {
      Words count = {};
      const Words whole = *rest;
      for (int32_t k = 1; k < kernel; ++k) {
        const Words reached = whole >= k * length;
        count -= reached;
        *rest -= reached & length;
      }
      return count;
    }

    void spread(Pattern row_code, Words column, Pattern sums, int64_t at, Stage* stage) const {
      const auto narrow_column = cast_vector<Bits, kStep>(column);
      const int64_t stride = window.stride[2];
      const int64_t windows = std::min<int64_t>(kStep, (kStaged + 2 * kStep) / stride - at);
      for (int64_t i = 0; i < windows; ++i) {
        for (int64_t k = 0; k < stride; ++k) {
          const int64_t to = (at + i) * stride + k;
          stage->rows[to] = narrow_column[i] == static_cast<Bits>(k) ? row_code[i] : kNoRow;
          stage->gradients[to] = sums[i];
        }
      }
    }

    bool all_inside() const {
      int32_t outside = 0;
      for (int i = 0; i < kStep; ++i) outside |= (negative[i] < 0) | (far[i] != 0) | beyond[i];
      return outside == 0;
    }
  };

  // Writes the planes and rows that a block's windows own, and those that no window sees.
  void write(Stage* stage, const Slab& result, int64_t plane, int64_t block) const {
    const int64_t* stride = work_.window.stride;
    const bool last_plane = plane + 1 == work_.gradients.shape[2],
               last_block = block + 1 == blocks_;
    const int64_t first_row = block * block_rows_ * stride[1];
    const int64_t end_row = last_block ? result.shape[1] : first_row + block_rows_ * stride[1];
    const int64_t first_plane = plane * stride[0];
    const int64_t end_plane = last_plane ? result.shape[0] : first_plane + stride[0];
    const int64_t width = result.shape[2], rows = end_row - first_row;
    const bool rows_dense = width == 1 || result.strides[2] == kSize;
    const bool planes_dense = rows_dense && result.strides[1] == width * kSize;
    const bool in_place = rows_dense && !(work_.past_cache && planes_dense);
    // A single row has no step that leads to the next one, and needs none.
    const bool own_pitch = in_place && result.shape[1] > 1;
    const int64_t pitch = own_pitch ? result.strides[1] : width * kSize;
    for (int64_t d = first_plane; d < end_plane; ++d) {
      char* const finished = reinterpret_cast<char*>(stage->finished);
      char* const place = result.row(d, first_row);
      char* const to = in_place ? place : finished;
      const int64_t windows = d - first_plane < work_.window.kernel[0]
                                  ? std::min(block_rows_, rows_ - block * block_rows_)
                                  : 0;
      int64_t row = write_windows(*stage, windows, d - first_plane, to, pitch);
      for (; row < rows; ++row) std::memset(to + row * pitch, 0, width * kSize);
      if (in_place) continue;
      if (planes_dense) {
        stream_run(finished, rows * width * kSize, place);
      } else {
        for (int64_t h = 0; h < rows; ++h) {
          char* row = result.row(d, first_row + h);
          for (int64_t w = 0; w < width; ++w) {
            store(row + w * result.strides[2], stage->finished[h * width + w]);
          }
        }
      }
    }
  }

  // The rows of one plane up to the last that a window sees. Returns how many these are.
  ACLHOST_APART int64_t write_windows(const Stage& stage, int64_t windows, int64_t plane_in_window,
                                      char* to, int64_t pitch) const {
    constexpr int kMostLanes = kVectorBytes / sizeof(Bits);
    const int64_t kernel_rows = work_.window.kernel[1], stride = work_.window.stride[1];
    const int64_t width = work_.result.shape[4], columns = staged_columns_;
    const int64_t covered = std::min(columns, width), left = width - covered;
    const Bits *staged = stage.rows, *gradients = stage.gradients;
    const Bits first = static_cast<Bits>(plane_in_window * kernel_rows);
    for (int64_t window = 0; window < windows; ++window) {
      char* const row = to + window * stride * pitch;
      for (int64_t k = 0; k < kernel_rows; ++k) {
        disjoint_detail::select_row<kMostLanes>(staged, gradients, static_cast<Bits>(first + k),
                                                covered, row + k * pitch);
      }
      for (int64_t k = 0; left > 0 && k < kernel_rows; ++k) {
        std::memset(row + k * pitch + covered * kSize, 0, left * kSize);
      }
      const int64_t unseen = window + 1 < windows ? stride : kernel_rows;  // up to the next window
      for (int64_t k = kernel_rows; k < unseen; ++k) {
        std::memset(row + k * pitch, 0, width * kSize);
      }
      staged += columns;
      gradients += columns;
    }
    return windows > 0 ? (windows - 1) * stride + kernel_rows : 0;
  }

  const PoolGradient& work_;
  SlabFlags* const outside_;
  const int64_t rows_, columns_;  // pooled
  const int64_t staged_columns_;
  const int64_t block_rows_;
  const int64_t blocks_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

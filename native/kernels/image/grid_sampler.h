// SPDX-License-Identifier: Apache-2.0
// What sampling by a grid and its gradient have in common.
#pragma once

#include "base/status.h"
#include "engines/overlap.h"
#include "kernels/image/grid_taps.h"
#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kMostSampled = 3;  // axes

// N, C and two or three more axes, C last or not. Strides are in bytes.
struct ImageView {
  ImageView(const TensorView& view, bool channels_last);

  char* at(int64_t n, int64_t c) const { return start + n * batch_stride + c * channel_stride; }

  char* start;
  int64_t batch, batch_stride;
  int64_t channels, channel_stride;
  int dims;
  int64_t item_size;
  int64_t size[kMostSampled], stride[kMostSampled];

  // Whether the elements of a channel lie side by side.
  bool is_dense() const {
    int64_t expected = item_size;
    for (int i = dims - 1; i >= 0; --i) {
      if (stride[i] != expected) return false;
      expected *= size[i];
    }
    return true;
  }

  // Whether 32 bits count all elements of an image, and their places.
  bool is_small() const {
    __int128 reach = 0;
    for (int i = 0; i < dims; ++i) {
      const __int128 step = stride[i] / item_size;
      reach += size[i] * (step < 0 ? -step : step) + size[i];
    }
    return reach < INT32_MAX;
  }
};

// An element that is aligned as the client likes.
template <typename T>
struct Unaligned;
template <>
struct Unaligned<float> {
  using type __attribute__((aligned(1), may_alias)) = float;
};
template <>
struct Unaligned<double> {
  using type __attribute__((aligned(1), may_alias)) = double;
};

struct GridAttributes {
  int64_t interpolation, padding;
  bool align_corners;
};

// The positions of a grid: how they are numbered, and where each lies in the grid and elsewhere.
class GridPositions {
 public:
  GridPositions(const TensorView& grid, const ImageView& sampled, const GridAttributes& attributes);

  int64_t count() const { return count_; }
  int dims() const { return dims_; }
  const SampledAxis& axis(int i) const { return axes_[i]; }  // x comes first

  // Calls visit(p, offset, count) for runs of positions from `first` on in a view with the grid's
  // axes: the number of a run's first position, its byte offset, and how many follow by a stride.
  template <typename Visit>
  void for_each_run(const int64_t* strides, int64_t first, int positions, const Visit& visit) const;

  // Byte offsets of positions in such a view.
  void offsets(const int64_t* strides, int64_t first, int positions, int64_t* offsets) const;

  // What some positions depend on, along each axis; of a block, others are in the middle.
  template <typename Real, typename Axis>
  void find(int64_t n, int64_t first, int positions, Axis* taps) const {
    Real coordinates[kMostSampled][kGridBlock];
    load_coordinates(n, first, positions, coordinates);
    for (int i = 0; i < dims_; ++i) {
      std::fill(coordinates[i] + positions, coordinates[i] + kGridBlock, Real{0});
      taps[i].find(axes_[i], coordinates[i]);
    }
  }

  char* component(int64_t n, int i) const {
    return start_ + n * batch_stride_ + i * component_stride_;
  }
  const int64_t* strides() const { return strides_; }
  int taps() const { return axes_[0].taps(); }  // along each axis

 private:
  template <typename Real>
  void load_coordinates(int64_t n, int64_t first, int positions,
                        Real (*coordinates)[kGridBlock]) const {
    const int64_t stride = strides_[dims_ - 1];
    for_each_run(strides_, first, positions, [&](int p, int64_t offset, int count) {
      for (int i = 0; i < dims_; ++i) {
        const char* const from = component(n, i) + offset;
        Real* const to = coordinates[i] + p;
        const auto take = [&](auto step) {
          for (int k = 0; k < count; ++k) to[k] = load<Real>(from + k * step);
        };
        constexpr int64_t kPair = 2 * sizeof(Real);  // of x and y
        stride == kPair ? take(std::integral_constant<int64_t, kPair>{}) : take(stride);
      }
    });
  }

  char* start_;
  int dims_;
  int64_t count_ = 1;
  int64_t batch_stride_, component_stride_;
  int64_t size_[kMostSampled], strides_[kMostSampled];
  SampledAxis axes_[kMostSampled];
};

template <typename Visit>
void GridPositions::for_each_run(const int64_t* strides, int64_t first, int positions,
                                 const Visit& visit) const {
  int64_t index[kMostSampled];
  for (int i = dims_ - 1; i >= 0; --i) {
    index[i] = first % size_[i];
    first /= size_[i];
  }
  const int last = dims_ - 1;
  for (int p = 0; p < positions;) {  // row by row
    int64_t offset = 0;
    for (int i = 0; i < dims_; ++i) offset += index[i] * strides[i];
    const int count = static_cast<int>(std::min<int64_t>(positions - p, size_[last] - index[last]));
    visit(p, offset, count);
    p += count;
    index[last] = size_[last] - 1;
    for (int i = last; i >= 0 && ++index[i] == size_[i]; --i) index[i] = 0;
  }
}

// The view, or a dense copy of it in float where it has 16 bits.
Status readable(const TensorView& view, CopiedView& copied, TensorView* result);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

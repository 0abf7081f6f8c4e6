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

  // Byte offsets of positions in a view with the grid's axes.
  void offsets(const int64_t* strides, int64_t first, int positions, int64_t* offsets) const;

  // What some positions depend on, along each axis.
  template <typename Real, typename Axis>
  void find(int64_t n, int64_t first, int positions, Axis* taps) const {
    int64_t places[kGridBlock];
    Real coordinates[kGridBlock];
    offsets(strides_, first, positions, places);
    for (int i = 0; i < dims_; ++i) {
      const char* const grid = start_ + n * batch_stride_ + i * component_stride_;
      for (int p = 0; p < positions; ++p) coordinates[p] = load<Real>(grid + places[p]);
      taps[i].find(axes_[i], coordinates, positions);
    }
  }

  char* component(int64_t n, int i) const {
    return start_ + n * batch_stride_ + i * component_stride_;
  }
  const int64_t* strides() const { return strides_; }
  void taps(int* counts) const {
    for (int i = 0; i < dims_; ++i) counts[i] = axes_[i].taps();
  }

 private:
  char* start_;
  int dims_;
  int64_t count_ = 1;
  int64_t batch_stride_, component_stride_;
  int64_t size_[kMostSampled], strides_[kMostSampled];
  SampledAxis axes_[kMostSampled];
};

// The view, or a dense copy of it in float where it has 16 bits.
Status readable(const TensorView& view, CopiedView& copied, TensorView* result);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Where a grid points to: elements of an image or a volume, and their weights.
//
// Places are found for some positions of the grid at a time, along each axis alone. The arithmetic
// is that of the grid, float or double; the weights may be of the wider type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class Interpolation { kLinear, kNearest, kCubic };
enum class Border { kZeros, kClamp, kReflect };

constexpr int kGridBlock = 64;  // positions
constexpr int64_t kOutside = INT64_MIN;

// One axis of what is sampled.
struct SampledAxis {
  int64_t size;
  int64_t stride;  // bytes
  Interpolation interpolation;
  Border border;
  bool align_corners;

  int taps() const {
    if (interpolation == Interpolation::kCubic) return 4;
    return interpolation == Interpolation::kLinear ? 2 : 1;
  }

  int64_t offset_of(int64_t place) const {
    return place >= 0 && place < size ? place * stride : kOutside;
  }

  // From -1 and 1 to the first and the last element, or to the outer edges of both.
  template <typename Real>
  Real place_of(Real coordinate) const {
    const Real length = static_cast<Real>(size);
    return align_corners ? (coordinate + 1) / 2 * (length - 1)
                         : ((coordinate + 1) * length - 1) / 2;
  }
  double slope() const { return static_cast<double>(align_corners ? size - 1 : size) / 2; }

  // NaN becomes the first element.
  template <typename Real>
  Real clamped(Real place) const {
    const Real last = static_cast<Real>(size - 1);
    return place > 0 ? std::min(place, last) : 0;
  }

  // At the first and the last element, or at their outer edges; `flipped` tells the direction.
  template <typename Real>
  Real reflected(Real place, bool* flipped) const {
    const Real first = align_corners ? Real{0} : Real{-0.5};
    const Real span = static_cast<Real>(align_corners ? size - 1 : size);
    *flipped = false;
    if (span == 0) return 0;
    const Real distance = place - first, size_of = std::fabs(distance);
    const Real extra = std::fmod(size_of, span);
    const bool odd = std::fmod(std::floor(size_of / span), Real{2}) != 0;
    *flipped = odd != (distance < 0);
    return (odd ? span - extra : extra) + first;
  }

  // The place itself where it is inside, and how it follows the coordinate.
  template <typename Real>
  Real bounded(Real place, double* follows) const {
    *follows = 1;
    if (border == Border::kZeros) return place;
    bool flipped = false;
    if (border == Border::kReflect) place = reflected(place, &flipped);
    const Real inside = clamped(place);
    const bool moves = place > 0 && place < static_cast<Real>(size - 1);
    *follows = moves ? (flipped ? -1 : 1) : 0;
    return inside;
  }
};

// For each position up to four elements along an axis.
template <typename Weight>
struct AxisTaps {
  int64_t offset[4][kGridBlock];  // bytes
  Weight weight[4][kGridBlock];
  Weight slope[4][kGridBlock];  // of the weight, by the coordinate

  template <typename Real>
  void find(const SampledAxis& axis, const Real* coordinates, int count) {
    for (int p = 0; p < count; ++p) {
      const Real place = axis.place_of(coordinates[p]);
      if (axis.interpolation == Interpolation::kCubic) {
        find_cubic(axis, place, p);
        continue;
      }
      double follows;
      const Real inside = axis.bounded(place, &follows);
      if (axis.interpolation == Interpolation::kLinear) {
        find_linear(axis, inside, follows * axis.slope(), p);
      } else {
        find_nearest(axis, inside, p);
      }
    }
  }

 private:
  template <typename Real>
  void find_linear(const SampledAxis& axis, Real place, double follows, int p) {
    const Real floor = std::floor(place);
    const bool near = floor >= -1 && floor < static_cast<Real>(axis.size);
    const int64_t first = near ? static_cast<int64_t>(floor) : -2;
    const Weight rest = static_cast<Weight>(place) - static_cast<Weight>(floor);
    offset[0][p] = axis.offset_of(first);
    offset[1][p] = axis.offset_of(first + 1);
    weight[0][p] = 1 - rest;
    weight[1][p] = rest;
    slope[0][p] = static_cast<Weight>(-follows);
    slope[1][p] = static_cast<Weight>(follows);
  }

  template <typename Real>
  void find_nearest(const SampledAxis& axis, Real place, int p) {
    const Real nearest = std::nearbyint(place);
    const bool inside = nearest >= 0 && nearest < static_cast<Real>(axis.size);
    offset[0][p] = inside ? axis.offset_of(static_cast<int64_t>(nearest)) : kOutside;
    weight[0][p] = 1;
    slope[0][p] = 0;
  }

  template <typename Real>
  void find_cubic(const SampledAxis& axis, Real place, int p) {
    const Real floor = std::floor(place);
    const double rest = static_cast<double>(place) - static_cast<double>(floor);
    for (int k = 0; k < 4; ++k) {
      double follows;
      const Real each = axis.bounded(floor + static_cast<Real>(k - 1), &follows);
      const bool inside = each >= 0 && each < static_cast<Real>(axis.size);
      offset[k][p] = inside ? axis.offset_of(static_cast<int64_t>(each)) : kOutside;
      set_cubic(k, rest, axis.slope(), p);
    }
  }

  // Keys' kernel with -0.75 at distances rest + 1, rest, 1 - rest and 2 - rest. In double: outer
  // weights are small differences.
  void set_cubic(int k, double rest, double follows, int p) {
    constexpr double kA = -0.75;
    const double x = k < 2 ? rest + (1 - k) : (k - 1) - rest;
    const bool outer = k == 0 || k == 3;
    const double value = outer ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA
                               : ((kA + 2) * x - (kA + 3)) * x * x + 1;
    const double by_distance =
        outer ? (3 * kA * x - 10 * kA) * x + 8 * kA : (3 * (kA + 2) * x - 2 * (kA + 3)) * x;
    weight[k][p] = static_cast<Weight>(value);
    slope[k][p] = static_cast<Weight>((k < 2 ? by_distance : -by_distance) * follows);
  }
};

constexpr int kMostTaps = 16;

// For each position all elements that it depends on.
template <typename Weight>
struct Taps {
  int count = 0;                          // of each position
  bool inside = true;                     // all of them exist
  int64_t offset[kMostTaps][kGridBlock];  // bytes
  Weight weight[kMostTaps][kGridBlock];

  void combine(const AxisTaps<Weight>* axes, const int* taps, int dims, int positions) {
    count = 1;
    for (int axis = 0; axis < dims; ++axis) count *= taps[axis];
    inside = true;
    for (int tap = 0; tap < count; ++tap) {
      int rest = tap;
      for (int axis = 0; axis < dims; ++axis) {
        join(axes[axis], rest % taps[axis], axis == 0, positions, tap);
        rest /= taps[axis];
      }
      for (int p = 0; p < positions; ++p) inside &= offset[tap][p] != kOutside;
    }
  }

 private:
  void join(const AxisTaps<Weight>& axis, int k, bool first, int positions, int tap) {
    for (int p = 0; p < positions; ++p) {
      const int64_t before = first ? 0 : offset[tap][p], own = axis.offset[k][p];
      offset[tap][p] = before == kOutside || own == kOutside ? kOutside : before + own;
      weight[tap][p] = first ? axis.weight[k][p] : weight[tap][p] * axis.weight[k][p];
    }
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

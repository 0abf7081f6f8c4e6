// SPDX-License-Identifier: Apache-2.0
// Where a grid points to: elements of an image or a volume, and their weights.
//
// Places are found for some positions of the grid at a time, along each axis alone, in loops that
// compilers turn into vectors. The arithmetic is that of the grid, float or double; the weights may
// be of the wider type. Offsets count elements; those of 32 bits are quicker where they suffice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class Interpolation { kLinear, kNearest, kCubic };
enum class Border { kZeros, kClamp, kReflect };

constexpr int kGridBlock = 64;  // positions

// One axis of what is sampled.
struct SampledAxis {
  int64_t size;
  int64_t stride;  // elements
  Interpolation interpolation;
  Border border;
  bool align_corners;

  int taps() const {
    if (interpolation == Interpolation::kCubic) return 4;
    return interpolation == Interpolation::kLinear ? 2 : 1;
  }

  // How far a place moves with its coordinate.
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
  Real bounded(Real place, Real* follows) const {
    *follows = 1;
    if (border == Border::kZeros) return place;
    bool flipped = false;
    if (border == Border::kReflect) place = reflected(place, &flipped);
    const bool moves = place > 0 && place < static_cast<Real>(size - 1);
    *follows = moves ? (flipped ? Real{-1} : Real{1}) : Real{0};
    return clamped(place);
  }
};

// For each position up to four elements along an axis.
template <typename Weight, typename Offset, bool kWithSlopes>
struct AxisTaps {
  static constexpr Offset kOutside = std::numeric_limits<Offset>::min();

  Offset offset[4][kGridBlock];
  Weight weight[4][kGridBlock];
  Weight slope[kWithSlopes ? 4 : 1][kGridBlock];  // of the weight, by the coordinate

  template <typename Real>
  void find(const SampledAxis& axis, const Real* coordinates, int count) {
    Real places[kGridBlock], follows[kGridBlock];
    find_places(axis, coordinates, count, places);
    if (axis.interpolation == Interpolation::kCubic) return find_cubic(axis, places, count);
    std::fill_n(follows, count, Real{1});
    if (axis.border != Border::kZeros) {
      for (int p = 0; p < count; ++p) places[p] = axis.bounded(places[p], &follows[p]);
    }
    if (axis.interpolation == Interpolation::kNearest) return find_nearest(axis, places, count);
    find_linear(axis, places, follows, count);
  }

 private:
  // From -1 and 1 to the first and the last element, or to the outer edges of both.
  template <typename Real>
  static void find_places(const SampledAxis& axis, const Real* coordinates, int count,
                          Real* places) {
    const Real length = static_cast<Real>(axis.size);
    if (axis.align_corners) {
      for (int p = 0; p < count; ++p) places[p] = (coordinates[p] + 1) / 2 * (length - 1);
    } else {
      for (int p = 0; p < count; ++p) places[p] = ((coordinates[p] + 1) * length - 1) / 2;
    }
  }

  // Places are whole numbers. Far ones, and NaN, come as near as they can without being inside.
  template <typename Real>
  static Offset as_integer(const SampledAxis& axis, Real place) {
    const Real limit = static_cast<Real>(axis.size);
    const Real low = place > -2 ? place : Real{-2};
    return static_cast<Offset>(low < limit ? low : limit);
  }

  static Offset offset_of(const SampledAxis& axis, Offset place) {
    const Offset size = static_cast<Offset>(axis.size), stride = static_cast<Offset>(axis.stride);
    return place >= 0 && place < size ? place * stride : kOutside;
  }

  template <typename Real>
  void find_linear(const SampledAxis& axis, const Real* places, const Real* follows, int count) {
    for (int p = 0; p < count; ++p) {
      const Real floor = std::floor(places[p]);
      const Offset first = as_integer(axis, floor);
      const Weight rest = static_cast<Weight>(places[p]) - static_cast<Weight>(floor);
      offset[0][p] = offset_of(axis, first);
      offset[1][p] = offset_of(axis, first + 1);
      weight[0][p] = 1 - rest;
      weight[1][p] = rest;
    }
    if constexpr (kWithSlopes) {
      const Weight scale = static_cast<Weight>(axis.slope());
      for (int p = 0; p < count; ++p) {
        slope[1][p] = static_cast<Weight>(follows[p]) * scale;
        slope[0][p] = -slope[1][p];
      }
    }
  }

  template <typename Real>
  void find_nearest(const SampledAxis& axis, const Real* places, int count) {
    for (int p = 0; p < count; ++p) {
      offset[0][p] = offset_of(axis, as_integer(axis, std::nearbyint(places[p])));
      weight[0][p] = 1;
      if constexpr (kWithSlopes) slope[0][p] = 0;
    }
  }

  template <typename Real>
  void find_cubic(const SampledAxis& axis, const Real* places, int count) {
    for (int p = 0; p < count; ++p) {
      const Real floor = std::floor(places[p]);
      const double rest = static_cast<double>(places[p]) - static_cast<double>(floor);
      for (int k = 0; k < 4; ++k) {
        Real follows;
        const Real each = axis.bounded(floor + static_cast<Real>(k - 1), &follows);
        offset[k][p] = offset_of(axis, as_integer(axis, each));
        set_cubic(k, rest, axis.slope(), p);
      }
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
    weight[k][p] = static_cast<Weight>(value);
    if constexpr (kWithSlopes) {
      const double by_distance =
          outer ? (3 * kA * x - 10 * kA) * x + 8 * kA : (3 * (kA + 2) * x - 2 * (kA + 3)) * x;
      slope[k][p] = static_cast<Weight>((k < 2 ? by_distance : -by_distance) * follows);
    }
  }
};

constexpr int kMostTaps = 16;

// For each position all elements that it depends on.
template <typename Weight, typename Offset>
struct Taps {
  int count = 0;                           // of each position
  Offset offset[kMostTaps][kGridBlock];    // 0 where there is no element
  int32_t outside[kMostTaps][kGridBlock];  // whether there is none
  Weight weight[kMostTaps][kGridBlock];

  template <typename Axis>
  void combine(const Axis* axes, const int* taps, int dims, int positions) {
    count = 1;
    for (int axis = 0; axis < dims; ++axis) count *= taps[axis];
    for (int tap = 0; tap < count; ++tap) {
      int rest = tap / taps[0];
      start(axes[0], tap % taps[0], positions, tap);
      for (int axis = 1; axis < dims; ++axis) {
        join(axes[axis], rest % taps[axis], positions, tap);
        rest /= taps[axis];
      }
      for (int p = 0; p < positions; ++p) {
        offset[tap][p] = outside[tap][p] != 0 ? 0 : offset[tap][p];
      }
    }
  }

 private:
  template <typename Axis>
  void start(const Axis& axis, int k, int positions, int tap) {
    for (int p = 0; p < positions; ++p) {
      offset[tap][p] = axis.offset[k][p];
      outside[tap][p] = axis.offset[k][p] == Axis::kOutside ? 1 : 0;
      weight[tap][p] = axis.weight[k][p];
    }
  }

  // Sums with places outside mean nothing: unsigned ones may overflow.
  template <typename Axis>
  void join(const Axis& axis, int k, int positions, int tap) {
    using Bits = std::make_unsigned_t<Offset>;
    for (int p = 0; p < positions; ++p) {
      const Offset own = axis.offset[k][p];
      outside[tap][p] |= own == Axis::kOutside ? 1 : 0;
      offset[tap][p] =
          static_cast<Offset>(static_cast<Bits>(offset[tap][p]) + static_cast<Bits>(own));
      weight[tap][p] *= axis.weight[k][p];
    }
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

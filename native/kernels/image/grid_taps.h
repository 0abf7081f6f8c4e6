// SPDX-License-Identifier: Apache-2.0
// Where a grid points to: elements of an image or a volume, and their weights.
//
// Places are found for kGridBlock positions of the grid at a time, or as if there were as many,
// along each axis alone, in loops that compilers turn into vectors. The arithmetic is that of the
// grid, float or double; the weights may be of the wider type. Offsets count elements; those of 32
// bits are quicker where they suffice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

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
  Offset offset[4][kGridBlock];                   // 0 where there is no element
  Offset inside[4][kGridBlock];                   // 0 where there is none, else all bits are set
  Weight weight[4][kGridBlock];                   // 0 where there is none
  Weight slope[kWithSlopes ? 4 : 1][kGridBlock];  // of the weight, by the coordinate

  template <typename Real>
  void find(const SampledAxis& axis, const Real* coordinates) {
    Real places[kGridBlock], follows[kGridBlock];
    find_places(axis, coordinates, places);
    if (axis.interpolation == Interpolation::kCubic) return find_cubic(axis, places);
    std::fill_n(follows, kGridBlock, Real{1});
    if (axis.border != Border::kZeros) {
      for (int p = 0; p < kGridBlock; ++p) places[p] = axis.bounded(places[p], &follows[p]);
    }
    if (axis.interpolation == Interpolation::kNearest) return find_nearest(axis, places);
    find_linear(axis, places, follows);
  }

 private:
  // From -1 and 1 to the first and the last element, or to the outer edges of both.
  template <typename Real>
  static void find_places(const SampledAxis& axis, const Real* coordinates, Real* places) {
    const Real length = static_cast<Real>(axis.size);
    if (axis.align_corners) {
      for (int p = 0; p < kGridBlock; ++p) places[p] = (coordinates[p] + 1) / 2 * (length - 1);
    } else {
      for (int p = 0; p < kGridBlock; ++p) places[p] = ((coordinates[p] + 1) * length - 1) / 2;
    }
  }

  // Axes come by value, so that loops keep them in registers and have no branches.

  // Places are whole numbers. Far ones, and NaN, come as near as they can without being inside.
  template <typename Real>
  static Offset as_integer(const SampledAxis& axis, Real place) {
    const Real limit = static_cast<Real>(axis.size);
    const Real low = place > -2 ? place : Real{-2};
    return static_cast<Offset>(low < limit ? low : limit);
  }

  void put(const SampledAxis& axis, int k, int p, Offset place, Weight own_weight) {
    const bool is_inside = place >= 0 && place < static_cast<Offset>(axis.size);
    offset[k][p] = is_inside ? place * static_cast<Offset>(axis.stride) : 0;
    inside[k][p] = is_inside ? -1 : 0;
    weight[k][p] = is_inside ? own_weight : 0;
  }

  template <typename Real>
  void find_linear(SampledAxis axis, const Real* places, const Real* follows) {
    for (int p = 0; p < kGridBlock; ++p) {
      const Real floor = std::floor(places[p]);
      const Offset first = as_integer(axis, floor);
      const Weight rest = static_cast<Weight>(places[p]) - static_cast<Weight>(floor);
      put(axis, 0, p, first, 1 - rest);
      put(axis, 1, p, first + 1, rest);
    }
    if constexpr (kWithSlopes) {
      const Weight scale = static_cast<Weight>(axis.slope());
      for (int p = 0; p < kGridBlock; ++p) {
        slope[1][p] = static_cast<Weight>(follows[p]) * scale;
        slope[0][p] = -slope[1][p];
      }
    }
  }

  template <typename Real>
  void find_nearest(SampledAxis axis, const Real* places) {
    for (int p = 0; p < kGridBlock; ++p) {
      put(axis, 0, p, as_integer(axis, std::nearbyint(places[p])), 1);
      if constexpr (kWithSlopes) slope[0][p] = 0;
    }
  }

  template <typename Real>
  void find_cubic(SampledAxis axis, const Real* places) {
    for (int p = 0; p < kGridBlock; ++p) {
      const Real floor = std::floor(places[p]);
      const double rest = static_cast<double>(places[p]) - static_cast<double>(floor);
      for (int k = 0; k < 4; ++k) {
        Real follows;
        const Real each = axis.bounded(floor + static_cast<Real>(k - 1), &follows);
        put(axis, k, p, as_integer(axis, each), cubic_weight(k, rest));
        if constexpr (kWithSlopes) {
          const double by_coordinate = cubic_slope(k, rest) * axis.slope();
          slope[k][p] = inside[k][p] != 0 ? static_cast<Weight>(by_coordinate) : 0;
        }
      }
    }
  }

  // Keys' kernel with -0.75 at distances rest + 1, rest, 1 - rest and 2 - rest. In double: outer
  // weights are small differences.
  static constexpr double kA = -0.75;
  static double distance(int k, double rest) { return k < 2 ? rest + (1 - k) : (k - 1) - rest; }
  static bool is_outer(int k) { return k == 0 || k == 3; }

  static Weight cubic_weight(int k, double rest) {
    const double x = distance(k, rest);
    return static_cast<Weight>(is_outer(k) ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA
                                           : ((kA + 2) * x - (kA + 3)) * x * x + 1);
  }
  static double cubic_slope(int k, double rest) {
    const double x = distance(k, rest);
    const double by_distance =
        is_outer(k) ? (3 * kA * x - 10 * kA) * x + 8 * kA : (3 * (kA + 2) * x - 2 * (kA + 3)) * x;
    return k < 2 ? by_distance : -by_distance;
  }
};

// One of the elements that a position depends on: `taps` along each axis.
template <int dims, int taps, int number>
struct Tap {
  static constexpr int kNumber = number;
  static constexpr int along(int axis) {
    int rest = number;
    for (int i = 0; i < axis; ++i) rest /= taps;
    return rest % taps;
  }

  // Where it is; some element where there is none.
  template <typename Axis>
  static auto offset(const Axis* axes, int p) {
    auto sum = axes[0].offset[along(0)][p];
    for (int i = 1; i < dims; ++i) sum += axes[i].offset[along(i)][p];
    return sum;
  }
  template <typename Axis>
  static bool exists(const Axis* axes, int p) {
    auto inside = axes[0].inside[along(0)][p];
    for (int i = 1; i < dims; ++i) inside &= axes[i].inside[along(i)][p];
    return inside != 0;
  }
  // Its weight or, by an axis, the slope of that.
  template <int by = -1, typename Axis>
  static auto weight(const Axis* axes, int p) {
    auto product = by == 0 ? axes[0].slope[along(0)][p] : axes[0].weight[along(0)][p];
    for (int i = 1; i < dims; ++i) {
      product *= i == by ? axes[i].slope[along(i)][p] : axes[i].weight[along(i)][p];
    }
    return product;
  }
};

// Calls visit(dims, taps along an axis, numbers of all taps), all of them types.
template <typename Visit>
auto visit_taps(int dims, int taps, const Visit& visit) {
  const auto with = [&](auto dimensions, auto count) {
    constexpr int kDims = decltype(dimensions)::value, kTaps = decltype(count)::value;
    constexpr int kAll = kDims == 2 ? kTaps * kTaps : kTaps * kTaps * kTaps;
    return visit(dimensions, count, std::make_integer_sequence<int, kAll>());
  };
  using std::integral_constant;
  if (dims == 3) {
    return taps == 1 ? with(integral_constant<int, 3>(), integral_constant<int, 1>())
                     : with(integral_constant<int, 3>(), integral_constant<int, 2>());
  }
  if (taps == 4) return with(integral_constant<int, 2>(), integral_constant<int, 4>());
  return taps == 1 ? with(integral_constant<int, 2>(), integral_constant<int, 1>())
                   : with(integral_constant<int, 2>(), integral_constant<int, 2>());
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Gradients added to the sums of the elements that their indices mean.
#pragma once

#include <algorithm>

#include "kernels/pooling/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class GradientAdder {
  using Real = ComputeType<T>;
  using Words = Vector<int32_t>;
  using Unsigned = Vector<uint32_t>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kRun = 1024;

 public:
  // Pooled positions, a step apart in memory.
  struct Run {
    const char* gradients;
    int64_t gradient_step;
    const char* indices;
    int64_t index_step;
    int64_t count;
  };

  // Where gradients go whose windows' planes are all in the scratch.
  struct WholePlanes {
    uint32_t begin, size;
    Real* sums;
  };

  // Where gradients go of which some belong to other parts of the slab. All in elements.
  struct BandOfPlanes {
    uint32_t plane, band;
    int planes;                        // of the window
    uint32_t begin;                    // of those
    uint32_t window_row, window_rows;  // from the begin of a plane
    uint32_t own_begin, own_size;      // as if planes had no more than the band
    uint32_t own_row, own_rows;        // from the begin of a plane
    Real* sums;                        // of its own
  };

  // False if an index lies outside its window, as far as the target knows that.
  template <typename Target>
  static bool add_run(const Run& run, const Target& target) {
    Real gradient_copy[kRun];
    Index index_copy[kRun];
    bool inside = true;
    for (int64_t i = 0; i < run.count; i += kRun) {
      const int64_t length = std::min(kRun, run.count - i);
      const Real* gradient = widened_run(run.gradients + i * run.gradient_step, run.gradient_step,
                                         length, gradient_copy);
      const Index* index =
          contiguous(run.indices + i * run.index_step, run.index_step, length, index_copy);
      inside &= add(gradient, index, length, target);
    }
    return inside;
  }

 private:
  static const Real* widened_run(const char* from, int64_t step, int64_t count, Real* to) {
    if constexpr (std::is_same_v<T, Real>) {
      return contiguous(from, step, count, to);
    } else {
      if (step != kSize) {
        for (int64_t i = 0; i < count; ++i) to[i] = widen(load<T>(from + i * step));
        return to;
      }
      constexpr int64_t lanes = kLanes<Real>;
      const T* source = reinterpret_cast<const T*>(from);
      int64_t i = 0;
      for (; i + lanes <= count; i += lanes) store_vector(to + i, load_widened(source + i));
      for (; i < count; ++i) to[i] = widen(load<T>(from + i * kSize));
      return to;
    }
  }

  ACLHOST_APART static bool add(const Real* gradients, const Index* indices, int64_t count,
                                const WholePlanes& target) {
    const uint64_t begin = target.begin, size = target.size;
    Real* const sums = target.sums;
    bool inside = true;
#pragma GCC unroll 4
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t place = static_cast<uint64_t>(int64_t{indices[i]}) - begin;
      if (__builtin_expect(place < size, 1)) {
        sums[place] += gradients[i];
      } else {
        inside = false;
      }
    }
    return inside;
  }

  ACLHOST_APART static bool add(const Real* gradients, const Index* indices, int64_t count,
                                const BandOfPlanes& target) {
    constexpr int64_t lanes = kLanes<int32_t>;
    int32_t places[kRun];
    Real own[kRun];
    Words outside = {}, idle;
    for (int k = 0; k < lanes; ++k) {
      idle[k] = static_cast<int32_t>(std::min<uint32_t>(k, target.own_rows - 1));
    }
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      locate(indices + i, gradients + i, target, idle, &outside, places + i, own + i);
    }
    if (i < count) {
      Index last[lanes];
      Real last_gradients[lanes] = {};
      std::fill_n(std::copy_n(indices + i, count - i, last), lanes - (count - i), indices[i]);
      std::copy_n(gradients + i, count - i, last_gradients);
      locate(last, last_gradients, target, idle, &outside, places + i, own + i);
    }
    Real* const sums = target.sums;
#pragma GCC unroll 4
    for (int64_t k = 0; k < count; ++k) sums[places[k]] += own[k];
    int32_t any = 0;
    for (int k = 0; k < lanes; ++k) any |= outside[k];
    return any == 0;
  }

  // Where in a band gradients go. Those of other parts become 0, which changes no sum; they go to
  // places apart, as additions to a single one would wait for each other.
  static void locate(const Index* indices, const Real* gradients, const BandOfPlanes& target,
                     Words idle, Words* outside, int32_t* places, Real* own_gradients) {
    const auto index = load_indices<Words>(indices);
    Unsigned rest = bit_cast<Unsigned>(index.low) - target.begin, plane = {};
    for (int k = 1; k < target.planes; ++k) {
      const auto reached = bit_cast<Unsigned>(rest >= target.plane);
      rest -= reached & target.plane;
      plane += reached & target.band;
    }
    const Unsigned in_band = rest - target.own_row, own_plane = plane - target.own_begin;
    const Words own = (in_band < target.own_rows) & (own_plane < target.own_size);
    *outside |= index.high | (index.low < 0) | (rest - target.window_row >= target.window_rows);
    store_vector(places, own ? bit_cast<Words>(own_plane + in_band) : idle);
    const Vector<Real> gradient = load_vector<Vector<Real>>(gradients);
    store_vector(own_gradients, own ? gradient : Vector<Real>{});
  }
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

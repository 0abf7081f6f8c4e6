// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling with windows that overlap, by planes.
//
// Pooled planes come one after the other. The sums of the planes that their windows reach are in a
// scratch that slides over the result: a plane that no later window reaches is rounded, written and
// cleared for a later one. So the result is written once, and never read. Where the result can hold
// the sums itself and stays in the cache, it is the scratch, and nothing slides.
//
// A slab may be shared among threads: each has some planes of the result, and drops gradients that
// belong to others.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "kernels/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct Range {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// The windows that touch a range of input elements along an axis.
inline Range windows_reaching(const Range& input, const Window& window, int axis,
                              int64_t positions) {
  const int64_t stride = window.stride[axis], padding = window.padding[axis];
  const int64_t span = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
  const int64_t before = input.begin + padding - span;  // where a window starts that just misses it
  const int64_t first = before < 0 ? 0 : before / stride + 1;
  return {first, std::min((input.end - 1 + padding) / stride + 1, positions)};
}

template <typename T, typename Index>
class OverlappingWindows {
  using Real = ComputeType<T>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kStackSums = 32 * 1024;
  static constexpr int64_t kMostSums = 1024 * 1024;  // more go on the heap, up to this
  static constexpr int64_t kRun = 1024;
  static constexpr int64_t kLine = 64;  // bytes of a line of the cache
  // A place in the scratch is as far into a line as the element it is for, and vectors may look
  // beyond the last.
  static constexpr int64_t kSpare = 2 * kLine / kSize;

 public:
  static bool possible(const PoolGradient& work) {
    return in_place(work) || reach(work) <= kMostSums / plane_size(work);
  }

  OverlappingWindows(const PoolGradient& work, SlabFlags* outside)
      : work_(work),
        outside_(outside),
        plane_(plane_size(work)),
        depth_(work.result.shape[2]),
        in_place_(in_place(work)) {
    // A part that is shared has pooled planes at its ends that two threads read.
    const int64_t slabs = work.result.slabs(), wanted = 4 * int64_t{thread_count()};
    const int64_t smallest = std::max(4 * reach(work), kParallelElements / plane_ + 1);
    const int64_t most = std::max<int64_t>(depth_ / smallest, 1);
    parts_ = thread_count() == 1 || slabs >= wanted ? 1 : std::min((wanted - 1) / slabs + 1, most);
    part_planes_ = (depth_ + parts_ - 1) / parts_;
    parts_ = (depth_ + part_planes_ - 1) / part_planes_;
    scratch_planes_ = std::min(std::max((kStackSums - kSpare) / plane_, reach(work)), part_planes_);
  }

  // A unit is a part of a slab: some planes.
  int64_t units() const { return work_.result.slabs() * parts_; }
  int64_t elements_of_unit() const { return part_planes_ * plane_; }

  void compute(int64_t begin, int64_t end) const {
    if (in_place_) {
      for (int64_t unit = begin; unit < end; ++unit) accumulate_in_place(unit);
      return;
    }
    const int64_t sums = scratch_planes_ * plane_ + kSpare;
    if (sums <= kStackSums) {
      alignas(64) Real scratch[kStackSums];
      return compute_in(scratch, sums, begin, end);
    }
    const std::unique_ptr<Real[]> scratch(new (std::nothrow) Real[sums]);
    if (scratch) return compute_in(scratch.get(), sums, begin, end);
    for (int64_t unit = begin; unit < end; ++unit) outside_->set(unit / parts_);
  }

 private:
  static int64_t plane_size(const PoolGradient& work) {
    return work.result.shape[3] * work.result.shape[4];
  }

  // Planes that one window may reach.
  static int64_t reach(const PoolGradient& work) {
    const int64_t depth = work.result.shape[2], taps = work.window.kernel[0];
    if (taps > depth || work.window.dilation[0] > depth) return depth;
    return std::min(work.window.dilation[0] * (taps - 1) + 1, depth);
  }

  static bool in_place(const PoolGradient& work) {
    const Slab slab = work.result.slab(0);
    const bool aligned = reinterpret_cast<uintptr_t>(slab.data) % alignof(T) == 0;
    return std::is_same_v<T, Real> && aligned && slab.dense(kSize) && !work.past_cache;
  }

  // The slabs of a unit and its planes.
  struct Part {
    int64_t slab;
    Slab gradients, indices, result;
    Range planes;
  };

  Part part(int64_t unit) const {
    const int64_t slab = unit / parts_, first = unit % parts_ * part_planes_;
    return {slab,
            work_.gradients.slab(slab),
            work_.indices.slab(slab),
            work_.result.slab(slab),
            {first, std::min(first + part_planes_, depth_)}};
  }

  void accumulate_in_place(int64_t unit) const {
    const Part part = this->part(unit);
    Real* const sums = reinterpret_cast<Real*>(part.result.data) + part.planes.begin * plane_;
    std::fill_n(sums, part.planes.size() * plane_, Real{0});
    const Range pooled = windows_reaching(part.planes, work_.window, 0, part.gradients.shape[0]);
    bool inside = true;
    for (int64_t d = pooled.begin; d < pooled.end; ++d) {
      inside &= add_plane(part, d, part.planes.begin, sums);
    }
    if (!inside) outside_->set(part.slab);
  }

  void compute_in(Real* scratch, int64_t size, int64_t begin, int64_t end) const {
    std::fill_n(scratch, size, Real{0});
    for (int64_t unit = begin; unit < end; ++unit) {
      const Part part = this->part(unit);
      slide_over(part, scratch + place_in_line(part.result.row(part.planes.begin, 0)));
    }
    if (work_.past_cache) finish_streaming();
  }

  // How far into a line a place for the sum of this element should be.
  static int64_t place_in_line(const char* element) {
    return reinterpret_cast<uintptr_t>(element) / kSize % (kLine / sizeof(Real));
  }

  // The planes [first, first + scratch_planes_) are in the scratch.
  void slide_over(const Part& part, Real* sums) const {
    const Range pooled = windows_reaching(part.planes, work_.window, 0, part.gradients.shape[0]);
    int64_t first = part.planes.begin, filled = first;
    bool inside = true;
    for (int64_t d = pooled.begin; d < pooled.end; ++d) {
      const Range window = planes_of_window(d);
      const int64_t end = std::min(window.end, part.planes.end);
      if (end > first + scratch_planes_) {
        slide(part, &first, std::max(window.begin, first), filled, sums);
      }
      inside &= add_plane(part, d, first, sums);
      filled = std::max(filled, end);
    }
    slide(part, &first, part.planes.end, filled, sums);
    if (!inside) outside_->set(part.slab);
  }

  // Writes the planes from `first` up to `to` and moves those behind them, up to `filled`, to the
  // front. What is not filled stays 0.
  void slide(const Part& part, int64_t* first, int64_t to, int64_t filled, Real* sums) const {
    while (*first < to) {
      const int64_t planes = std::min(to - *first, scratch_planes_);
      write(part.result, *first, planes, sums);
      const int64_t live = std::max<int64_t>(filled - (*first + planes), 0);
      std::copy_n(sums + planes * plane_, live * plane_, sums);
      const int64_t vacated = std::max(planes, live);
      std::fill(sums + vacated * plane_, sums + std::max(planes + live, vacated) * plane_, Real{0});
      *first += planes;
    }
  }

  // The planes of the input that a window along the depth spans.
  Range planes_of_window(int64_t d) const {
    const int64_t start = d * work_.window.stride[0] - work_.window.padding[0];
    const int64_t span = work_.window.dilation[0] * (work_.window.kernel[0] - 1) + 1;
    return {std::max<int64_t>(start, 0), std::min(start + span, depth_)};
  }

  // Adds the gradients of a pooled plane to the sums, which begin with plane `first`. False if an
  // index lies outside the planes of its window.
  bool add_plane(const Part& part, int64_t d, int64_t first, Real* sums) const {
    const Range window = planes_of_window(d);
    const Range own = {std::max(window.begin, part.planes.begin),
                       std::min(window.end, part.planes.end)};
    const Slab &gradients = part.gradients, &indices = part.indices;
    const bool shared = own.size() != window.size();
    const Target target = {window.begin * plane_, window.size() * plane_,
                           (own.begin - window.begin) * plane_, own.size() * plane_,
                           sums + (own.begin - first) * plane_};
    const bool rows_follow = follow(gradients, kSize) && follow(indices, sizeof(Index));
    const int64_t rows = rows_follow ? 1 : gradients.shape[1];
    const int64_t row = rows_follow ? gradients.shape[1] * gradients.shape[2] : gradients.shape[2];
    // A single column has no step of its own that leads to the next row.
    const int64_t gradient_step = rows_follow ? kSize : gradients.strides[2];
    const int64_t index_step = rows_follow ? int64_t{sizeof(Index)} : indices.strides[2];
    bool inside = true;
    for (int64_t h = 0; h < rows; ++h) {
      inside &= add_run(gradients.row(d, h), gradient_step, indices.row(d, h), index_step, row,
                        target, shared);
    }
    return inside;
  }

  static bool follow(const Slab& slab, int64_t item_size) {
    return (slab.shape[2] == 1 || slab.strides[2] == item_size) &&
           (slab.shape[1] == 1 || slab.strides[1] == slab.shape[2] * item_size);
  }

  // Where the gradients of a pooled plane go: its window's elements, and those of them it owns.
  struct Target {
    int64_t window_begin, window_size;
    int64_t own_begin, own_size;  // from the window's begin
    Real* sums;                   // of its own
  };

  bool add_run(const char* gradients, int64_t gradient_step, const char* indices,
               int64_t index_step, int64_t count, const Target& target, bool shared) const {
    Real gradient_copy[kRun];
    Index index_copy[kRun];
    bool inside = true;
    for (int64_t i = 0; i < count; i += kRun) {
      const int64_t length = std::min(kRun, count - i);
      const Real* gradient =
          widened_run(gradients + i * gradient_step, gradient_step, length, gradient_copy);
      const Index* index = contiguous(indices + i * index_step, index_step, length, index_copy);
      inside &= shared ? add<true>(gradient, index, length, target)
                       : add<false>(gradient, index, length, target);
    }
    return inside;
  }

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

  template <bool shared>
  ACLHOST_APART static bool add(const Real* gradients, const Index* indices, int64_t count,
                                const Target& target) {
    const uint64_t begin = target.window_begin, size = target.window_size;
    const uint64_t own_begin = target.own_begin, own_size = target.own_size;
    Real* const sums = target.sums;
    bool inside = true;
#pragma GCC unroll 4
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t place = static_cast<uint64_t>(int64_t{indices[i]}) - begin;
      if constexpr (shared) {
        inside &= place < size;
        if (place - own_begin < own_size) sums[place - own_begin] += gradients[i];
      } else if (__builtin_expect(place < size, 1)) {
        sums[place] += gradients[i];
      } else {
        inside = false;
      }
    }
    return inside;
  }

  // Rounds sums once, writes them and clears them.
  void write(const Slab& result, int64_t first, int64_t planes, Real* sums) const {
    if (result.dense(kSize)) {
      write_run(result.row(first, 0), kSize, planes * plane_, sums);
      return;
    }
    const int64_t width = result.shape[2];
    for (int64_t d = first; d < first + planes; ++d) {
      for (int64_t h = 0; h < result.shape[1]; ++h, sums += width) {
        write_run(result.row(d, h), result.strides[2], width, sums);
      }
    }
  }

  void write_run(char* to, int64_t step, int64_t count, Real* sums) const {
    if (step == kSize) {
      const bool aligned = reinterpret_cast<uintptr_t>(to) % kSize == 0;
      return work_.past_cache && aligned ? round_and_clear<Stream>(sums, count, to)
                                         : round_and_clear<Store>(sums, count, to);
    }
    alignas(64) char rounded[kRun * kSize];
    for (int64_t begin = 0; begin < count; begin += kRun) {
      const int64_t length = std::min(kRun, count - begin);
      round_and_clear<Store>(sums + begin, length, rounded);
      char* const place = to + begin * step;
      for (int64_t i = 0; i < length; ++i) store(place + i * step, load<T>(rounded + i * kSize));
    }
  }

  template <typename Way>
  ACLHOST_APART static void round_and_clear(Real* sums, int64_t count, char* to) {
    constexpr int64_t kElements = kVectorBytes / kSize;
    int64_t i = elements_before_line(to, count);
    round_few(sums, i, to);
    for (; i + kElements <= count; i += kElements) {
      Way::vector(to + i * kSize, load_narrowed<T>(sums + i));
      for (int64_t k = 0; k < kElements; k += kLanes<Real>) {
        store_vector(sums + i + k, Vector<Real>{});
      }
    }
    round_few(sums + i, count - i, to + i * kSize);
  }

  // How many elements of a run come before the first that starts a line of the cache.
  static int64_t elements_before_line(const char* run, int64_t count) {
    return std::min((-reinterpret_cast<intptr_t>(run) & (kLine - 1)) / kSize, count);
  }

  // Less than a line.
  static void round_few(Real* sums, int64_t count, char* to) {
    if (count == 0) return;
    alignas(64) char rounded[kLine];
    for (int64_t k = 0; k < kLine; k += kVectorBytes) {
      store_vector(rounded + k, load_narrowed<T>(sums + k / kSize));
    }
    std::memcpy(to, rounded, count * kSize);
    std::fill_n(sums, count, Real{0});
  }

  const PoolGradient& work_;
  SlabFlags* const outside_;
  const int64_t plane_;
  const int64_t depth_;
  const bool in_place_;
  int64_t parts_;
  int64_t part_planes_;
  int64_t scratch_planes_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

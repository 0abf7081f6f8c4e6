// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling with windows that overlap, by planes.
//
// Pooled planes come one after the other. The sums of the planes that their windows reach are in a
// scratch that slides over the result: a plane that no later window reaches is rounded, written and
// cleared for a later one. So the result is written once, and never read. Where the result can hold
// the sums itself and stays in the cache, it is the scratch, and nothing slides.
//
// A slab may be shared among threads: each has some planes of the result, and drops gradients that
// belong to others. Planes that would make a large scratch are taken in bands of rows, one band
// after the other, in the same way.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "kernels/pooling/max_pool3d_adder.h"
#include "kernels/pooling/max_pool3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

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
  using Adder = GradientAdder<T, Index>;
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kMostSums = 32 * 1024;
  static constexpr int64_t kMostHeapSums = 1024 * 1024;
  static constexpr int64_t kRun = 1024;
  static constexpr int64_t kLine = 64;  // bytes of a line of the cache
  static constexpr int64_t kLineSums = kLine / sizeof(Real);
  // A place in the scratch is as far into a line as the element it is for, and vectors may look
  // beyond the last.
  static constexpr int64_t kSpare = 4 * kLineSums;

 public:
  static bool possible(const PoolGradient& work) {
    const int64_t width = work.result.shape[4];
    if (work.result.slab(0).elements() > INT32_MAX) return false;
    return in_place(work) || whole_planes(work) ||
           reach(work, 0) <= kMostSums / (reach(work, 1) * width);
  }

  OverlappingWindows(const PoolGradient& work, SlabFlags* outside)
      : work_(work),
        outside_(outside),
        width_(work.result.shape[4]),
        plane_(work.result.shape[3] * width_),
        depth_(work.result.shape[2]),
        in_place_(in_place(work)) {
    const int64_t rows = work.result.shape[3], least = reach(work, 0);
    const int64_t wanted_planes = std::min(2 * least, depth_);
    const int64_t fitting = std::max(kMostSums / (wanted_planes * width_), reach(work, 1));
    bands_ = in_place_ || whole_planes(work) ? 1 : (rows - 1) / fitting + 1;
    band_rows_ = (rows - 1) / bands_ + 1;
    bands_ = (rows - 1) / band_rows_ + 1;
    // A part that is shared has pooled planes at its ends that two threads read.
    const int64_t units = work.result.slabs() * bands_, wanted = 4 * int64_t{thread_count()};
    const int64_t smallest = std::max(4 * least, kParallelElements / band() + 1);
    const int64_t most = std::max<int64_t>(depth_ / smallest, 1);
    parts_ = thread_count() == 1 || units >= wanted ? 1 : std::min((wanted - 1) / units + 1, most);
    part_planes_ = (depth_ + parts_ - 1) / parts_;
    parts_ = (depth_ + part_planes_ - 1) / part_planes_;
    scratch_planes_ = std::min(std::max(kMostSums / band(), least), part_planes_);
  }

  // A unit is a part of a slab: some rows of some planes.
  int64_t units() const { return work_.result.slabs() * parts_ * bands_; }
  int64_t elements_of_unit() const { return part_planes_ * band(); }

  void compute(int64_t begin, int64_t end) const {
    if (in_place_) {
      for (int64_t unit = begin; unit < end; ++unit) accumulate_in_place(unit);
      return;
    }
    const int64_t sums = scratch_planes_ * band() + kSpare;
    if (sums <= kMostSums + kSpare) {
      alignas(kLine) Real scratch[kMostSums + kSpare];
      return compute_in(scratch, sums, begin, end);
    }
    const std::unique_ptr<Real[]> scratch(new (std::nothrow) Real[sums]);
    if (scratch) return compute_in(scratch.get(), sums, begin, end);
    for (int64_t unit = begin; unit < end; ++unit) outside_->set(unit / (parts_ * bands_));
  }

 private:
  int64_t band() const { return band_rows_ * width_; }

  // Planes or rows that one window may reach.
  static int64_t reach(const PoolGradient& work, int axis) {
    const int64_t length = work.result.shape[2 + axis], taps = work.window.kernel[axis];
    if (taps > length || work.window.dilation[axis] > length) return length;
    return std::min(work.window.dilation[axis] * (taps - 1) + 1, length);
  }

  // Bands cost a window more than a large scratch does, and an element less.
  static bool whole_planes(const PoolGradient& work) {
    const Slab pooled = work.gradients.slab(0), result = work.result.slab(0);
    return pooled.elements() > result.elements() / 4 &&
           reach(work, 0) <= kMostHeapSums / result.plane();
  }

  static bool in_place(const PoolGradient& work) {
    const Slab slab = work.result.slab(0);
    const bool aligned = reinterpret_cast<uintptr_t>(slab.data) % alignof(T) == 0;
    return std::is_same_v<T, Real> && aligned && slab.dense(kSize) && !work.past_cache;
  }

  // The slabs of a unit, and its planes and rows.
  struct Part {
    int64_t slab;
    Slab gradients, indices, result;
    Range planes, rows;
  };

  Part part(int64_t unit) const {
    const int64_t slab = unit / (parts_ * bands_), plane = unit / bands_ % parts_ * part_planes_;
    const int64_t row = unit % bands_ * band_rows_;
    return {slab,
            work_.gradients.slab(slab),
            work_.indices.slab(slab),
            work_.result.slab(slab),
            {plane, std::min(plane + part_planes_, depth_)},
            {row, std::min(row + band_rows_, work_.result.shape[3])}};
  }

  void accumulate_in_place(int64_t unit) const {
    const Part part = this->part(unit);
    Real* const sums = reinterpret_cast<Real*>(part.result.data) + part.planes.begin * plane_;
    std::fill_n(sums, part.planes.size() * plane_, Real{0});
    if (parts_ == 1) {
      if (!add_slab(part, sums)) outside_->set(part.slab);
      return;
    }
    const Range pooled = windows_reaching(part.planes, work_.window, 0, part.gradients.shape[0]);
    bool inside = true;
    for (int64_t d = pooled.begin; d < pooled.end; ++d) {
      inside &= add_plane(part, d, part.planes.begin, sums);
    }
    if (!inside) outside_->set(part.slab);
  }

  void compute_in(Real* scratch, int64_t size, int64_t begin, int64_t end) const {
    std::fill_n(scratch, size, Real{0});
    const int64_t lead = (-reinterpret_cast<intptr_t>(scratch) & (kLine - 1)) / sizeof(Real);
    for (int64_t unit = begin; unit < end; ++unit) {
      const Part part = this->part(unit);
      const char* first = part.result.row(part.planes.begin, part.rows.begin);
      slide_over(part, scratch + lead + reinterpret_cast<uintptr_t>(first) / kSize % kLineSums);
    }
    if (work_.past_cache) finish_streaming();
  }

  // The planes [first, first + scratch_planes_) are in the scratch.
  void slide_over(const Part& part, Real* sums) const {
    if (bands_ == 1 && scratch_planes_ == depth_) {
      if (!add_slab(part, sums)) outside_->set(part.slab);
      return write(part, 0, depth_, sums);
    }
    const Range pooled = windows_reaching(part.planes, work_.window, 0, part.gradients.shape[0]);
    int64_t first = part.planes.begin, filled = first;
    bool inside = true;
    for (int64_t d = pooled.begin; d < pooled.end; ++d) {
      const Range window = span(0, d);
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
      write(part, *first, planes, sums);
      const int64_t live = std::max<int64_t>(filled - (*first + planes), 0);
      std::copy_n(sums + planes * band(), live * band(), sums);
      const int64_t vacated = std::max(planes, live);
      std::fill(sums + vacated * band(), sums + std::max(planes + live, vacated) * band(), Real{0});
      *first += planes;
    }
  }

  // The planes, or rows, of the result that a window spans.
  Range span(int axis, int64_t position) const {
    const int64_t start = position * work_.window.stride[axis] - work_.window.padding[axis];
    const int64_t taps = work_.window.dilation[axis] * (work_.window.kernel[axis] - 1) + 1;
    return {std::max<int64_t>(start, 0), std::min(start + taps, work_.result.shape[2 + axis])};
  }

  // Adds the gradients of a pooled plane to the sums, which begin with plane `first`. False if an
  // index lies outside the planes of its window, or its rows in case of bands.
  bool add_plane(const Part& part, int64_t d, int64_t first, Real* sums) const {
    const Range window = span(0, d);
    const Range own = {std::max(window.begin, part.planes.begin),
                       std::min(window.end, part.planes.end)};
    Real* const own_sums = sums + (own.begin - first) * band();
    if (bands_ > 1 || own.size() != window.size()) return add_rows(part, d, window, own, own_sums);
    const typename Adder::WholePlanes target = {word(window.begin * plane_),
                                                word(window.size() * plane_), own_sums};
    return add_planes(part, {d, d + 1}, target);
  }

  // Adds all gradients of a slab whose sums are all there. It matters no more whether an index lies
  // inside its window.
  bool add_slab(const Part& part, Real* sums) const {
    return add_planes(part, {0, part.gradients.shape[0]}, {0, word(depth_ * plane_), sums});
  }

  static bool add_planes(const Part& part, const Range& planes,
                         const typename Adder::WholePlanes& target) {
    const Slab &gradients = part.gradients, &indices = part.indices;
    constexpr int64_t kIndex = sizeof(Index);
    if (gradients.dense(kSize) && indices.dense(kIndex)) {
      return Adder::add_run({gradients.row(planes.begin, 0), kSize, indices.row(planes.begin, 0),
                             kIndex, planes.size() * gradients.plane()},
                            target);
    }
    bool inside = true;
    for (int64_t d = planes.begin; d < planes.end; ++d) {
      if (follow(gradients, kSize) && follow(indices, kIndex)) {
        inside &= Adder::add_run(
            {gradients.row(d, 0), kSize, indices.row(d, 0), kIndex, gradients.plane()}, target);
        continue;
      }
      for (int64_t h = 0; h < gradients.shape[1]; ++h) {
        inside &= Adder::add_run(row(part, d, h), target);
      }
    }
    return inside;
  }

  // The pooled rows that reach a part's rows, one by one: each has its own window.
  bool add_rows(const Part& part, int64_t d, const Range& window, const Range& own,
                Real* sums) const {
    const Range rows = windows_reaching(part.rows, work_.window, 1, part.gradients.shape[1]);
    bool inside = true;
    for (int64_t h = rows.begin; h < rows.end; ++h) {
      const Range window_rows = span(1, h);
      const typename Adder::BandOfPlanes target = {word(plane_),
                                                   word(band()),
                                                   static_cast<int>(window.size()),
                                                   word(window.begin * plane_),
                                                   word(window_rows.begin * width_),
                                                   word(window_rows.size() * width_),
                                                   word(own.begin - window.begin) * word(band()),
                                                   word(own.size()) * word(band()),
                                                   word(part.rows.begin * width_),
                                                   word(part.rows.size() * width_),
                                                   sums};
      inside &= Adder::add_run(row(part, d, h), target);
    }
    return inside;
  }

  static uint32_t word(int64_t value) { return static_cast<uint32_t>(value); }

  static typename Adder::Run row(const Part& part, int64_t d, int64_t h) {
    const Slab &gradients = part.gradients, &indices = part.indices;
    return {gradients.row(d, h), gradients.strides[2], indices.row(d, h), indices.strides[2],
            gradients.shape[2]};
  }

  static bool follow(const Slab& slab, int64_t item_size) {
    return (slab.shape[2] == 1 || slab.strides[2] == item_size) &&
           (slab.shape[1] == 1 || slab.strides[1] == slab.shape[2] * item_size);
  }

  // Rounds sums once, writes them and clears them.
  void write(const Part& part, int64_t first, int64_t planes, Real* sums) const {
    const Slab& result = part.result;
    if (bands_ == 1 && result.dense(kSize)) {
      return write_run(result.row(first, 0), kSize, planes * plane_, sums);
    }
    const bool plane_dense = follow(result, kSize);
    const int64_t rows = plane_dense ? 1 : part.rows.size();
    const int64_t run = plane_dense ? part.rows.size() * width_ : width_;
    const int64_t step = plane_dense ? kSize : result.strides[2];
    for (int64_t d = 0; d < planes; ++d) {
      Real* from = sums + d * band();
      for (int64_t h = 0; h < rows; ++h, from += width_) {
        write_run(result.row(first + d, part.rows.begin + h), step, run, from);
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
  const int64_t width_;
  const int64_t plane_;
  const int64_t depth_;
  const bool in_place_;
  int64_t bands_;
  int64_t band_rows_;
  int64_t parts_;
  int64_t part_planes_;
  int64_t scratch_planes_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

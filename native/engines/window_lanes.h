// SPDX-License-Identifier: Apache-2.0
// Windows over many channels with short rows: Note [Channels in lanes] in channel_band.h. Sums are
// taken in the order of window.h: of the rows first, then of the columns.
#pragma once

#include "engines/channel_band.h"
#include "engines/elementwise.h"
#include "engines/window_work.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Means of floating-point numbers.
template <typename T>
class MeansInLanes {
  using Number = typename WindowNumber<T>::type;
  using Numbers = Vector<Number>;
  static constexpr int kWidth = kLanes<Number>;
  using Band = ChannelBand<T, kWidth>;

 public:
  explicit MeansInLanes(const WindowWork& work) : work_(work), blocks_(work.sources, kWidth) {}

  bool pays() const {
    const WindowAxis* const axes = work_.axes;
    const int64_t positions = axes[0].most() * axes[1].most() * axes[2].input;
    return !work_.gradient && axes[2].pooled < kWidth && axes[2].input <= kMostColumns &&
           axes[2].most() < kMostWidth && blocks_.fill_vectors() &&
           positions <= Band::kMostPositions;
  }

  void compute() const {
    const int64_t planes = work_.targets.shape[2] * work_.targets.shape[3];
    const int64_t row = work_.axes[0].most() * work_.axes[1].most() * work_.axes[2].input * kWidth;
    parallel_for(blocks_.count() * planes, std::max<int64_t>(kParallelElements / row, 1),
                 [&](int64_t begin, int64_t end) {
                   Band band;
                   for (int64_t i = begin; i < end; ++i) compute_row(i, &band);
                 });
  }

 private:
  static constexpr int64_t kMostColumns = 128;
  static constexpr int64_t kMostWidth = 32;  // window.h adds more of them in another order

  void compute_row(int64_t number, Band* band) const {
    const Volumes &sources = work_.sources, &targets = work_.targets;
    const int64_t h = number % targets.shape[3], plane = number / targets.shape[3];
    const int64_t d = plane % targets.shape[2], block = plane / targets.shape[2];
    const Range depth = work_.axes[0].positions(d), height = work_.axes[1].positions(h);
    const int64_t first = blocks_.first(block), slabs = blocks_.size(block);
    band->bring(sources.slab(first), blocks_.step(), slabs, depth, height);
    Numbers sums[kMostColumns];
    sum_rows(*band, depth.size(), height.size(), sums);
    const auto rows = static_cast<Number>(work_.counted(0, d) * work_.counted(1, h));
    T means[kWidth][kWidth];
    for (int64_t i = 0; i < targets.shape[4]; ++i) {
      const auto counted = rows * static_cast<Number>(work_.counted(2, i));
      store_narrowed(means[i], sum_columns(sums, work_.axes[2].positions(i)) / counted);
    }
    for (int64_t lane = 0; lane < slabs; ++lane) {
      char* const to = targets.slab(first + lane).row(d, h);
      for (int64_t i = 0; i < targets.shape[4]; ++i) {
        store(to + i * targets.strides[4], means[i][lane]);
      }
    }
  }

  void sum_rows(const Band& band, int64_t depths, int64_t heights, Numbers* sums) const {
    const int64_t columns = work_.sources.shape[4], step = band.column_step();
    for (int64_t w = 0; w < columns; ++w) {
      Numbers sum = {};
      for (int64_t d = 0; d < depths; ++d) {
        for (int64_t h = 0; h < heights; ++h) {
          sum += load_widened(reinterpret_cast<const T*>(band.row(d, h) + w * step));
        }
      }
      sums[w] = sum;
    }
  }

  static Numbers sum_columns(const Numbers* sums, const Range& columns) {
    if (columns.size() == 0) return Numbers{};
    Numbers sum = sums[columns.begin];
    for (int64_t w = columns.begin + 1; w < columns.end; ++w) sum += sums[w];
    return sum;
  }

  const WindowWork& work_;
  const ChannelBlocks blocks_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Adaptive max pools of many channels: Note [Channels in lanes] in channel_band.h.
#pragma once

#include <type_traits>

#include "engines/channel_band.h"
#include "engines/elementwise.h"
#include "kernels/pooling/max_pool3d_keys.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename T, typename Index>
class AdaptiveMaxInLanes {
  using Key = std::conditional_t<sizeof(T) == 2, int16_t, T>;
  using Keys = Vector<Key>;
  using Places = MaskOf<Keys>;
  static constexpr int kWidth = kLanes<Key>;
  using Band = ChannelBand<T, kWidth>;

 public:
  AdaptiveMaxInLanes(const Volumes& self, const Volumes& out, const Volumes& indices,
                     const WindowAxis* axes)
      : self_(self), out_(out), indices_(indices), axes_(axes), blocks_(self, kWidth) {}

  bool pays() const {
    const int64_t positions = axes_[0].most() * axes_[1].most() * self_.shape[4];
    return blocks_.fill_vectors() && positions <= Band::kMostPositions;
  }

  void compute() const {
    const int64_t planes = out_.shape[2] * out_.shape[3];
    const int64_t row = std::max<int64_t>(self_.slab(0).elements() / planes, 1) * kWidth;
    parallel_for(blocks_.count() * planes, std::max<int64_t>(kParallelElements / row, 1),
                 [&](int64_t begin, int64_t end) {
                   Band band;
                   for (int64_t i = begin; i < end; ++i) compute_row(i, &band);
                 });
  }

 private:
  static constexpr int64_t kColumns = 32;  // of results that are written together

  // What the windows of a row share.
  struct Row {
    int64_t first_slab, slabs;
    int64_t d, h;
    Range depth, height;
  };
  struct Results {
    T elements[kColumns][kWidth];
    Element<Places> places[kColumns][kWidth];
  };

  void compute_row(int64_t number, Band* band) const {
    const int64_t h = number % out_.shape[3], plane = number / out_.shape[3];
    const int64_t d = plane % out_.shape[2], block = plane / out_.shape[2];
    const Row row = {blocks_.first(block),  blocks_.size(block),  d, h,
                     axes_[0].positions(d), axes_[1].positions(h)};
    band->bring(self_.slab(row.first_slab), blocks_.step(), row.slabs, row.depth, row.height);
    Results results;
    for (int64_t first = 0; first < out_.shape[4]; first += kColumns) {
      const int64_t count = std::min(kColumns, out_.shape[4] - first);
      for (int64_t i = 0; i < count; ++i) {
        const Range width = axes_[2].positions(first + i);
        take_maxima(*band, row, width, results.elements[i], results.places[i]);
      }
      put(row, first, count, results);
    }
  }

  static Keys keys_of(Keys elements) {
    if constexpr (sizeof(T) == 2) return PoolKeys<T>().from_elements(elements);
    return elements;
  }
  static Places is_nan(Keys keys) {
    if constexpr (sizeof(T) == 2) return keys > -PoolKeys<T>::kLowest;
    return keys != keys;
  }

  // Places are counted through the band.
  void take_maxima(const Band& band, const Row& row, const Range& width, T* elements,
                   Element<Places>* places) const {
    const int64_t step = band.column_step();
    Keys taken = load_vector<Keys>(band.row(0, 0) + width.begin * step), best = keys_of(taken);
    auto start = static_cast<Element<Places>>(width.begin);
    Places place = splat<Places>(start);
    for (int64_t d = 0; d < row.depth.size(); ++d) {
      for (int64_t h = 0; h < row.height.size(); ++h) {
        const char* from = band.row(d, h) + width.begin * step;
        for (int64_t w = 0; w < width.size(); ++w, from += step) {
          const auto given = load_vector<Keys>(from);
          const Keys keys = keys_of(given);
          const Places replaced = (keys > best) | is_nan(keys);
          best = replaced ? keys : best;
          taken = replaced ? given : taken;
          place = replaced ? splat<Places>(static_cast<Element<Places>>(start + w)) : place;
        }
        start = static_cast<Element<Places>>(start + self_.shape[4]);
      }
    }
    store_vector(elements, taken);
    store_vector(places, place);
  }

  void put(const Row& row, int64_t first, int64_t count, const Results& results) const {
    const int64_t plane = self_.shape[3] * self_.shape[4];
    const int64_t start = row.depth.begin * plane + row.height.begin * self_.shape[4];
    const auto band_plane = static_cast<uint32_t>(row.height.size() * self_.shape[4]);
    for (int64_t lane = 0; lane < row.slabs; ++lane) {
      const int64_t slab = row.first_slab + lane;
      char* const values = out_.slab(slab).row(row.d, row.h) + first * out_.strides[4];
      char* const places = indices_.slab(slab).row(row.d, row.h) + first * indices_.strides[4];
      for (int64_t i = 0; i < count; ++i) {
        const auto place = static_cast<uint32_t>(results.places[i][lane]);
        int64_t index = start + place;
        if (row.depth.size() > 1) index += place / band_plane * (plane - band_plane);
        store(values + i * out_.strides[4], results.elements[i][lane]);
        store(places + i * indices_.strides[4], static_cast<Index>(index));
      }
    }
  }

  const Volumes &self_, &out_, &indices_;
  const WindowAxis* const axes_;
  const ChannelBlocks blocks_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

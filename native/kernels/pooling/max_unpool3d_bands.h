// SPDX-License-Identifier: Apache-2.0
// Random indices into a volume that no near cache holds.
//
// Written one after the other, nearly every element would be a trip to memory. So the volume is
// divided into bands that the second-level cache holds, positions are sorted by band first, and
// then one band after the other is cleared and filled. Where indices repeat, the last position
// wins: the lists of a band are in the order of positions.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "kernels/pooling/max_unpool3d_canvas.h"
#include "kernels/pooling/unpooling.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

template <typename Bits, typename Index>
class BandedScatter {
 public:
  // Whether it can be done for these volumes, which are dense.
  static bool possible(const Unpooling& u) {
    return u.places.size() <= kMostBands * kBand && u.walk.shape[0] >= u.small_size;
  }

  BandedScatter(const Unpooling& unpooling, bool past_cache)
      : u_(unpooling),
        bands_((u_.places.size() + kBand - 1) / kBand),
        past_cache_(past_cache && u_.small_size <= kRound),
        lists_(new (std::nothrow) Lists) {}

  bool has_memory() const { return lists_ != nullptr; }

  BadIndex run(int64_t volume) const {
    FirstBadIndex bad;
    for (int64_t done = 0; done < u_.small_size; done += kRound) {
      const int64_t count = std::min(kRound, u_.small_size - done);
      for_each_stretch(u_, volume * u_.small_size + done, volume * u_.small_size + done + count,
                       [&](const Stretch& stretch) { round(stretch, done == 0, &bad); });
    }
    return bad.get();
  }

 private:
  static constexpr int64_t kItem = sizeof(Bits);
  static constexpr uint32_t kBand = 1 << 16;    // elements
  static constexpr int64_t kSegment = 1 << 14;  // positions that are sorted together
  static constexpr int64_t kSegments = 64;
  static constexpr int64_t kRound = kSegments * kSegment;
  static constexpr int64_t kMostBands = 1024;
  static constexpr int64_t kAhead = 16;  // entries, to fetch memory for

  // What is sorted is the element itself, or where it is: its position in the segment.
  static constexpr bool kCarries = kItem <= 4;
  using Carried = std::conditional_t<kCarries, Bits, uint16_t>;

  // For each entry a place in the band, and what is to be put there. One list more is for bad
  // indices; nobody reads it.
  struct Lists {
    uint16_t places[kSegments][kSegment + kAhead];
    Carried carried[kSegments][kSegment + kAhead];
    uint32_t ends[kSegments][kMostBands + 1];
  };

  void round(const Stretch& stretch, bool first, FirstBadIndex* bad) const {
    const int64_t segments = (stretch.length + kSegment - 1) / kSegment;
    parallel_for(segments, 1, [&](int64_t begin, int64_t end) {
      for (int64_t segment = begin; segment < end; ++segment) bad->add(sort(stretch, segment));
    });
    parallel_for(bands_, 1, [&](int64_t begin, int64_t end) {
      const std::unique_ptr<char[]> scratch(
          past_cache_ ? new (std::nothrow) char[kBand * kItem + 64] : nullptr);
      for (int64_t band = begin; band < end; ++band) {
        fill(stretch, segments, band, first, scratch.get());
      }
      if (past_cache_) finish_streaming();
    });
  }

  BadIndex sort(const Stretch& s, int64_t segment) const {
    const int64_t begin = segment * kSegment, count = std::min(kSegment, s.length - begin);
    uint32_t copies[kSegment];
    uint32_t* const ends = lists_->ends[segment];
    uint16_t* const places = lists_->places[segment];
    Carried* const carried = lists_->carried[segment];
    std::memset(ends, 0, (bands_ + 1) * sizeof *ends);
    BadIndex bad;
    for (int64_t i = 0; i < count; i += kChunk) {
      alignas(64) int64_t taken[kChunk];
      const int64_t length = std::min(kChunk, count - i);
      const char* const indices = s.indices + (begin + i) * static_cast<int64_t>(sizeof(Index));
      fetch_indices<Index>(s, begin + i);
      if (!take_indices<Index>(u_, indices, length, taken)) {
        note_bad(u_, s.position + begin + i, taken, length, &bad);
        for (int64_t k = 0; k < length; ++k) {
          if (!names_place(u_, taken[k])) taken[k] = bands_ * kBand;
        }
      }
      for (int64_t k = 0; k < length; k += 32) __builtin_prefetch(places + i + k, 1);
      for (int64_t k = 0; k < length; k += 16) __builtin_prefetch(carried + i + k, 1);
      for (int64_t k = 0; k < length; ++k) {
        copies[i + k] = static_cast<uint32_t>(taken[k]);
        ++ends[static_cast<uint32_t>(taken[k]) / kBand];
      }
    }
    uint32_t begin_of_list = 0;
    for (int64_t band = 0; band <= bands_; ++band) {
      const uint32_t length = ends[band];
      ends[band] = begin_of_list;
      begin_of_list += length;
    }
    const char* const in = s.small + begin * kItem;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t entry = ends[copies[i] / kBand]++;
      places[entry] = static_cast<uint16_t>(copies[i]);
      carried[entry] = kCarries ? load<Carried>(in + i * kItem) : static_cast<Carried>(i);
    }
    return bad;
  }

  void fill(const Stretch& s, int64_t segments, int64_t band, bool first, char* scratch) const {
    const int64_t length = std::min<int64_t>(kBand, u_.places.size() - band * kBand);
    char* const place = s.large + band * kBand * kItem;
    char* const target = scratch ? scratch : place;
    if (first) std::memset(target, 0, length * kItem);
    for (int64_t segment = 0; segment < segments; ++segment) {
      const char* const in = s.small + segment * kSegment * kItem;
      const uint16_t* const places = lists_->places[segment];
      const Carried* const carried = lists_->carried[segment];
      const uint32_t* const ends = lists_->ends[segment];
      const uint32_t end = ends[band];
      for (uint32_t i = band == 0 ? 0 : ends[band - 1]; i < end; ++i) {
        __builtin_prefetch(target + places[i + kAhead] * kItem, 1);
        if constexpr (kCarries) {
          store(target + places[i] * kItem, carried[i]);
        } else {
          __builtin_prefetch(in + carried[i + kAhead] * kItem);
          store(target + places[i] * kItem, load<Bits>(in + carried[i] * kItem));
        }
      }
    }
    if (scratch) stream_run(scratch, length * kItem, place);
  }

  const Unpooling& u_;
  const int64_t bands_;
  const bool past_cache_;
  const std::unique_ptr<Lists> lists_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

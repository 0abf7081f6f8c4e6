// SPDX-License-Identifier: Apache-2.0
#include "ops/max_unpool3d_backward.h"

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "kernels/simd.h"
#include "kernels/unpooling.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kLine = 64;     // bytes of a cache line
constexpr int64_t kGrain = 4096;  // positions; less is not worth a second thread

// Note [Fetching ahead]
// A gather waits for memory at every element, unless that was asked for before. Elements of a later
// chunk can be asked for one by one. Small ones of a pool's indices share lines, so it takes less
// to ask for the volume from front to back, one layer ahead. Random indices touch the lines of a
// volume in no order that memory likes: if the second-level cache can hold it, the whole next
// volume is asked for, from front to back, while this one is read.
class FetchAhead {
 public:
  FetchAhead() = default;  // of nothing

  // Judges by the first chunk of a stretch in dense tensors.
  FetchAhead(const Unpooling& u, const Stretch& stretch, const char* next_volume,
             const int64_t* chunk)
      : volume_(reinterpret_cast<uintptr_t>(stretch.large)), item_size_(u.item_size) {
    int64_t low = chunk[0], high = chunk[0];
    for (int64_t i = 1; i < kChunk; ++i) {
      low = std::min(low, chunk[i]);
      high = std::max(high, chunk[i]);
    }
    const bool local = high - low < u.places.size() / 4;
    const int64_t volume_bytes = u.places.size() * item_size_, layer_bytes = u.layer * item_size_;
    by_index_ = local ? item_size_ >= 4 || layer_bytes > kHeldLayer : volume_bytes > kHeldVolume;
    // Asking for a line again costs time.
    every_ = local && item_size_ < 4 ? 4 / item_size_ : 1;
    if (by_index_ || (!local && next_volume == nullptr)) return;
    const int64_t chunks = (u.small_size + kChunk - 1) / kChunk;
    piece_ = (volume_bytes + chunks - 1) / chunks;
    next_ = local ? volume_ + layer_bytes + kAhead : reinterpret_cast<uintptr_t>(next_volume);
    next_ += stretch.position % u.small_size / kChunk * piece_;
  }

  // What is worth asking for while the chunk at `i` is read. These indices are not checked, but to
  // ask for memory that does not exist does no harm.
  template <typename Index>
  void at(const Stretch& stretch, int64_t i) {
    if (by_index_ && i + 3 * kChunk <= stretch.length) {
      const char* indices = stretch.indices + (i + 2 * kChunk) * sizeof(Index);
      for (int64_t k = 0; k < kChunk; k += every_) {
        const uint64_t index = load<Index>(indices + k * sizeof(Index));
        __builtin_prefetch(reinterpret_cast<const void*>(volume_ + index * item_size_));
      }
    }
    for (int64_t byte = 0; byte < piece_; byte += kLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(next_ + byte));
    }
    next_ += piece_;
  }

 private:
  static constexpr int64_t kHeldVolume = 512 << 10;  // bytes
  static constexpr int64_t kHeldLayer = 64 << 10;
  static constexpr int64_t kAhead = 1 << 10;

  uintptr_t volume_ = 0;
  int64_t item_size_ = 0;
  bool by_index_ = false;
  int64_t every_ = 1;
  uintptr_t next_ = 0;  // what is to be asked for from front to back
  int64_t piece_ = 0;   // bytes of it for each chunk
};

// A full chunk between dense tensors. Elements leave in words of 8 bytes: storing each on its own
// takes longer than loading it.
template <typename Bits>
inline void gather_chunk(const char* large, const int64_t* taken, char* out) {
  constexpr int64_t kItem = sizeof(Bits), kPerWord = sizeof(uint64_t) / kItem;
  for (int64_t i = 0; i < kChunk; i += kPerWord) {
    uint64_t word = 0;  // little-endian, as all our processors are
    for (int64_t k = 0; k < kPerWord; ++k) {
      word |= uint64_t{load<Bits>(large + taken[i + k] * kItem)} << (8 * kItem * k);
    }
    store(out + i * kItem, word);
  }
}

// The definition: one element after the other, with a 0 where an index names no place.
template <typename Bits>
void gather_any(const Unpooling& u, const char* large, const int64_t* taken, int64_t count,
                char* out) {
  for (int64_t i = 0; i < count; ++i) {
    const bool inside = names_place(u, taken[i]);
    store(out + i * u.small_step, inside ? load<Bits>(large + u.places[taken[i]]) : Bits{0});
  }
}

// The same without the check, for views.
template <typename Bits>
void gather_view(const Unpooling& u, const char* large, const int64_t* taken, int64_t count,
                 char* out) {
  int64_t offsets[kChunk];
  u.places.locate(taken, count, offsets);
  for (int64_t i = 0; i < count; ++i) {
    store(out + i * u.small_step, load<Bits>(large + offsets[i]));
  }
}

template <typename Bits>
inline void stream_chunk(const char* large, const int64_t* taken, char* out) {
  alignas(kLine) char staged[kChunk * sizeof(Bits)];
  gather_chunk<Bits>(large, taken, staged);
  for (int64_t i = 0; i < static_cast<int64_t>(sizeof staged); i += kVectorBytes) {
    stream_vector(out + i, load_vector<Vector<uint8_t>>(staged + i));
  }
}

template <typename Bits>
class Gather {
 public:
  explicit Gather(const Unpooling& unpooling)
      : u_(unpooling),
        dense_(u_.dense() && u_.index_step == u_.index_size),
        near_by_(!u_.exceeds(kNearBytes)),
        past_cache_(u_.exceeds(kCacheBytes)) {}

  BadIndex range(int64_t begin, int64_t end) const {
    BadIndex bad;
    for_each_stretch(u_, begin, end, [&](const Stretch& stretch) {
      const bool more = stretch.position + stretch.length < end;
      this->stretch(stretch, more ? u_.volume(stretch.position / u_.small_size + 1) : nullptr,
                    &bad);
    });
    if (past_cache_) finish_streaming();
    return bad;
  }

 private:
  static constexpr int64_t kNearBytes = 1 << 20;  // what a second-level cache holds
  static constexpr int64_t kItem = sizeof(Bits);

  void stretch(const Stretch& s, const char* next_volume, BadIndex* bad) const {
    const int64_t lead = (-reinterpret_cast<intptr_t>(s.small) & (kLine - 1)) / kItem;
    const bool streams = dense_ && past_cache_ && reinterpret_cast<uintptr_t>(s.small) % kItem == 0;
    alignas(kLine) int64_t taken[kChunk];
    FetchAhead ahead;
    int64_t i = 0;
    if (streams && lead > 0) {
      i = std::min(lead, s.length);
      chunk(s, 0, i, taken, false, bad);
    }
    if (dense_ && !near_by_ && i + kChunk <= s.length &&
        take_indices<int64_t>(u_, s.indices + i * u_.index_step, kChunk, taken)) {
      ahead = FetchAhead(u_, s, next_volume, taken);
    }
    for (; i + kChunk <= s.length; i += kChunk) {
      if (dense_ && !near_by_) fetch_indices<int64_t>(s, i);
      ahead.at<int64_t>(s, i);
      chunk(s, i, kChunk, taken, streams, bad);
    }
    chunk(s, i, s.length - i, taken, false, bad);
  }

  // A part of a stretch.
  inline void chunk(const Stretch& s, int64_t i, int64_t count, int64_t* taken, bool streams,
                    BadIndex* bad) const {
    char* const out = s.small + i * u_.small_step;
    if (!take_indices<int64_t>(u_, s.indices + i * u_.index_step, count, taken)) {
      note_bad(u_, s.position + i, taken, count, bad);
      gather_any<Bits>(u_, s.large, taken, count, out);
    } else if (!dense_ || count < kChunk) {
      gather_view<Bits>(u_, s.large, taken, count, out);
    } else if (streams) {
      stream_chunk<Bits>(s.large, taken, out);
    } else {
      gather_chunk<Bits>(s.large, taken, out);
    }
  }

  const Unpooling& u_;
  const bool dense_;
  const bool near_by_;
  const bool past_cache_;
};

}  // namespace

Status run(const MaxUnpool3dBackwardArgs& args) {
  return visit_width(args.out, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(args.gradOutput, args.out, args.indices, sizeof(Bits));
    const Gather<Bits> gather(u);
    FirstBadIndex bad;
    parallel_for(u.walk.total, kGrain,
                 [&](int64_t begin, int64_t end) { bad.add(gather.range(begin, end)); });
    return unpool_outcome(args.kOperator, u, args.indices, bad.get());
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

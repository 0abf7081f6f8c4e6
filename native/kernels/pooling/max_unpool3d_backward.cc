// SPDX-License-Identifier: Apache-2.0
#include "ops/max_unpool3d_backward.h"

#include "engines/elementwise.h"
#include "kernels/pooling/unpooling.h"
#include "simd/bits.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 2048;  // positions; less is not worth a second thread

// Note [Fetching ahead]
// A gather waits for memory at every element, unless that was asked for before. Elements of a later
// chunk can be asked for one by one. Small ones of a pool's indices share lines, so it takes less
// to ask for the volume from front to back, one layer ahead. Random indices touch the lines of a
// volume in no order that memory likes: if the second-level cache can hold it, the whole next
// volume is asked for, from front to back, while this one is read.
class FetchAhead {
 public:
  FetchAhead() = default;  // of nothing

  // For a stretch in dense tensors, judging by one of its chunks. `known` indices from its first on
  // may be read; behind it comes the next volume, or none.
  FetchAhead(const Unpooling& u, const Stretch& stretch, int64_t known, const char* next_volume,
             const int64_t* chunk)
      : volume_(reinterpret_cast<uintptr_t>(stretch.large)),
        next_volume_(reinterpret_cast<uintptr_t>(next_volume)),
        length_(stretch.length),
        item_size_(u.item_size),
        indices_(stretch.indices) {
    int64_t low = chunk[0], high = chunk[0];
    for (int64_t i = 1; i < kChunk; ++i) {
      low = std::min(low, chunk[i]);
      high = std::max(high, chunk[i]);
    }
    const bool local = high - low < u.places.size() / 4;
    const int64_t volume_bytes = saturating_product(u.places.size(), item_size_);
    const int64_t layer_bytes = saturating_product(u.layer, item_size_);
    const int64_t piece = volume_bytes / ((u.small_size + kChunk - 1) / kChunk) + 1;
    const bool sparse = piece > kChunk * kLineBytes;  // indices name only some of the lines
    if (sparse ||
        (local ? item_size_ >= 4 || layer_bytes > kHeldLayer : volume_bytes > kHeldVolume)) {
      known_ = known;
    } else if (local || next_volume != nullptr) {
      piece_ = piece;
      next_ = local ? volume_ + layer_bytes + kAhead : next_volume_;
      next_ += stretch.position % u.small_size / kChunk * piece_;
    }
  }

  // What is worth asking for while the chunk at `i` is read. These indices are not checked.
  void at(int64_t i) {
    if (indices_ == nullptr) return;
    const int64_t later = i + kChunks * kChunk;
    const char* const indices = indices_ + later * kIndex;
    prefetch_run(reinterpret_cast<uintptr_t>(indices) + kChunks * kChunk * kIndex, kChunk * kIndex);
    if (later + kChunk <= known_) {
      const uintptr_t volume = later + kChunk <= length_ ? volume_ : next_volume_;
      for (int64_t k = 0; k < kChunk; ++k) {
        const uintptr_t index = load<int64_t>(indices + k * kIndex);
        prefetch(volume + index * item_size_);
      }
    }
    prefetch_run(next_, piece_);
    next_ += piece_;
  }

 private:
  static constexpr int64_t kIndex = sizeof(int64_t);
  static constexpr int64_t kChunks = 8;              // from the one that is read
  static constexpr int64_t kHeldVolume = 256 << 10;  // bytes
  static constexpr int64_t kHeldLayer = 512 << 10;
  static constexpr int64_t kAhead = 1 << 10;

  uintptr_t volume_ = 0;
  uintptr_t next_volume_ = 0;
  int64_t length_ = 0;
  int64_t item_size_ = 0;
  const char* indices_ = nullptr;
  int64_t known_ = 0;   // indices to ask by
  uintptr_t next_ = 0;  // what is to be asked for from front to back
  int64_t piece_ = 0;   // bytes of it for each chunk
};

// A full chunk between dense tensors; false if an index names no place. Each index is read once,
// checked and used: a client that changes them meanwhile does not get past the check. Elements
// leave in words of 8 bytes, because storing small ones on their own takes longer than loading
// them.
template <typename Bits>
inline bool gather_chunk(const Unpooling& u, const char* large, const char* indices, char* out) {
  constexpr int64_t kItem = sizeof(Bits), kPerWord = sizeof(uint64_t) / kItem;
  for (int64_t i = 0; i < kChunk; i += 8) {
    uint64_t word = 0;  // little-endian, as all our processors are
#pragma GCC unroll 8
    for (int64_t k = i; k < i + 8; ++k) {
      const int64_t index = load<int64_t>(indices + k * static_cast<int64_t>(sizeof index));
      if (!names_place(u, index)) return false;
      word |= uint64_t{load<Bits>(large + index * kItem)} << (k % kPerWord * kItem * 8);
      if ((k + 1) % kPerWord != 0) continue;
      store(out + (k + 1) * kItem - 8, word);
      word = 0;
    }
  }
  return true;
}

// The same past the cache.
template <typename Bits>
inline bool stream_chunk(const Unpooling& u, const char* large, const char* indices, char* out) {
  alignas(kLineBytes) char staged[kChunk * sizeof(Bits)];
  if (!gather_chunk<Bits>(u, large, indices, staged)) return false;
  for (int64_t i = 0; i < static_cast<int64_t>(sizeof staged); i += kVectorBytes) {
    stream_vector(out + i, load_vector<Vector<uint8_t>>(staged + i));
  }
  return true;
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
class Gather {
 public:
  explicit Gather(const Unpooling& unpooling)
      : u_(unpooling),
        dense_(u_.dense() && u_.index_step == u_.index_size),
        near_by_(!u_.exceeds(kNearBytes)),
        past_cache_(u_.exceeds(cache_bytes())) {}

  BadIndex range(int64_t begin, int64_t end) const {
    BadIndex bad;
    for_each_stretch(u_, begin, end, [&](const Stretch& stretch) {
      this->stretch(stretch, end - stretch.position, &bad);
    });
    if (past_cache_) finish_streaming();
    return bad;
  }

 private:
  static constexpr int64_t kNearBytes = 16 << 20;  // from there it comes soon enough
  static constexpr int64_t kItem = sizeof(Bits);

  // `left` positions from its first on are to be gathered.
  void stretch(const Stretch& s, int64_t left, BadIndex* bad) const {
    const int64_t lead = (-reinterpret_cast<intptr_t>(s.small) & (kLineBytes - 1)) / kItem;
    const bool streams = dense_ && past_cache_ && reinterpret_cast<uintptr_t>(s.small) % kItem == 0;
    FetchAhead ahead;
    int64_t i = 0;
    if (streams && lead > 0) {
      i = std::min(lead, s.length);
      part(s, 0, i, bad);
    }
    if (dense_ && !near_by_) ahead = fetch_ahead(s, i, left);
    for (; i + kChunk <= s.length; i += kChunk) {
      ahead.at(i);
      chunk(s, i, streams, bad);
    }
    if (i < s.length) part(s, i, s.length - i, bad);
  }

  FetchAhead fetch_ahead(const Stretch& s, int64_t i, int64_t left) const {
    int64_t taken[kChunk];
    const bool good = i + kChunk <= s.length &&
                      take_indices<int64_t>(u_, s.indices + i * u_.index_step, kChunk, taken);
    if (!good) return {};
    const int64_t known = u_.walk.rank == 1 ? left : s.length;
    const char* const next_volume =
        left > s.length ? u_.volume(s.position / u_.small_size + 1) : nullptr;
    return FetchAhead(u_, s, known, next_volume, taken);
  }

  // A full chunk of a stretch.
  inline void chunk(const Stretch& s, int64_t i, bool streams, BadIndex* bad) const {
    const char* const indices = s.indices + i * u_.index_step;
    char* const out = s.small + i * u_.small_step;
    if (streams && stream_chunk<Bits>(u_, s.large, indices, out)) return;
    if (!streams && dense_ && gather_chunk<Bits>(u_, s.large, indices, out)) return;
    part(s, i, kChunk, bad);
  }

  // Any part of a stretch, up to a chunk.
  __attribute__((noinline)) void part(const Stretch& s, int64_t i, int64_t count,
                                      BadIndex* bad) const {
    int64_t taken[kChunk] = {};
    char* const out = s.small + i * u_.small_step;
    if (take_indices<int64_t>(u_, s.indices + i * u_.index_step, count, taken)) {
      gather_view<Bits>(u_, s.large, taken, count, out);
    } else {
      note_bad(u_, s.position + i, taken, count, bad);
      gather_any<Bits>(u_, s.large, taken, count, out);
    }
  }

  const Unpooling& u_;
  const bool dense_;
  const bool near_by_;
  const bool past_cache_;
};

}  // namespace

Status gather_pooled(const UnpoolTensors& tensors) {
  return visit_width(tensors.small, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(tensors.large, tensors.small, tensors.indices, sizeof(Bits));
    const Gather<Bits> gather(u);
    FirstBadIndex bad;
    parallel_for(u.walk.total, kGrain,
                 [&](int64_t begin, int64_t end) { bad.add(gather.range(begin, end)); });
    return unpool_outcome(tensors.op, u, tensors.named, bad.get());
  });
}

Status run(const MaxUnpool3dBackwardArgs& args) {
  return gather_pooled({args.kOperator, args.indices, args.gradOutput, args.out, args.indices});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

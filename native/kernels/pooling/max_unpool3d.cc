// SPDX-License-Identifier: Apache-2.0
#include "ops/max_unpool3d.h"

#include <cstring>
#include <memory>
#include <new>

#include "engines/elementwise.h"
#include "kernels/pooling/max_unpool3d_bands.h"
#include "kernels/pooling/max_unpool3d_canvas.h"
#include "kernels/pooling/unpooling.h"
#include "simd/bits.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Positions of a volume are looked at in segments: which places their indices reach.
class Segments {
 public:
  explicit Segments(int64_t positions) : positions_(positions) {
    const int64_t blocks = (positions + kBlock - 1) / kBlock;
    length_ = (blocks + kMost - 1) / kMost * kBlock;
    count_ = (positions + length_ - 1) / length_;
  }

  int64_t count() const { return count_; }
  int64_t begin(int64_t segment) const { return segment * length_; }
  int64_t end(int64_t segment) const { return std::min(begin(segment + 1), positions_); }

  Part& reach(int64_t segment) { return reaches_[segment]; }
  const Part& reach(int64_t segment) const { return reaches_[segment]; }
  int64_t widest_reach() const {
    int64_t widest = 0;
    for (int64_t i = 0; i < count_; ++i) widest = std::max(widest, reaches_[i].size());
    return widest;
  }

 private:
  static constexpr int64_t kMost = 256;
  static constexpr int64_t kBlock = 8 * kChunk;

  int64_t positions_;
  int64_t length_;
  int64_t count_;
  Part reaches_[kMost];
};

template <typename Bits, typename Index>
class Scatter {
 public:
  explicit Scatter(const Unpooling& unpooling)
      : u_(unpooling),
        dense_(u_.dense() && u_.index_step == u_.index_size),
        past_cache_(u_.exceeds(cache_bytes())) {}

  // Many volumes are shared among threads one by one, a single large one in parts.
  BadIndex run() const {
    const int64_t volumes = u_.large.slabs(), size = u_.places.size();
    const bool few = volumes < thread_count() && size >= 2 * kParallelElements;
    FirstBadIndex bad;
    if (dense_ && (few || size > kLargeVolume / kItem)) {
      for (int64_t volume = 0; volume < volumes; ++volume) bad.add(in_parts(volume));
      return bad.get();
    }
    const bool streams = dense_ && past_cache_ && size >= kSmallVolume / kItem;
    const int64_t room = streams ? usual_room(is_random(0, usual_room(false))) : 0;
    parallel_for(volumes, std::max<int64_t>(kParallelElements / size, 1),
                 [&](int64_t first, int64_t last) {
                   const Scratch scratch(room);
                   for (int64_t volume = first; volume < last; ++volume) {
                     bad.add(dense_ ? whole(volume, scratch.data, room) : whole_view(volume));
                   }
                 });
    return bad.get();
  }

 private:
  static constexpr int64_t kItem = sizeof(Bits), kIndex = sizeof(Index);
  static constexpr int64_t kSmallVolume = 16 << 10;  // bytes
  static constexpr int64_t kLargeVolume = 4 << 20;
  static constexpr int64_t kScratch = 128 << 10;  // a usual one
  static constexpr int64_t kLargestScratch = 2 << 20;
  static constexpr int64_t kLine = 64;

  struct Scratch {
    explicit Scratch(int64_t elements) {
      if (elements == 0) return;
      memory.reset(new (std::nothrow) char[elements * kItem + kLine]);
      data = memory.get();
      data += -reinterpret_cast<uintptr_t>(data) % kLine;
    }
    std::unique_ptr<char[]> memory;
    char* data = nullptr;  // null: there is none
  };

  // Of a scratch, in elements: some layers, or the volume where indices are random. 0 if that would
  // be too large.
  int64_t usual_room(bool random) const {
    const int64_t size = u_.places.size();
    if (random) return size > kLargestScratch / 2 / kItem ? 0 : size;
    const int64_t layers = std::max<int64_t>((kScratch / kItem + u_.layer - 1) / u_.layer, 2);
    const int64_t room = std::min(saturating_product(layers, u_.layer), size);
    return room > kLargestScratch / kItem ? 0 : room;
  }

  BadIndex whole_view(int64_t volume) const {
    BadIndex bad;
    clear(u_.volume(volume));
    const int64_t begin = volume * u_.small_size;
    for_each_stretch(u_, begin, begin + u_.small_size,
                     [&](const Stretch& stretch) { scatter_view(stretch, &bad); });
    return bad;
  }

  void clear(char* volume) const {
    if (u_.places.step() == kItem) {
      std::memset(volume, 0, u_.places.size() * kItem);
    } else {
      for (int64_t i = 0; i < u_.places.size(); ++i) store(volume + u_.places[i], Bits{0});
    }
  }

  // The definition. Where indices repeat, the last position wins.
  void scatter_view(const Stretch& s, BadIndex* bad) const {
    int64_t taken[kChunk], offsets[kChunk];
    const auto put = [](char* to, const char* from) { store(to, load<Bits>(from)); };
    for (int64_t i = 0; i < s.length; i += kChunk) {
      const int64_t count = std::min(kChunk, s.length - i);
      const char* const in = s.small + i * u_.small_step;
      if (!take_indices<Index>(u_, s.indices + i * u_.index_step, count, taken)) {
        note_bad(u_, s.position + i, taken, count, bad);
        for (int64_t k = 0; k < count; ++k) {
          if (names_place(u_, taken[k])) put(s.large + u_.places[taken[k]], in + k * u_.small_step);
        }
        continue;
      }
      u_.places.locate(taken, count, offsets);
      for (int64_t k = 0; k < count; ++k) put(s.large + offsets[k], in + k * u_.small_step);
    }
  }

  // The same between dense tensors. Without a scratch, the volume is cleared right before it is
  // filled, while it is in the cache.
  BadIndex whole(int64_t volume, char* scratch, int64_t room) const {
    BadIndex bad;
    const int64_t begin = volume * u_.small_size, size = u_.places.size();
    if (scratch && is_random(volume, room)) scratch = nullptr;
    Canvas canvas(u_.volume(volume), {0, size}, kItem, scratch, room);
    if (!scratch) canvas.advance(0, size - 1);
    for_each_stretch(u_, begin, begin + u_.small_size,
                     [&](const Stretch& stretch) { scatter(stretch, &canvas, &bad); });
    canvas.finish();
    return bad;
  }

  // Judges by the first chunk.
  bool is_random(int64_t volume, int64_t room) const {
    Part reach = {INT64_MAX, 0};
    const int64_t begin = volume * u_.small_size;
    for_each_stretch(u_, begin, begin + std::min(kChunk, u_.small_size),
                     [&](const Stretch& stretch) { look(stretch, &reach); });
    return reach.size() > room;
  }

  // Those indices that lie in the canvas. Bad ones are looked for unless they are known.
  void scatter(const Stretch& s, Canvas* canvas, BadIndex* bad) const {
    alignas(64) int64_t taken[kChunk];
    for (int64_t i = 0; i < s.length; i += kChunk) {
      const int64_t count = std::min(kChunk, s.length - i);
      const char* const in = s.small + i * kItem;
      fetch_indices<Index>(s, i);
      if (!take_indices<Index>(u_, canvas->window(), s.indices + i * kIndex, count, taken)) {
        if (bad) note_bad(u_, s.position + i, taken, count, bad);
        scatter_some(taken, in, count, canvas);
        continue;
      }
      const uintptr_t origin = canvas->origin();
      for (int64_t k = 0; k < count; ++k) {
        store(address(origin, taken[k]), load<Bits>(in + k * kItem));
      }
    }
  }

  static void scatter_some(const int64_t* taken, const char* in, int64_t count, Canvas* canvas) {
    const Part part = canvas->part();
    int64_t low = part.last, high = -1;
    for (int64_t k = 0; k < count; ++k) {
      low = std::min(low, part.holds(taken[k]) ? taken[k] : part.last);
      high = std::max(high, part.holds(taken[k]) ? taken[k] : -1);
    }
    if (high < 0) return;
    canvas->advance(low, high);
    const Part window = canvas->window();
    put_chosen(taken, in, count, window, canvas->origin());
    const auto volume = reinterpret_cast<uintptr_t>(canvas->volume());
    if (low < window.first) put_chosen(taken, in, count, {part.first, window.first}, volume);
  }

  // Chooses without a branch, which nobody could predict.
  static void put_chosen(const int64_t* taken, const char* in, int64_t count, const Part& part,
                         uintptr_t origin) {
    int64_t kept[kChunk];
    Bits values[kChunk];
    int64_t n = 0;
    for (int64_t k = 0; k < count; ++k) {
      kept[n] = taken[k];
      values[n] = load<Bits>(in + k * kItem);
      n += part.holds(taken[k]);
    }
    for (int64_t k = 0; k < n; ++k) store(address(origin, kept[k]), values[k]);
  }

  static char* address(uintptr_t origin, int64_t index) {
    return reinterpret_cast<char*>(origin + index * kItem);
  }

  // Note [Parts of a volume]
  // Each thread fills a part of the large volume with those positions that belong there, in their
  // order, so that repeated indices cannot tell how many threads there are. What the indices of a
  // segment of positions reach is found out first: those of a pool advance through the volume, so
  // that most segments concern one part only.
  BadIndex in_parts(int64_t volume) const {
    const bool random = is_random(volume, kLargestScratch / kItem);
    if (random && BandedScatter<Bits, Index>::possible(u_)) {
      const BandedScatter<Bits, Index> scatter(u_, past_cache_);
      if (scatter.has_memory()) return scatter.run(volume);
    }
    Segments segments(u_.small_size);
    FirstBadIndex bad;
    parallel_for(segments.count(), 1, [&](int64_t first, int64_t last) {
      for (int64_t segment = first; segment < last; ++segment) {
        Part& reach = segments.reach(segment) = {INT64_MAX, 0};
        for_each_stretch_of(volume, segments, segment,
                            [&](const Stretch& stretch) { bad.add(look(stretch, &reach)); });
      }
    });
    const int64_t size = u_.places.size(), widest = segments.widest_reach();
    const int64_t room = past_cache_ && !random ? usual_room(false) : 0;
    // A part is much longer than what its first and last segments share with others.
    const int64_t most = std::max<int64_t>(size / (4 * widest), thread_count());
    const int64_t length = (size + most - 1) / std::min<int64_t>(most, 4 * thread_count());
    const int64_t parts = (size + length - 1) / length;
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      const Scratch scratch(room);
      for (int64_t part = first; part < last; ++part) {
        const Part places = {part * length, std::min((part + 1) * length, size)};
        Canvas canvas(u_.volume(volume), places, kItem, scratch.data, room);
        fill(volume, segments, &canvas);
      }
    });
    return bad.get();
  }

  void fill(int64_t volume, const Segments& segments, Canvas* canvas) const {
    const Part& part = canvas->part();
    for (int64_t i = 0; i < segments.count(); ++i) {
      const Part& reach = segments.reach(i);
      if (reach.first >= part.last || reach.last <= part.first) continue;
      for_each_stretch_of(volume, segments, i,
                          [&](const Stretch& stretch) { scatter(stretch, canvas, nullptr); });
    }
    canvas->finish();
  }

  template <typename Visit>
  void for_each_stretch_of(int64_t volume, const Segments& segments, int64_t segment,
                           const Visit& visit) const {
    const int64_t begin = volume * u_.small_size;
    for_each_stretch(u_, begin + segments.begin(segment), begin + segments.end(segment), visit);
  }

  // Widens the reach of a stretch's segment. Bad indices count as 0.
  BadIndex look(const Stretch& s, Part* reach) const {
    BadIndex bad;
    int64_t low = reach->first, high = reach->last - 1;
    alignas(64) int64_t taken[kChunk];
    for (int64_t i = 0; i < s.length; i += kChunk) {
      const int64_t count = std::min(kChunk, s.length - i);
      fetch_indices<Index>(s, i);
      if (!take_indices<Index>(u_, s.indices + i * kIndex, count, taken)) {
        note_bad(u_, s.position + i, taken, count, &bad);
        for (int64_t k = 0; k < count; ++k) taken[k] = names_place(u_, taken[k]) ? taken[k] : 0;
      }
      for (int64_t k = count; k < kChunk; ++k) taken[k] = taken[0];
      for (int64_t k = 0; k < kChunk; ++k) {
        low = std::min(low, taken[k]);
        high = std::max(high, taken[k]);
      }
    }
    *reach = {low, high + 1};
    return bad;
  }

  const Unpooling& u_;
  const bool dense_;
  const bool past_cache_;
};

}  // namespace

Status scatter_unpooled(const UnpoolTensors& tensors) {
  return visit_width(tensors.small, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(tensors.large, tensors.small, tensors.indices, sizeof(Bits));
    const BadIndex bad = tensors.indices.dtype == ACL_INT32 ? Scatter<Bits, int32_t>(u).run()
                                                            : Scatter<Bits, int64_t>(u).run();
    return unpool_outcome(tensors.op, u, tensors.named, bad);
  });
}

Status run(const MaxUnpool3dArgs& args) {
  return scatter_unpooled({args.kOperator, args.indices, args.outRef, args.self, args.indices});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "ops/max_unpool3d.h"

#include <cstring>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "kernels/unpooling.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Indices of one large volume, from first to last - 1.
struct Part {
  int64_t first;
  int64_t last;

  bool holds(int64_t index) const {
    return static_cast<uint64_t>(index) - first < static_cast<uint64_t>(last - first);
  }
};

template <typename Bits, typename Index>
class Scatter {
 public:
  explicit Scatter(const Unpooling& unpooling)
      : u_(unpooling), dense_(u_.dense() && u_.index_step == u_.index_size) {}

  // Many volumes are shared among threads one by one, a single large one in parts.
  BadIndex run() const {
    const int64_t volumes = u_.large.slabs();
    const bool few = volumes < thread_count() && u_.places.size() >= 2 * kParallelElements;
    FirstBadIndex bad;
    if (dense_ && (few || u_.places.size() > kLargeVolume / kItem)) {
      for (int64_t volume = 0; volume < volumes; ++volume) bad.add(large_volume(volume));
    } else {
      const int64_t grain = std::max<int64_t>(kParallelElements / u_.places.size(), 1);
      parallel_for(volumes, grain, [&](int64_t first, int64_t last) {
        for (int64_t volume = first; volume < last; ++volume) bad.add(whole_volume(volume));
      });
    }
    return bad.get();
  }

 private:
  static constexpr int64_t kItem = sizeof(Bits), kIndex = sizeof(Index);
  static constexpr int64_t kLargeVolume = 4 << 20;  // bytes
  static constexpr int64_t kPartBytes = 256 << 10;  // less than the second-level cache
  static constexpr int64_t kSegments = 256;

  // It is cleared right before it is filled, while it is in the cache.
  BadIndex whole_volume(int64_t volume) const {
    BadIndex bad;
    clear(u_.volume(volume));
    const int64_t begin = volume * u_.small_size;
    for_each_stretch(u_, begin, begin + u_.small_size,
                     [&](const Stretch& stretch) { all(stretch, &bad); });
    return bad;
  }

  void all(const Stretch& s, BadIndex* bad) const {
    for (int64_t i = 0; i < s.length; i += kChunk) {
      chunk(s, i, std::min(kChunk, s.length - i), bad);
    }
  }

  void clear(char* volume) const {
    if (u_.places.step() == kItem) {
      std::memset(volume, 0, u_.places.size() * kItem);
    } else {
      for (int64_t i = 0; i < u_.places.size(); ++i) store(volume + u_.places[i], Bits{0});
    }
  }

  // A part of a stretch. Where indices repeat, the last position wins.
  void chunk(const Stretch& s, int64_t i, int64_t count, BadIndex* bad) const {
    alignas(64) int64_t taken[kChunk];
    const char* const in = s.small + i * u_.small_step;
    if (!take_indices<Index>(u_, s.indices + i * u_.index_step, count, taken)) {
      note_bad(u_, s.position + i, taken, count, bad);
      for (int64_t k = 0; k < count; ++k) {
        if (names_place(u_, taken[k])) put(s.large + u_.places[taken[k]], in + k * u_.small_step);
      }
    } else if (dense_) {
      for (int64_t k = 0; k < count; ++k) put(s.large + taken[k] * kItem, in + k * kItem);
    } else {
      int64_t offsets[kChunk];
      u_.places.locate(taken, count, offsets);
      for (int64_t k = 0; k < count; ++k) put(s.large + offsets[k], in + k * u_.small_step);
    }
  }

  static void put(char* large, const char* small) { store(large, load<Bits>(small)); }

  // Note [One volume, many threads]
  // Each thread fills a part of the large volume with those positions that belong there, in their
  // order, so that repeated indices cannot tell how many threads there are. What the indices of a
  // segment of positions reach is found out first: those of a pool stay close together, so that
  // most segments concern few parts and a part can be so small that it stays in the cache.
  struct Reach {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;

    bool meets(const Part& part) const { return low < part.last && high >= part.first; }
  };

  BadIndex large_volume(int64_t volume) const {
    Reach reaches[kSegments];
    const int64_t chunks = (u_.small_size + kChunk - 1) / kChunk;
    const int64_t length = (chunks + kSegments - 1) / kSegments * kChunk;
    const int64_t segments = (u_.small_size + length - 1) / length;
    const int64_t begin = volume * u_.small_size;
    const auto stretches = [&](int64_t segment, const auto& visit) {
      const int64_t from = segment * length, to = std::min(from + length, u_.small_size);
      for_each_stretch(u_, begin + from, begin + to, visit);
    };
    FirstBadIndex bad;
    parallel_for(segments, 1, [&](int64_t first, int64_t last) {
      for (int64_t segment = first; segment < last; ++segment) {
        stretches(segment, [&](const Stretch& s) { bad.add(look(s, &reaches[segment])); });
      }
    });
    const int64_t parts = count_parts(reaches, segments);
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t number = first; number < last; ++number) {
        const Part part = part_of(number, parts);
        BadIndex ignored;  // it was found before
        std::memset(u_.volume(volume) + part.first * kItem, 0, (part.last - part.first) * kItem);
        for (int64_t segment = 0; segment < segments; ++segment) {
          const Reach& reach = reaches[segment];
          const bool inside = part.holds(reach.low) && part.holds(reach.high);
          if (!reach.meets(part)) continue;
          stretches(segment, [&](const Stretch& s) { inside ? all(s, &ignored) : fill(s, part); });
        }
      }
    });
    return bad.get();
  }

  Part part_of(int64_t number, int64_t parts) const {
    const int64_t length = (u_.places.size() + parts - 1) / parts;
    return {std::min(number * length, u_.places.size()),
            std::min((number + 1) * length, u_.places.size())};
  }

  // Small ones, unless the same segments would be read again and again.
  int64_t count_parts(const Reach* reaches, int64_t segments) const {
    int64_t widest = 0;
    for (int64_t i = 0; i < segments; ++i) {
      widest = std::max(widest, reaches[i].high - reaches[i].low);
    }
    const int64_t length = std::max(kPartBytes / kItem, 4 * widest);
    return std::max<int64_t>(u_.places.size() / length, thread_count());
  }

  BadIndex look(const Stretch& s, Reach* reach) const {
    BadIndex bad;
    alignas(64) int64_t taken[kChunk];
    for (int64_t i = 0; i < s.length; i += kChunk) {
      const int64_t count = std::min(kChunk, s.length - i);
      if (!take_indices<Index>(u_, s.indices + i * kIndex, count, taken)) {
        note_bad(u_, s.position + i, taken, count, &bad);
        for (int64_t k = 0; k < count; ++k) taken[k] = names_place(u_, taken[k]) ? taken[k] : 0;
      }
      for (int64_t k = count; k < kChunk; ++k) taken[k] = taken[0];
      int64_t low = reach->low, high = reach->high;
      for (int64_t k = 0; k < kChunk; ++k) {
        low = std::min(low, taken[k]);
        high = std::max(high, taken[k]);
      }
      *reach = {low, high};
    }
    return bad;
  }

  // Chooses without a branch, which nobody could predict.
  void fill(const Stretch& s, const Part& part) const {
    alignas(64) int64_t taken[kChunk];
    int64_t kept[kChunk];
    Bits values[kChunk];
    for (int64_t i = 0; i < s.length; i += kChunk) {
      const int64_t count = std::min(kChunk, s.length - i);
      take_indices<Index>(u_, s.indices + i * kIndex, count, taken);
      const char* const in = s.small + i * kItem;
      int64_t n = 0;
      for (int64_t k = 0; k < count; ++k) {
        kept[n] = taken[k];
        values[n] = load<Bits>(in + k * kItem);
        n += part.holds(taken[k]);
      }
      for (int64_t k = 0; k < n; ++k) store(s.large + kept[k] * kItem, values[k]);
    }
  }

  const Unpooling& u_;
  const bool dense_;
};

}  // namespace

Status run(const MaxUnpool3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Unpooling u(args.outRef, args.self, args.indices, sizeof(Bits));
    const BadIndex bad = args.indices.dtype == ACL_INT32 ? Scatter<Bits, int32_t>(u).run()
                                                         : Scatter<Bits, int64_t>(u).run();
    return unpool_outcome(args.kOperator, u, args.indices, bad);
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

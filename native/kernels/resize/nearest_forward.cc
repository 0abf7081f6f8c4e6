// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/elementwise.h"
#include "kernels/resize/nearest.h"
#include "kernels/resize/resize.h"
#include "kernels/resize/row_sink.h"
#include "simd/bits.h"
#include "simd/pairs.h"
#include "simd/permute.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kRowBlock = 1024;              // elements
constexpr int64_t kMostSources = 2 * kRowBlock;  // that vectors pick them from

// Where the elements of one block of a row come from.
template <typename Bits>
struct RowSources {
  enum Kind {
    kSame,    // element o
    kTwice,   // element o / 2
    kPicked,  // the elements of a vector lie within two vectors
    kAny,
  };
  static constexpr int64_t kVector = kLanes<Bits>;

  void set_same(int64_t begin, int64_t elements) {
    kind = kSame;
    first = begin;
    count = span = elements;
    reach = padded(count);
  }

  void set(int64_t begin, int64_t end, const Factor& step, int64_t length) {
    count = std::min(end - begin, kRowBlock);
    first = nearest_source(begin, step, length);
    // These are known without a look.
    const bool same = step.scale == 1 && end <= length;
    const bool twice = step.scale == 0.5f && end <= 2 * length;
    if (step.is_exact_up_to(end) && (same || twice)) {
      kind = same ? kSame : kTwice;
      span = same ? count : (count + 1) / 2;
      reach = padded(span);
      return;
    }
    bool picked = kPicksLanes<Bits>;
    for (int64_t o = 0; o < count; ++o) {
      sources[o] = nearest_source(begin + o, step, length) - first;
      const int64_t place = sources[o] - sources[o - o % kVector];
      picked = picked && place < 2 * kVector;
      places[o] = static_cast<LanePlace<Bits>>(place);
    }
    std::fill_n(places + count, kVector, LanePlace<Bits>{0});
    span = sources[count - 1] + 1;
    kind = picked && span <= kMostSources ? kPicked : kAny;
    reach = sources[(count - 1) / kVector * kVector] + 2 * kVector;
  }

  static int64_t padded(int64_t elements) { return (elements + kVector - 1) / kVector * kVector; }

  Kind kind;
  int64_t first;  // element of the source's row, that of the block's first
  int64_t count;
  int64_t span;                // elements of the source
  int64_t reach;               // elements that vectors read
  int64_t sources[kRowBlock];  // from `first` on; not for kSame and kTwice
  LanePlace<Bits> places[kRowBlock + kVector];
};

// Where one row after the other comes from, along the last of their axes.
class SourceRun {
 public:
  // Rows, or the channels of places, from number `first` of their elements on.
  SourceRun(const Resize& resize, const RowPlace& place, int64_t first)
      : axis_(place.rows.order[4]), at_(place.at[axis_]), stride_(resize.from.strides[axis_]) {
    const Volumes& from = resize.from;
    origin_ = from.data + first * from.strides[place.rows.axis];
    for (int axis = kBatch; axis <= kWidth; ++axis) {
      if (axis == place.rows.axis) continue;
      if (axis == axis_) {
        length_ = from.shape[axis];
        step_ = axis < kDepth ? Factor{1, 0} : resize.factors[axis - kDepth];
      } else if (axis < kDepth) {
        origin_ += place.at[axis] * from.strides[axis];
      } else {
        const Factor& step = resize.factors[axis - kDepth];
        origin_ += nearest_source(place.at[axis], step, from.shape[axis]) * from.strides[axis];
      }
    }
  }

  const char* next() {
    const int64_t source = axis_ < kDepth ? at_ : nearest_source(at_, step_, length_);
    ++at_;
    return origin_ + source * stride_;
  }

 private:
  Axis axis_;
  int64_t at_;
  int64_t stride_;
  const char* origin_;
  Factor step_ = {1, 0};
  int64_t length_ = 1;
};

// A task: some rows of the resized tensor, copied bit by bit.
template <typename Bits>
class ResizedRows {
 public:
  ResizedRows(const Resize& resize, const Rows& rows, int64_t begin, int64_t end)
      : resize_(resize),
        rows_(rows),
        begin_(begin),
        end_(end),
        step_(resize.from.strides[rows.axis]),
        limit_(end_of(resize.from, sizeof(Bits))) {}

  void run() {
    for (int64_t first = 0; first < rows_.length(); first += sources_.count) {
      if (rows_.axis == kWidth) {
        sources_.set(first, rows_.length(), resize_.factors[2], resize_.from.shape[kWidth]);
      } else {
        sources_.set_same(first, std::min(rows_.length() - first, kChannelBlock));
      }
      run_block(first);
    }
  }

 private:
  using Sources = RowSources<Bits>;
  using V = Vector<Bits>;
  static constexpr int64_t kVector = kLanes<Bits>;
  static constexpr int64_t kAhead = 8 << 10;

  void run_block(int64_t first) {
    RowPlace place(rows_, begin_);
    const bool past_cache = resize_.past_cache();
    RowSink<Bits> sink(rows_, place.address, end_ - begin_, sources_.count, past_cache, true);
    held_ = nullptr;
    for (int64_t left = end_ - begin_; left > 0;) {
      char* const target = place.address + first * rows_.step();
      Bits* room;
      const int64_t count = sink.room(target, std::min(left, place.run()), &room);
      SourceRun sources(resize_, place, sources_.first);
      if (sink.streams()) {
        copy_rows<Stream, true>(sources, count, room);
      } else if (past_cache) {
        copy_rows<Store, true>(sources, count, room);
      } else {
        copy_rows<Store, false>(sources, count, room);
      }
      sink.take(room, target, count);
      place.advance(count);
      left -= count;
    }
    sink.finish();
  }

  // What is read later is asked for now, where the processor would wait for it. Not if that is only
  // some of the lines. A function of its own, with copies of what it uses, so that all of it stays
  // in registers.
  template <typename Way, bool fetches>
  [[gnu::noinline]] void copy_rows(const SourceRun& from, int64_t rows, Bits* to) {
    SourceRun sources = from;
    const auto kind = sources_.kind;
    const int64_t count = sources_.count, bytes = sources_.span * int64_t{sizeof(Bits)};
    const bool readable = step_ == sizeof(Bits) && kind != Sources::kAny;
    const char* const last = limit_ - sources_.reach * int64_t{sizeof(Bits)};
    const bool all_lines = step_ == sizeof(Bits) && bytes <= count * kLineBytes;
    const char* fetched = nullptr;
    for (; rows > 0; --rows, to += count) {
      const char* const source = sources.next();
      if (fetches && all_lines && source != fetched) {
        prefetch_run(reinterpret_cast<uintptr_t>(source) + kAhead, bytes);
        fetched = source;
      }
      if (readable && source <= last) {
        copy_vectors<Way>(kind, count, reinterpret_cast<const Bits*>(source), to);
        continue;
      }
      if (source != held_) hold(source);
      copy_vectors<Way>(holds_copies() ? Sources::kSame : kind, count, row_, to);
    }
  }

  // Large elements are picked faster one by one.
  bool holds_copies() const {
    return sources_.kind == Sources::kAny ||
           (sources_.kind == Sources::kPicked && sizeof(Bits) == sizeof(uint64_t));
  }

  // One by one. Rows repeat: each is read once.
  void hold(const char* source) {
    held_ = source;
    if (holds_copies()) {
      for (int64_t o = 0; o < sources_.count; ++o) {
        row_[o] = load<Bits>(source + sources_.sources[o] * step_);
      }
    } else {
      for (int64_t i = 0; i < sources_.span; ++i) row_[i] = load<Bits>(source + i * step_);
    }
  }

  // Up to two vectors more than there are elements, less one element.
  template <typename Way>
  void copy_vectors(typename Sources::Kind kind, int64_t count, const Bits* from, Bits* to) const {
    if (kind == Sources::kSame) {
      for (int64_t o = 0; o < count; o += kVector) Way::vector(to + o, load_vector<V>(from + o));
    } else if (kind == Sources::kTwice) {
      for (int64_t o = 0; o < count; o += 2 * kVector) {
        const V elements = load_vector<V>(from + o / 2);
        Way::vector(to + o, interleave_low(elements, elements));
        Way::vector(to + o + kVector, interleave_high(elements, elements));
      }
    } else {
      for (int64_t o = 0; o < count; o += kVector) {
        const Bits* const near = from + sources_.sources[o];
        const auto places = load_vector<MaskOf<V>>(sources_.places + o);
        const V low = load_vector<V>(near), high = load_vector<V>(near + kVector);
        Way::vector(to + o, pick_lanes(low, high, places));
      }
    }
  }

  const Resize& resize_;
  const Rows& rows_;
  int64_t begin_;
  int64_t end_;
  int64_t step_;
  const char* limit_;
  Sources sources_;
  const char* held_ = nullptr;
  Bits row_[kMostSources + 2 * kVector];  // the sources of that row, or what they are copied to
};

}  // namespace

Status resize_nearest(const TensorView& from, const TensorView& to, const Factor (&factors)[3]) {
  return visit_width(from, [&](auto zero) {
    using Bits = decltype(zero);
    const Resize resize = {volumes_of(from, sizeof(Bits)), volumes_of(to, sizeof(Bits)), factors,
                           sizeof(Bits)};
    const Rows rows = Rows::for_resizing(resize);
    parallel_for(rows.count(), resize.rows_per_task(rows.count()), [&](int64_t begin, int64_t end) {
      ResizedRows<Bits>(resize, rows, begin, end).run();
    });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

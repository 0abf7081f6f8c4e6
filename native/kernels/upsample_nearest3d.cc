// SPDX-License-Identifier: Apache-2.0
#include "kernels/upsample_nearest3d.h"

#include <algorithm>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "kernels/permute.h"
#include "kernels/resize.h"
#include "kernels/row_sink.h"
#include "ops/upsample_nearest3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kRowBlock = 1024;

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

  void set(int64_t begin, int64_t end, float step, int64_t length) {
    count = std::min(end - begin, kRowBlock);
    first = nearest_source(begin, step, length);
    bool same = true, twice = true, picked = kPicksLanes<Bits>;
    for (int64_t o = 0; o < count; ++o) {
      sources[o] = nearest_source(begin + o, step, length) - first;
      const int64_t place = sources[o] - sources[o - o % kVector];
      picked = picked && place < 2 * kVector;
      places[o] = static_cast<LanePlace<Bits>>(place);
      same = same && sources[o] == o;
      twice = twice && sources[o] == o / 2;
    }
    std::fill_n(places + count, kVector, LanePlace<Bits>{0});
    kind = same ? kSame : twice ? kTwice : picked ? kPicked : kAny;
    span = sources[count - 1] + 1;
    reach = same    ? padded(count)
            : twice ? padded((count + 1) / 2)
                    : sources[(count - 1) / kVector * kVector] + 2 * kVector;
  }

  static int64_t padded(int64_t elements) { return (elements + kVector - 1) / kVector * kVector; }

  Kind kind;
  int64_t first;  // element of the source's row, that of the block's first
  int64_t count;
  int64_t span;                // elements of the source
  int64_t reach;               // elements that vectors read
  int64_t sources[kRowBlock];  // from `first` on
  LanePlace<Bits> places[kRowBlock + kVector];
};

// The source along an axis, for places that mostly repeat.
struct MovingSource {
  void move(int64_t o, float step, int64_t length) {
    if (o == at) return;
    source = nearest_source(o, step, length);
    at = o;
  }
  int64_t at = -1;
  int64_t source = 0;
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

  void run_block(int64_t first) {
    const int64_t count = sources_.count;
    RowSink<Bits> sink(rows_, begin_, end_, count == rows_.length(), resize_.past_cache());
    RowPlace place(rows_, begin_);
    expanded_ = nullptr;
    for (int64_t number = begin_; number < end_; ++number, place.advance()) {
      char* const target = place.address + first * rows_.step();
      Bits* const room = sink.room(target, count);
      copy_row(source_of(place), room);
      sink.take(room, target, count);
    }
    sink.finish();
  }

  const char* source_of(const RowPlace& place) {
    const Volumes& from = resize_.from;
    const char* source = from.data + place.at[kBatch] * from.strides[kBatch];
    source += place.at[kChannel] * from.strides[kChannel] + sources_.first * step_;
    const int axes = rows_.axis == kWidth ? 2 : 3;
    for (int i = 0; i < axes; ++i) {
      places_[i].move(place.at[kDepth + i], resize_.factors[i], from.shape[kDepth + i]);
      source += places_[i].source * from.strides[kDepth + i];
    }
    return source;
  }

  void copy_row(const char* source, Bits* to) {
    const bool readable =
        step_ == sizeof(Bits) && source + sources_.reach * int64_t{sizeof(Bits)} <= limit_;
    if (readable && sources_.kind != Sources::kAny) return copy_vectors(source, to);
    if (source != expanded_) expand(source);
    expanded_ = source;
    std::memcpy(to, row_, sources_.count * sizeof(Bits));
  }

  // One by one. Rows repeat: each is expanded once.
  void expand(const char* source) {
    if (sources_.kind == Sources::kSame) {
      for (int64_t o = 0; o < sources_.count; ++o) row_[o] = load<Bits>(source + o * step_);
    } else {
      for (int64_t o = 0; o < sources_.count; ++o) {
        row_[o] = load<Bits>(source + sources_.sources[o] * step_);
      }
    }
  }

  // Up to two vectors more than there are elements, less one element.
  void copy_vectors(const char* source, Bits* to) const {
    const Bits* const from = reinterpret_cast<const Bits*>(source);
    const int64_t count = sources_.count;
    if (sources_.kind == Sources::kSame) {
      for (int64_t o = 0; o < count; o += kVector) store_vector(to + o, load_vector<V>(from + o));
    } else if (sources_.kind == Sources::kTwice) {
      for (int64_t o = 0; o < count; o += 2 * kVector) {
        const V elements = load_vector<V>(from + o / 2);
        store_vector(to + o, interleave_low(elements, elements));
        store_vector(to + o + kVector, interleave_high(elements, elements));
      }
    } else {
      for (int64_t o = 0; o < count; o += kVector) {
        const Bits* const near = from + sources_.sources[o];
        const auto places = load_vector<MaskOf<V>>(sources_.places + o);
        const V low = load_vector<V>(near), high = load_vector<V>(near + kVector);
        store_vector(to + o, pick_lanes(low, high, places));
      }
    }
  }

  const Resize& resize_;
  const Rows& rows_;
  int64_t begin_;
  int64_t end_;
  int64_t step_;
  const char* limit_;
  MovingSource places_[3];
  Sources sources_;
  const char* expanded_ = nullptr;  // the row whose copy row_ holds
  Bits row_[kRowBlock];
};

}  // namespace

// The label of self decides how both tensors are read.
Status run(const UpsampleNearest3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Resize resize = with_factors(
        args, sizeof(Bits), volumes_of(args.self, sizeof(Bits), channels_last(args.self)),
        volumes_of(args.out, sizeof(Bits), channels_last(args.self)),
        [](double scale) { return static_cast<float>(1.0 / scale); });
    const Rows rows = Rows::for_resizing(resize);
    parallel_for(rows.count(), resize.rows_per_task(rows.count()), [&](int64_t begin, int64_t end) {
      ResizedRows<Bits>(resize, rows, begin, end).run();
    });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

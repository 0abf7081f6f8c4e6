// SPDX-License-Identifier: Apache-2.0
// A permutation is the order of random keys; equal keys are shuffled.
#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "engines/in_order.h"
#include "engines/overlap.h"
#include "kernels/random/keys.h"
#include "ops/randperm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kChunks = 16;
constexpr int kMostBits = 12;

struct Keyed {
  uint64_t key;
  int64_t index;

  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

// Elements divided by the leading bits of their keys, so that each part fits a cache.
class Division {
 public:
  Division(int64_t n, int bits) : n_(n) {
    int leading = 0;
    while (leading < std::min(kMostBits, bits) && (n >> leading) > 512) ++leading;
    parts_ = int64_t{1} << leading;
    shift_ = bits - leading;
  }

  int64_t parts() const { return parts_; }

  // Divides; ends[i] is where part i ends. There is a place for each part in each chunk.
  void divide(const uint64_t* keys, Keyed* divided, int64_t* places, int64_t* ends) const {
    std::fill_n(places, kChunks * parts_, 0);
    each_element([&](int64_t chunk, int64_t i) { ++places[chunk * parts_ + part_of(keys[i])]; });
    int64_t total = 0;
    for (int64_t part = 0; part < parts_; ++part) {
      for (int64_t chunk = 0; chunk < kChunks; ++chunk) {
        total += std::exchange(places[chunk * parts_ + part], total);
      }
      ends[part] = total;
    }
    each_element([&](int64_t chunk, int64_t i) {
      divided[places[chunk * parts_ + part_of(keys[i])]++] = {keys[i], i};
    });
  }

 private:
  int64_t part_of(uint64_t key) const {
    return parts_ == 1 ? 0 : static_cast<int64_t>(key >> shift_);
  }

  template <typename Visit>
  void each_element(const Visit& visit) const {
    const int64_t length = (n_ + kChunks - 1) / kChunks;
    parallel_for(kChunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t last = std::min(n_, (chunk + 1) * length);
        for (int64_t i = chunk * length; i < last; ++i) visit(chunk, i);
      }
    });
  }

  int64_t n_, parts_;
  int shift_;
};

// Fisher and Yates.
void shuffle(Keyed* elements, int64_t count, int64_t place, const Keys& keys) {
  for (int64_t last = count - 1; last > 0; --last) {
    const uint32_t word = keys.tie_word(place, count - 1 - last);
    std::swap(elements[last], elements[word % static_cast<uint64_t>(last + 1)]);
  }
}

// Sorts elements [begin, end) and shuffles those of equal keys.
void put_in_order(Keyed* elements, int64_t begin, int64_t end, const Keys& keys) {
  std::sort(elements + begin, elements + end);
  for (int64_t first = begin, next; first < end; first = next) {
    next = first + 1;
    while (next < end && elements[next].key == elements[first].key) ++next;
    if (next - first > 1) shuffle(elements + first, next - first, first, keys);
  }
}

void make_keys(const Keys& keys, uint64_t* made, int64_t n) {
  constexpr int64_t kGrain = 8192;
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    while (begin < end) begin += keys.fill(made + begin, begin, end - begin);
  });
}

Shape shape_of(int64_t rows, int64_t columns) {
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = rows;
  shape.dims[1] = columns;
  return shape;
}

}  // namespace

Status run(const RandpermArgs& args) {
  const Keys keys(args.n, seed_of(args));
  const Division division(args.n, keys.bits());
  const int64_t parts = division.parts();
  CopiedView made, divided, places;
  Status status = make_dense(shape_of(args.n, 1), ACL_UINT64, made);
  if (status.ok()) status = make_dense(shape_of(args.n, 2), ACL_UINT64, divided);
  if (status.ok()) status = make_dense(shape_of(kChunks + 1, parts), ACL_INT64, places);
  if (!status.ok()) return status;
  auto* const numbers = reinterpret_cast<uint64_t*>(made.memory.get());
  auto* const elements = reinterpret_cast<Keyed*>(divided.memory.get());
  auto* const ends = reinterpret_cast<int64_t*>(places.memory.get());
  make_keys(keys, numbers, args.n);
  division.divide(numbers, elements, ends + parts, ends);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      put_in_order(elements, i == 0 ? 0 : ends[i - 1], ends[i], keys);
    }
  });
  return write_in_order<int64_t>(args.out, ACL_INT64, [=](int64_t i) { return elements[i].index; });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

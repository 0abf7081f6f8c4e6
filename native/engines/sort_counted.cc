// SPDX-License-Identifier: Apache-2.0
#include "engines/sort_counted.h"

#include <algorithm>

#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kTables = 4, kFew = 256;

// Numbers whose keys are close together differ in their last bits already: these name a bucket,
// without the steps that make a key. A client may change the row meanwhile: whatever it holds names
// a bucket, and no place outside of the row is written.
template <typename Bits>
class Counter {
 public:
  // A number and its key differ in the bits of `turn`.
  Counter(const CountedRow& row, Bits turn, const Bracket& bracket, CountedPlaces& places)
      : row_(row),
        turn_(turn),
        least_(static_cast<Bits>(bracket.least)),
        keys_(static_cast<int>(bracket.most - bracket.least) + 1),
        buckets_(1 << bit_width(bracket.most - bracket.least)),
        places_(places) {}

  void run(char* values, int64_t* indices) {
    for_chunks(row_.length, row_.chunks,
               [&](int chunk, int64_t begin, int64_t end) { count(begin, end, places_[chunk]); });
    find_places();
    for_chunks(row_.length, row_.chunks, [&](int chunk, int64_t begin, int64_t end) {
      if (values != nullptr) write_values(begin, end, reinterpret_cast<Bits*>(values));
      if (indices != nullptr) write_indices(begin, end, places_[chunk], indices);
    });
  }

 private:
  uint64_t bucket(Bits number) const { return number & static_cast<uint64_t>(buckets_ - 1); }

  Bits number_of(int key) const {
    return static_cast<Bits>(static_cast<Bits>(least_ + static_cast<Bits>(key)) ^ turn_);
  }

  // Equal neighbours do not wait for each other, where there is room for several tables.
  void count(int64_t begin, int64_t end, int64_t* counts) const {
    int64_t others[(kTables - 1) * kFew];
    int64_t* tables[kTables] = {counts, counts, counts, counts};
    const int used = buckets_ <= kFew ? kTables : 1;
    for (int t = 1; t < used; ++t) tables[t] = others + (t - 1) * kFew;
    for (int t = 0; t < used; ++t) std::fill_n(tables[t], buckets_, 0);
    const char* from = row_.data + begin * kSize;
    int64_t left = end - begin;
    for (; left >= kTables; left -= kTables, from += kTables * kSize) {
      for (int t = 0; t < kTables; ++t) ++tables[t][bucket(load<Bits>(from + t * kSize))];
    }
    for (; left > 0; --left, from += kSize) ++counts[bucket(load<Bits>(from))];
    for (int t = 1; t < used; ++t) {
      for (int b = 0; b < buckets_; ++b) counts[b] += tables[t][b];
    }
  }

  // Counts become where the next element of that bucket and chunk goes.
  void find_places() {
    int64_t place = 0;
    for (int key = 0; key < keys_; ++key) {
      starts_[key] = place;
      const uint64_t b = bucket(number_of(key));
      for (int chunk = 0; chunk < row_.chunks; ++chunk) {
        const int64_t count = places_[chunk][b];
        places_[chunk][b] = place;
        place += count;
      }
    }
    starts_[keys_] = row_.length;
  }

  // At these places of the sorted row.
  void write_values(int64_t begin, int64_t end, Bits* values) const {
    for (int key = 0; key < keys_; ++key) {
      const int64_t first = std::max(starts_[key], begin), last = std::min(starts_[key + 1], end);
      if (first < last) std::fill(values + first, values + last, number_of(key));
    }
  }

  void write_indices(int64_t begin, int64_t end, int64_t* next, int64_t* indices) const {
    const auto length = static_cast<uint64_t>(row_.length);
    const char* const data = row_.data;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = next[bucket(load<Bits>(data + i * kSize))]++;
      if (static_cast<uint64_t>(place) < length) indices[place] = i;  // without a wait for choices
    }
  }

  static constexpr int64_t kSize = sizeof(Bits);
  const CountedRow row_;
  const Bits turn_, least_;
  const int keys_, buckets_;
  CountedPlaces& places_;
  int64_t starts_[(1 << kCountedBits) + 1];  // of the keys in the sorted row
};

template <typename Bits>
void sort_as(uint64_t turn, const Bracket& bracket, const CountedRow& row, CountedPlaces& places,
             char* values, int64_t* indices) {
  Counter<Bits>(row, static_cast<Bits>(turn), bracket, places).run(values, indices);
}

}  // namespace

void sort_counted(const KeyType& type, uint64_t flip, const Bracket& bracket, const CountedRow& row,
                  CountedPlaces& places, char* values, int64_t* indices) {
  constexpr char kZero[8] = {};
  uint64_t turn;
  type.encode(kZero, 1, flip, &turn);
  const auto sort = type.item_size == 1   ? sort_as<uint8_t>
                    : type.item_size == 2 ? sort_as<uint16_t>
                    : type.item_size == 4 ? sort_as<uint32_t>
                                          : sort_as<uint64_t>;
  sort(turn, bracket, row, places, values, indices);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

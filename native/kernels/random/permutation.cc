// SPDX-License-Identifier: Apache-2.0
// A permutation is the order of random keys; equal keys are shuffled.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "engines/in_order.h"
#include "engines/overlap.h"
#include "kernels/random/seed.h"
#include "kernels/random/threads.h"
#include "ops/randperm.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 8192, kChunks = 16;
constexpr int64_t kPart = 2048;  // elements, about

__extension__ typedef unsigned __int128 WideWord;

// Elements divided by the leading bits of their keys, so that each part fits a cache. Random keys
// give equal parts, so all take less time than the passes of engines/sort.h. The other bits and, as
// there, the index below them are one number.
class Division {
 public:
  Division(int64_t n, int bits) : n_(n), index_bits_(64 - __builtin_clzll(n)) {
    int leading = 0;
    while (leading < std::min(12, bits) && (n >> leading) > kPart) ++leading;
    parts_ = int64_t{1} << leading;
    shift_ = bits - leading;
  }

  bool fits_64_bits() const { return shift_ + index_bits_ <= 64; }
  int index_bits() const { return index_bits_; }
  int word_bits() const { return shift_ + index_bits_; }
  int64_t parts() const { return parts_; }

  // ends[i] is where part i ends. There is a place for each part in each chunk.
  template <typename Word>
  void divide(const uint64_t* keys, Word* divided, int64_t* places, int64_t* ends) const {
    if (parts_ == 1) {
      const Division own = *this;  // which nothing that is stored can change
      for (int64_t i = 0; i < own.n_; ++i) divided[i] = own.word_of<Word>(keys[i], i);
      ends[0] = n_;
      return;
    }
    std::fill_n(places, kChunks * parts_, 0);
    each_element([&](int64_t chunk, int64_t i) { ++places[chunk * parts_ + part_of(keys[i])]; });
    int64_t total = 0;
    for (int64_t part = 0; part < parts_; ++part) {
      for (int64_t chunk = 0; chunk < kChunks; ++chunk) {
        total += std::exchange(places[chunk * parts_ + part], total);
      }
      ends[part] = total;
    }
    const uint64_t mask = (uint64_t{1} << shift_) - 1;
    each_element([&](int64_t chunk, int64_t i) {
      divided[places[chunk * parts_ + part_of(keys[i])]++] = word_of<Word>(keys[i] & mask, i);
    });
  }

 private:
  int64_t part_of(uint64_t key) const { return static_cast<int64_t>(key >> shift_); }

  template <typename Word>
  Word word_of(uint64_t rest, int64_t i) const {
    return Word{rest} << index_bits_ | static_cast<uint64_t>(i);
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
  int index_bits_, shift_;
};

// So many that all keys differ in nine of ten permutations.
int key_bits(int64_t n) {
  const double count = static_cast<double>(n);
  const double enough = count - (6 * count * count + 1) / (12 * std::log(0.9));
  return std::min(64, static_cast<int>(std::ceil(std::log2(enough))));
}

// Upstream divides by the largest number of the type that it sorts, not by the count of them.
// The remainder is the sum of both halves, as 2^32 leaves one; there are no vectors that divide.
uint64_t remainder_of(uint64_t words) {
  constexpr uint64_t kLargest = 0xffffffffu;
  uint64_t sum = (words >> 32) + (words & kLargest);
  sum = (sum >> 32) + (sum & kLargest);
  return sum == kLargest ? 0 : sum;
}

void make_keys(const ThreadWords& words, uint64_t* keys, int64_t n) {
  const int bits = key_bits(n);
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    words.fill_with_two(keys + begin, begin, end - begin);
    const uint64_t mask = ~uint64_t{0} >> (64 - bits);
    if (bits <= 32) {
      for (int64_t i = begin; i < end; ++i) keys[i] = remainder_of(keys[i]) & mask;
    } else {
      for (int64_t i = begin; i < end; ++i) keys[i] &= mask;
    }
  });
}

// Fisher and Yates, with the sequence of the thread that has the number of the place.
template <typename Word>
void shuffle(Word* elements, int64_t count, int64_t place, const ThreadWords& words) {
  for (int64_t last = count - 1; last > 0; --last) {
    uint32_t word;
    words.fill(static_cast<uint64_t>(count - 1 - last), &word, place, 1);
    std::swap(elements[place + last], elements[place + word % (last + 1)]);
  }
}

// Carries the largest number so far along. Of numbers nearly in order this leaves few that are not,
// and unlike insertion it has no branch to guess. Of std::min beside std::max g++ makes one.
void carry_along(uint64_t* numbers, int64_t count) {
  uint64_t largest = numbers[0];
  for (int64_t i = 1; i < count; ++i) {
    const uint64_t both = numbers[i] ^ largest;
    largest = std::max(numbers[i], largest);
    numbers[i - 1] = both ^ largest;
  }
  numbers[count - 1] = largest;
}

// Makes of each number the sum of those before it, four at a time: the product with a one in each
// place has sums from the first place on.
void sum_up(uint16_t* numbers, int count) {
  constexpr uint64_t kOnes = 0x0001000100010001u;
  uint64_t total = 0;
  for (int k = 0; k < count; k += 4) {
    char* const four = reinterpret_cast<char*>(numbers + k);
    const uint64_t sums = load<uint64_t>(four) * kOnes;
    store<uint64_t>(four, (sums << 16) + total * kOnes);
    total += sums >> 48;
  }
}

// Sorts numbers of so many random bits: by the leading ones, as many as tell nearly all numbers
// apart, then by moving those that are still out of order.
void sort_random(uint64_t* numbers, int64_t count, int bits, uint64_t* spare) {
  constexpr int kMostLeading = 12, kMostNumbers = 0xffff;
  const int wanted = count < 2 ? 0 : 65 - __builtin_clzll(static_cast<uint64_t>(count - 1));
  const int leading = std::min({wanted, bits, kMostLeading}), shift = bits - leading;
  if (leading < 2 || count > kMostNumbers) return std::sort(numbers, numbers + count);
  uint16_t places[1 << kMostLeading];
  std::fill_n(places, 1 << leading, 0);
  for (int64_t i = 0; i < count; ++i) ++places[numbers[i] >> shift];
  sum_up(places, 1 << leading);
  for (int64_t i = 0; i < count; ++i) spare[places[numbers[i] >> shift]++] = numbers[i];
  carry_along(spare, count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = i;
    for (; place > 0 && numbers[place - 1] > spare[i]; --place) numbers[place] = numbers[place - 1];
    numbers[place] = spare[i];
  }
}

// Sorts elements [begin, end) and shuffles those of equal keys.
template <typename Word>
void put_in_order(Word* elements, int64_t begin, int64_t end, const Division& division,
                  uint64_t* spare, const ThreadWords& words) {
  if constexpr (sizeof(Word) == sizeof(uint64_t)) {
    sort_random(elements + begin, end - begin, division.word_bits(), spare + begin);
  } else {
    std::sort(elements + begin, elements + end);
  }
  const int index_bits = division.index_bits();
  uint64_t alike = 0;  // as wide as a word, so that there are vectors
  for (int64_t i = begin + 1; i < end; ++i) {
    alike += (elements[i] ^ elements[i - 1]) >> index_bits == 0 ? 1 : 0;
  }
  if (alike == 0) return;
  for (int64_t first = begin, next; first < end; first = next) {
    const Word key = elements[first] >> index_bits;
    next = first + 1;
    while (next < end && elements[next] >> index_bits == key) ++next;
    if (next - first > 1) shuffle(elements, next - first, first, words);
  }
}

Shape matrix(int64_t rows, int64_t columns) {
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = rows;
  shape.dims[1] = columns;
  return shape;
}

template <typename Word>
Status permute(const TensorView& out, const Division& division, uint64_t* keys,
               const ThreadWords& words) {
  const int64_t parts = division.parts(), n = out.elements();
  CopiedView divided, places;
  Status status = make_dense(matrix(n, sizeof(Word) / 8), ACL_UINT64, divided);
  if (status.ok()) status = make_dense(matrix(kChunks + 1, parts), ACL_INT64, places);
  if (!status.ok()) return status;
  auto* const elements = reinterpret_cast<Word*>(divided.memory.get());
  auto* const ends = static_cast<int64_t*>(places.view.data);
  division.divide(keys, elements, ends + parts, ends);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      put_in_order(elements, i == 0 ? 0 : ends[i - 1], ends[i], division, keys, words);
    }
  });
  const uint64_t mask = (uint64_t{1} << division.index_bits()) - 1;
  return write_in_order<int64_t>(out, ACL_INT64, [=](int64_t i) {
    return static_cast<int64_t>(static_cast<uint64_t>(elements[i]) & mask);
  });
}

}  // namespace

Status run(const RandpermArgs& args) {
  const int64_t n = args.n;
  const Seed seed = seed_of(args);
  const ThreadWords words(n, seed.key, seed.offset);
  const uint64_t used = static_cast<uint64_t>(4 * (n / (2 * words.threads()) + 1));
  CopiedView keys;
  const Status status = make_dense(shape_of(args.out), ACL_UINT64, keys);
  if (!status.ok()) return status;
  auto* const made = static_cast<uint64_t*>(keys.view.data);
  make_keys(words, made, n);
  const Division division(n, key_bits(n));
  const ThreadWords more(n, seed.key, seed.offset + used);
  return division.fits_64_bits() ? permute<uint64_t>(args.out, division, made, more)
                                 : permute<WideWord>(args.out, division, made, more);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

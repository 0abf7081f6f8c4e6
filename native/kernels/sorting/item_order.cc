// SPDX-License-Identifier: Apache-2.0
#include "kernels/sorting/item_order.h"

#include <algorithm>

#include "engines/sort.h"
#include "engines/sort_words.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kBits = 63;             // of a key that is not plain
constexpr int64_t kMostNumbers = 32;  // of an item, in its first key
constexpr int64_t kSample = 16;       // items

// How many numbers of an item 64 bits hold.
int64_t numbers_in_key(const Items& items) { return 8 / items.key.item_size; }

// Calls visit(item, keys) with the keys of some numbers, at most kMostNumbers, of each item. Items
// that lie side by side are encoded together.
template <typename Visit>
void for_first_numbers(const Items& items, int64_t count, int64_t numbers, const Visit& visit) {
  uint64_t keys[8 * kMostNumbers];
  const int64_t together = numbers == items.width ? 8 * kMostNumbers / numbers : 1;
  for (int64_t item = 0; item < count; item += together) {
    const int64_t some = std::min(together, count - item);
    items.key.encode(items.data + item * items.bytes, some * numbers, 0, keys);
    for (int64_t i = 0; i < some; ++i) visit(item + i, keys + i * numbers);
  }
}

// The first numbers of items as one key: of each only how far it is from the least one, in so many
// bits as the largest takes. Most integers are small, and all of an item may fit.
class FirstKey {
 public:
  explicit FirstKey(const Items& items) : items_(items) {
    const int64_t plain = std::min(items.width, numbers_in_key(items));
    numbers_ = std::min(items.width, kMostNumbers);
    find_bits(std::min(items.count, kSample));
    const bool is_worth = numbers_ >= 2 * plain || numbers_ == items.width;
    if (is_worth) find_bits(items.count);
    if (is_worth && numbers_ >= plain) return;
    numbers_ = plain;
    std::fill_n(least_, plain, 0);
    std::fill_n(bits_, plain, 8 * items.key.item_size);
  }

  int64_t numbers() const { return numbers_; }

  void write(uint64_t* to) const {
    for_first_numbers(items_, items_.count, numbers_, [&](int64_t item, const uint64_t* keys) {
      uint64_t all = keys[0] - least_[0];
      for (int64_t i = 1; i < numbers_; ++i) all = all << bits_[i] | (keys[i] - least_[i]);
      to[item] = all;
    });
  }

 private:
  // Those of so many items, and how many numbers fit a key then.
  void find_bits(int64_t count) {
    uint64_t most[kMostNumbers];
    std::fill_n(least_, numbers_, ~uint64_t{0});
    std::fill_n(most, numbers_, 0);
    for_first_numbers(items_, count, numbers_, [&](int64_t, const uint64_t* keys) {
      for (int64_t i = 0; i < numbers_; ++i) {
        least_[i] = std::min(least_[i], keys[i]);
        most[i] = std::max(most[i], keys[i]);
      }
    });
    int64_t fitting = 0;
    for (int bits = 0; fitting < numbers_; ++fitting) {
      bits_[fitting] = bit_width(most[fitting] - least_[fitting]);
      bits += bits_[fitting];
      if (bits > kBits) break;
    }
    numbers_ = fitting;
  }

  const Items& items_;
  int64_t numbers_;
  uint64_t least_[kMostNumbers];
  int bits_[kMostNumbers];
};

// So many numbers of an item from one on, or those that are left; in the order of items.
uint64_t key_from(const Items& items, int64_t item, int64_t number) {
  constexpr int kMost = 8;
  const int size = items.key.item_size;
  const int64_t n = std::min(items.width - number, numbers_in_key(items));
  uint64_t keys[kMost];
  items.key.encode(items.data + item * items.bytes + number * size, n, 0, keys);
  uint64_t all = keys[0];
  for (int64_t i = 1; i < n; ++i) all = all << 8 * size | keys[i];
  return all;
}

struct Tied {
  uint64_t key;
  int64_t place;

  bool operator<(const Tied& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

// Sorts places whose items are alike before a number by what follows, as much as a key holds.
// `starts` tells where others begin. False: all items differ now.
bool sort_ties(const Items& items, int64_t number, int64_t* places, bool* starts, Tied* ties) {
  bool tied = false;
  for (int64_t first = 0, next; first < items.count; first = next) {
    next = first + 1;
    while (next < items.count && !starts[next]) ++next;
    const int64_t n = next - first;
    if (n == 1) continue;
    for (int64_t i = 0; i < n; ++i) {
      ties[i] = {key_from(items, places[first + i], number), places[first + i]};
    }
    std::sort(ties, ties + n);
    for (int64_t i = 0; i < n; ++i) {
      places[first + i] = ties[i].place;
      if (i == 0) continue;
      starts[first + i] = ties[i].key != ties[i - 1].key;
      tied |= !starts[first + i];
    }
  }
  return tied;
}

// The same for all numbers from one on, which is behind the keys by which places are sorted.
Status sort_rest(const Items& items, int64_t number, const uint64_t* keys, int64_t* places) {
  if (number >= items.width) return {};
  CopiedView starts, ties;
  Status status = make_dense({1, {items.count}}, ACL_BOOL, starts);
  if (status.ok()) status = make_dense({1, {2 * items.count}}, ACL_INT64, ties);
  if (!status.ok()) return status;
  auto* const flags = reinterpret_cast<bool*>(starts.memory.get());
  for (int64_t i = 0; i < items.count; ++i) flags[i] = i == 0 || keys[i] != keys[i - 1];
  bool tied = true;
  for (; tied && number < items.width; number += numbers_in_key(items)) {
    tied = sort_ties(items, number, places, flags, reinterpret_cast<Tied*>(ties.memory.get()));
  }
  return status;
}

}  // namespace

Status sort_items(const Items& items, CopiedView& order, CopiedView& sorted) {
  const int64_t count = items.count;
  CopiedView keys, sorted_keys;
  Status status = make_dense({1, {count}}, ACL_INT64, order);
  if (status.ok()) status = make_dense({1, {count}}, ACL_UINT64, keys);
  if (status.ok()) status = make_dense({1, {count}}, ACL_UINT64, sorted_keys);
  if (status.ok()) status = make_dense({1, {count * items.bytes}}, ACL_INT8, sorted);
  if (!status.ok()) return status;
  const FirstKey first(items);
  first.write(reinterpret_cast<uint64_t*>(keys.memory.get()));
  int64_t* const places = reinterpret_cast<int64_t*>(order.memory.get());
  const SortedPart part = {ACL_UINT64, count, false, PartStart::kGiven, 0, count, true};
  status = sort_rows(part, 1, keys.memory.get(), sorted_keys.memory.get(), places);
  if (status.ok()) {
    status = sort_rest(items, first.numbers(),
                       reinterpret_cast<uint64_t*>(sorted_keys.memory.get()), places);
  }
  if (!status.ok()) return status;
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(items.data + places[i] * items.bytes, items.bytes,
                sorted.memory.get() + i * items.bytes);
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

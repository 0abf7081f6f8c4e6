// SPDX-License-Identifier: Apache-2.0
// A permutation is the order of random keys; equal keys are shuffled.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "engines/sort.h"
#include "kernels/random/seed.h"
#include "kernels/random/threads.h"
#include "ops/randperm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// So many that all keys differ in nine of ten permutations.
int key_bits(int64_t n) {
  const double count = static_cast<double>(n);
  const double enough = count - (6 * count * count + 1) / (12 * std::log(0.9));
  return std::min(64, static_cast<int>(std::ceil(std::log2(enough))));
}

// Upstream divides by the largest number of the type that it sorts, not by the count of them.
uint64_t key_of(uint64_t words, int bits) {
  const uint64_t rest = bits <= 32 ? words % 0xffffffffu : words;
  return bits == 64 ? rest : rest & ((uint64_t{1} << bits) - 1);
}

void make_keys(const ThreadWords& words, uint64_t* keys, int64_t n) {
  const int bits = key_bits(n);
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    words.fill_with_two(keys + begin, begin, end - begin);
    for (int64_t i = begin; i < end; ++i) keys[i] = key_of(keys[i], bits);
  });
}

// Fisher and Yates, with the sequence of the thread that has the number of the place.
void shuffle(int64_t* order, int64_t count, int64_t place, const ThreadWords& words) {
  for (int64_t last = count - 1; last > 0; --last) {
    uint32_t word;
    words.fill(static_cast<uint64_t>(count - 1 - last), &word, place, 1);
    std::swap(order[place + last], order[place + word % (last + 1)]);
  }
}

void shuffle_equal(const uint64_t* keys, int64_t* order, int64_t n, const ThreadWords& words) {
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; ++place) {
      if (place > 0 && keys[place] == keys[place - 1]) continue;
      int64_t count = 1;
      while (place + count < n && keys[place + count] == keys[place]) ++count;
      shuffle(order, count, place, words);
    }
  });
}

}  // namespace

Status run(const RandpermArgs& args) {
  const int64_t n = args.n;
  const Seed seed = seed_of(args);
  const ThreadWords words(n, seed.key, seed.offset);
  const uint64_t used = static_cast<uint64_t>(4 * (n / (2 * words.threads()) + 1));
  CopiedView keys, sorted, order;
  Status status = make_dense(shape_of(args.out), ACL_UINT64, keys);
  if (status.ok()) status = make_dense(shape_of(args.out), ACL_UINT64, sorted);
  if (status.ok()) status = make_dense(shape_of(args.out), ACL_INT64, order);
  if (!status.ok()) return status;
  make_keys(words, static_cast<uint64_t*>(keys.view.data), n);
  auto* const places = static_cast<int64_t*>(order.view.data);
  SortedPart all = {};
  all.dtype = ACL_UINT64;
  all.length = all.count = n;
  status = sort_rows(all, 1, keys.memory.get(), sorted.memory.get(), places);
  if (!status.ok()) return status;
  shuffle_equal(static_cast<const uint64_t*>(sorted.view.data), places, n,
                ThreadWords(n, seed.key, seed.offset + used));
  return copy(args.out, order.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

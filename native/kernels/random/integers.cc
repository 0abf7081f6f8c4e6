// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engines/in_order.h"
#include "kernels/random/seed.h"
#include "kernels/random/threads.h"
#include "ops/inplace_random.h"
#include "ops/inplace_random_tensor.h"
#include "ops/inplace_random_without_from_to.h"
#include "ops/inplace_random_without_from_to_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rounding can lead out of the interval.
int64_t clamped(float number, int64_t from, int64_t to) {
  const double whole = std::floor(static_cast<double>(number));
  if (whole <= static_cast<double>(from)) return from;
  return whole < static_cast<double>(to) ? std::min(static_cast<int64_t>(whole), to - 1) : to - 1;
}

Status fill_between(const TensorView& out, int64_t from, int64_t to, const Seed& seed) {
  const RandomWords random = words_in_order(seed);
  const float start = static_cast<float>(from), end = static_cast<float>(to);
  return write_blocks_in_order(out, ACL_INT64, [&](char* elements, int64_t place, int64_t count) {
    float uniform[kOrderedBlock];
    fill_uniform(random, uniform, place, count);
    auto* const numbers = reinterpret_cast<int64_t*>(elements);
    for (int64_t i = 0; i < count; ++i) {
      const float number = uniform[i] * end - (uniform[i] * start - start);
      numbers[i] = clamped(number, from, to);
    }
  });
}

// How many integers from 0 on a dtype holds one by one.
uint64_t integers_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL:
      return 2;
    case ACL_INT8:
      return 1u << 7;
    case ACL_UINT8:
      return 1u << 8;
    case ACL_INT16:
      return 1u << 15;
    case ACL_BF16:
      return (1u << 8) + 1;
    case ACL_FLOAT16:
      return (1u << 11) + 1;
    case ACL_FLOAT:
      return (1u << 24) + 1;
    case ACL_INT64:
      return uint64_t{1} << 63;
    default:  // DOUBLE gets the numbers of INT32
      return 1u << 31;
  }
}

// Remainders by a number that the compiler knows: it makes no divisions of it.
template <uint32_t range>
void keep_rests(uint32_t* words, int64_t count) {
  for (int64_t i = 0; i < count; ++i) words[i] %= range;
}

void keep_rests(uint32_t range, uint32_t* words, int64_t count) {
  if ((range & (range - 1)) == 0) {
    for (int64_t i = 0; i < count; ++i) words[i] &= range - 1;
  } else if (range == integers_of(ACL_BF16)) {
    keep_rests<(1u << 8) + 1>(words, count);
  } else if (range == integers_of(ACL_FLOAT16)) {
    keep_rests<(1u << 11) + 1>(words, count);
  } else {
    keep_rests<(1u << 24) + 1>(words, count);
  }
}

Status fill_with_any(const TensorView& out, const Seed& seed) {
  const uint64_t place = seed.offset / 4 + (seed.offset % 4 != 0);
  const ThreadWords random(out.elements(), seed.key, 4 * place);
  const uint64_t range = integers_of(out.dtype);
  if (out.dtype != ACL_INT64) {
    return write_blocks_in_order(out, ACL_INT32, [&](char* elements, int64_t place, int64_t count) {
      auto* const words = reinterpret_cast<uint32_t*>(elements);
      random.fill_in_rows(words, place, count);
      keep_rests(static_cast<uint32_t>(range), words, count);
    });
  }
  return write_blocks_in_order(out, ACL_INT64, [&](char* elements, int64_t place, int64_t count) {
    auto* const numbers = reinterpret_cast<uint64_t*>(elements);
    random.fill_with_two(numbers, place, count);
    for (int64_t i = 0; i < count; ++i) numbers[i] &= range - 1;
  });
}

}  // namespace

Status run(const InplaceRandomArgs& args) {
  return fill_between(args.selfRef, args.from, args.to, seed_of(args));
}
Status run(const InplaceRandomTensorArgs& args) {
  return fill_between(args.selfRef, args.from, args.to, seed_in_tensors(args));
}
Status run(const InplaceRandomWithoutFromToArgs& args) {
  return fill_with_any(args.selfRef, seed_of(args));
}
Status run(const InplaceRandomWithoutFromToTensorArgs& args) {
  return fill_with_any(args.selfRef, seed_in_tensors(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

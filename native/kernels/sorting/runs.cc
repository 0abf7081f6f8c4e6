// SPDX-License-Identifier: Apache-2.0
#include "kernels/sorting/runs.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kBlock = 256;  // keys that are made at once
constexpr int64_t kGrain = 1 << 14;

aclDataType number_type(aclDataType dtype) {
  if (dtype == ACL_COMPLEX64) return ACL_FLOAT;
  return dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

// Of single numbers, whether they differ from the one before.
void mark_numbers(const Items& items, int64_t begin, int64_t end, unsigned char* starts) {
  const uint64_t nan = items.key.has_nan ? items.key.largest() : 0;
  uint64_t keys[kBlock + 1];
  for (int64_t i = begin; i < end; i += kBlock) {
    const int64_t n = std::min(kBlock, end - i), before = i > 0 ? 1 : 0;
    keys[0] = 0;
    items.key.encode(items.data + (i - before) * items.bytes, n + before, 0, keys + 1 - before);
    for (int64_t k = 0; k < n; ++k) {
      starts[i + k] = (keys[k + 1] != keys[k]) | (nan != 0 && keys[k + 1] == nan);
    }
    if (i == 0) starts[0] = 1;
  }
}

bool is_equal(const Items& items, int64_t a, int64_t b) {
  // Nor, then, two patterns of bits for one number; a BOOL that is neither 0 nor 1 is its own.
  if (!items.key.has_nan) {
    return std::memcmp(items.data + a * items.bytes, items.data + b * items.bytes, items.bytes) ==
           0;
  }
  const int64_t size = items.key.item_size;
  uint64_t first[kBlock], second[kBlock];
  bool differ = false;
  for (int64_t done = 0; done < items.width && !differ; done += kBlock) {
    const int64_t n = std::min(kBlock, items.width - done);
    items.key.encode(items.data + a * items.bytes + done * size, n, 0, first);
    items.key.encode(items.data + b * items.bytes + done * size, n, 0, second);
    for (int64_t k = 0; k < n; ++k) {
      differ |= first[k] != second[k] || (items.key.has_nan && first[k] == items.key.largest());
    }
  }
  return !differ;
}

}  // namespace

Items::Items(const char* first, int64_t items, int64_t elements, aclDataType type,
             bool zeros_differ)
    : data(first),
      count(items),
      dtype(type),
      key(key_type(number_type(type), zeros_differ)),
      width(type == number_type(type) ? elements : 2 * elements),
      bytes(width * key.item_size) {}

Status Runs::find(const Items& items) {
  total_ = items.count;
  Shape shape;
  shape.rank = 1;
  shape.dims[0] = total_;
  Status status = make_dense(shape, ACL_BOOL, bytes_);
  if (!status.ok()) return status;
  unsigned char* const starts = reinterpret_cast<unsigned char*>(bytes_.memory.get());
  const int64_t grain = std::max<int64_t>(1, kGrain / items.width);
  parallel_for(total_, grain, [&](int64_t begin, int64_t end) {
    if (items.width == 1) return mark_numbers(items, begin, end, starts);
    for (int64_t i = begin; i < end; ++i) starts[i] = i == 0 || !is_equal(items, i - 1, i);
  });
  return starts_.count(bytes_.view, shape);
}

void Runs::write_items(const Items& items, char* to) const {
  const int64_t size = items.bytes;
  starts_.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    const unsigned char* const starts = starts_.bytes() + chunk.first;
    const char* const from = items.data + chunk.first * size;
    char* next = to + chunk.before * size;
    if (size <= 16 && (size & (size - 1)) == 0) {
      return pack_chosen(starts, from, next, size, chunk.count, chunk.chosen);
    }
    for (int64_t i = 0; i < chunk.count; ++i) {
      if (starts[i] == 0) continue;
      std::memcpy(next, from + i * size, size);
      next += size;
    }
  });
}

void Runs::write_places(const int64_t* order, char* to) const {
  starts_.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    int64_t run = chunk.before - 1;
    for (int64_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
      run += starts_.bytes()[i];
      store<int64_t>(to + 8 * (order != nullptr ? order[i] : i), run);
    }
  });
}

void Runs::write_lengths(char* to) const {
  starts_.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    char* next = to + 8 * chunk.before;
    for (int64_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
      if (starts_.bytes()[i] == 0) continue;
      store<int64_t>(next, i);
      next += 8;
    }
  });
  for (int64_t run = 0; run < count(); ++run) {
    char* const at = to + 8 * run;
    const int64_t end = run + 1 < count() ? load<int64_t>(at + 8) : total_;
    store<int64_t>(at, end - load<int64_t>(at));
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

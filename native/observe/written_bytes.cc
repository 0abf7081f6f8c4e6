// SPDX-License-Identifier: Apache-2.0
#include "observe/written_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace aclhost {
namespace {

constexpr size_t kBits = 64;

// The bits of word `index` that belong to bytes from begin up to end.
uint64_t mask_of(size_t index, size_t begin, size_t end) {
  const size_t first = std::max(begin, index * kBits) - index * kBits;
  const size_t last = std::min(end, (index + 1) * kBits) - index * kBits;
  const uint64_t below_last = last == kBits ? ~uint64_t{0} : (uint64_t{1} << last) - 1;
  return below_last & ~uint64_t{0} << first;
}

}  // namespace

WrittenBytes::WrittenBytes(size_t size)
    : size_(size),
      words_(static_cast<uint64_t*>(std::calloc(size / kBits + 1, sizeof(uint64_t))), std::free) {
  if (words_ == nullptr) throw std::bad_alloc();
}

void WrittenBytes::write(size_t begin, size_t end) {
  if (complete_ || begin >= end) return;
  if (begin == 0 && end == size_) {
    complete_ = true;
    words_.reset();
    return;
  }
  for (size_t i = begin / kBits; i * kBits < end; ++i) words_[i] |= mask_of(i, begin, end);
}

int64_t WrittenBytes::first_unwritten(size_t begin, size_t end) const {
  if (complete_) return -1;
  for (size_t i = begin / kBits; i * kBits < end; ++i) {
    const uint64_t missing = mask_of(i, begin, end) & ~words_[i];
    if (missing != 0) return static_cast<int64_t>(i * kBits) + __builtin_ctzll(missing);
  }
  return -1;
}

}  // namespace aclhost

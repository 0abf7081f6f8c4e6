// SPDX-License-Identifier: Apache-2.0
// Copies for loops over short runs.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct Bits128 {
  uint64_t words[2];
};
struct Bits256 {
  uint64_t words[4];
};

// Two words that may overlap cover all sizes between one and two of them.
template <typename Word>
void copy_two(const char* from, char* to, int64_t bytes) {
  const int64_t last = bytes - static_cast<int64_t>(sizeof(Word));
  const Word a = load<Word>(from), b = load<Word>(from + last);
  store(to, a);
  store(to + last, b);
}

// Short runs are many: they do not call memcpy.
inline void copy_bytes(const char* from, char* to, int64_t bytes) {
  if (bytes > 64) {
    std::memmove(to, from, bytes);
  } else if (bytes >= 32) {
    copy_two<Bits256>(from, to, bytes);
  } else if (bytes >= 16) {
    copy_two<Bits128>(from, to, bytes);
  } else if (bytes >= 8) {
    copy_two<uint64_t>(from, to, bytes);
  } else if (bytes >= 4) {
    copy_two<uint32_t>(from, to, bytes);
  } else if (bytes >= 2) {
    copy_two<uint16_t>(from, to, bytes);
  } else {
    *to = *from;
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Random keys of elements, whose order is a permutation.
#pragma once

#include <cstdint>

#include "kernels/random/seed.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Upstream's threads have sequences of their own. Elements lie in rows of as many as there are
// threads, and each thread takes two words for its element of each row.
class Keys {
 public:
  Keys(int64_t n, const Seed& seed);

  int bits() const { return bits_; }

  // Of elements from one on. The count of those done, all in one row.
  int64_t fill(uint64_t* keys, int64_t first, int64_t count) const;

  // A word for equal keys, the first of which has a place.
  uint32_t tie_word(int64_t place, int64_t number) const;

 private:
  uint64_t key_of(uint64_t words) const;

  Seed seed_;
  int bits_;
  int64_t threads_;
  uint64_t after_;  // where words for equal keys begin
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

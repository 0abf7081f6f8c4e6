// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/random/seed.h"
#include "kernels/random/threads.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Numbers of an exponential distribution for n elements, one word of a thread for each.
class ExponentialNumbers {
 public:
  ExponentialNumbers(int64_t n, const Seed& seed)
      : words_(n, seed.key, 4 * (seed.offset / 4 + (seed.offset % 4 != 0))) {}

  void fill(float* numbers, int64_t first, int64_t count) const;

 private:
  ThreadWords words_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

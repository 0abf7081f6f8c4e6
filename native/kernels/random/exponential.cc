// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/exponential.h"

#include "engines/in_order.h"
#include "ops/sim_thread_exponential.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The logarithm of what is nearly 1 is not 0 here, so that no number is.
void ExponentialNumbers::fill(float* numbers, int64_t first, int64_t count) const {
  constexpr float kHalfEpsilon = 0x1p-24f;
  constexpr int64_t kMost = 512;
  uint32_t words[kMost];
  for (int64_t done = 0, taken; done < count; done += taken) {
    taken = std::min(count - done, kMost);
    words_.fill_in_rows(words, first + done, taken);
    for (int64_t i = 0; i < taken; ++i) {
      const float unit = positive_unit_float(words[i]);
      const float number = -math::log(unit);
      numbers[done + i] = unit >= 1 - kHalfEpsilon ? kHalfEpsilon : number;
    }
  }
}

Status run(const SimThreadExponentialArgs& args) {
  const ExponentialNumbers random(args.selfRef.elements(), seed_of(args));
  const float rate = static_cast<float>(args.lambda);
  const auto fill = [&](char* elements, int64_t place, int64_t count) {
    float* const numbers = reinterpret_cast<float*>(elements);
    random.fill(numbers, place, count);
    for (int64_t i = 0; i < count; ++i) numbers[i] /= rate;
  };
  return write_blocks_in_order(args.selfRef, ACL_FLOAT, fill);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/random.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kPairs = 256;

struct SineAndCosine {
  float sine, cosine;
};

// Of an angle between 0 and 2 pi.
ACLHOST_INLINE SineAndCosine sine_and_cosine(float angle) {
  constexpr double kQuarterTurns = 0x1.45f306dc9c883p-1;  // 2 / pi
  const double turns = static_cast<double>(angle) * kQuarterTurns;
  const math::Nearest n(turns);
  const double rest = turns - n.whole;
  const uint64_t sine = math::bits_of(math::sine_of(rest));
  const uint64_t cosine = math::bits_of(math::cosine_of(rest));
  const uint64_t number = static_cast<uint64_t>(n.bits);
  const uint64_t swapped = (sine ^ cosine) & (0 - (number & 1));
  const double first = math::from_bits(sine ^ swapped), second = math::from_bits(cosine ^ swapped);
  return {static_cast<float>(math::negative_if_odd(number >> 1, first)),
          static_cast<float>(math::negative_if_odd((number + 1) >> 1, second))};
}

void make_pairs(const uint32_t* words, float* numbers, int64_t pairs) {
  constexpr float kLeast = 1e-7f, kTurn = 6.28318530717958647692f;
#pragma GCC ivdep
  for (int64_t i = 0; i < pairs; ++i) {
    const float first = unit_float(words[2 * i]);
    const float radius = __builtin_sqrtf(-2 * math::log(first < kLeast ? kLeast : first));
    const SineAndCosine turned = sine_and_cosine(unit_float(words[2 * i + 1]) * kTurn);
    numbers[2 * i] = turned.sine * radius;
    numbers[2 * i + 1] = turned.cosine * radius;
  }
}

}  // namespace

void fill_normal(const RandomWords& random, float* numbers, int64_t first, int64_t count) {
  uint32_t words[2 * kPairs];
  float made[2 * kPairs];
  for (int64_t done = 0, taken; done < count; done += taken) {
    const int64_t skipped = (first + done) % 2;
    taken = std::min(count - done, 2 * kPairs - skipped);
    const int64_t pairs = (skipped + taken + 1) / 2;
    random.fill(words, first + done - skipped, 2 * pairs);
    make_pairs(words, made, pairs);
    std::copy_n(made + skipped, taken, numbers + done);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Compares one float function with its reference.
//
//   sweep names                   prints "unary NAME" or "binary NAME" for each function
//   sweep errors NAME STEP        every STEP-th float: prints the largest error in ulp, the bits of
//                                 the inputs where it occurs, and a checksum of all results
//   sweep bits NAME STEP          the checksum alone
//
// Special values are always among the inputs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "functions.h"

namespace sweep {
namespace {

constexpr std::size_t kBlock = 4096;

float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// In units of the last place of a float at the reference. What has no finite error is infinite:
// NaN for a number, a number for NaN, 0 with the wrong sign.
double error_in_ulp(float result, double reference) {
  if (result != result || reference != reference) {
    return result != result && reference != reference ? 0 : INFINITY;
  }
  if (result == 0 && std::signbit(result) != std::signbit(reference)) return INFINITY;
  // An infinite result is what follows the largest float.
  const double wide = std::clamp<double>(result, -0x1p128, 0x1p128);
  const double wanted = std::clamp(reference, -0x1p128, 0x1p128);
  uint64_t bits;
  std::memcpy(&bits, &wanted, sizeof bits);
  const uint64_t exponent = std::clamp<uint64_t>(bits >> 52 & 0x7FF, 1023 - 126, 1023 + 127);
  const uint64_t per_ulp_bits = (uint64_t{2 * 1023 + 23} - exponent) << 52;
  double per_ulp;
  std::memcpy(&per_ulp, &per_ulp_bits, sizeof per_ulp);
  return std::fabs(wide - wanted) * per_ulp;
}

class Judge {
 public:
  explicit Judge(bool errors) : errors_(errors) {}

  template <typename Reference>
  void add(const float* left, const float* right, const float* out, std::size_t count,
           const Reference& reference) {
    for (std::size_t k = 0; k < count; ++k) {
      const uint32_t bits = std::isnan(out[k]) ? 0x7FC00000u : bits_of(out[k]);
      checksum_ = (checksum_ ^ bits) * 0x9E3779B97F4A7C15u + (checksum_ >> 29);
      if (!errors_) continue;
      const double error = error_in_ulp(out[k], reference(left[k], right[k]));
      if (error > worst_) {
        worst_ = error;
        worst_left_ = bits_of(left[k]);
        worst_right_ = bits_of(right[k]);
      }
    }
  }
  void print() const {
    std::printf("%.4f %08x %08x %016llx\n", worst_, worst_left_, worst_right_,
                static_cast<unsigned long long>(checksum_));
  }

 private:
  bool errors_;
  double worst_ = 0;
  uint32_t worst_left_ = 0;
  uint32_t worst_right_ = 0;
  uint64_t checksum_ = 0;
};

// With both signs. Around each of the first there are neighbours, too.
std::vector<float> special_values() {
  const float centres[] = {0x1p-149f, 0x1p-126f, 0x1p-24f, 0.25f,     0.5f,    0.75f,
                           1.0f,      1.5f,      2.0f,     3.0f,      12.0f,   127.0f,
                           128.0f,    0x1p23f,   0x1p24f,  0x1p52f,   0x1p80f, 0x1p108f,
                           0x1p127f,  88.72284f, 103.97f,  0.3465736f};
  std::vector<float> values = {0.0f, INFINITY, NAN, 0x1.fffffep127f};
  for (const float centre : centres) {
    for (int offset = -2; offset <= 2; ++offset) {
      values.push_back(float_of(std::max<int>(0, static_cast<int>(bits_of(centre)) + offset)));
    }
  }
  const std::size_t count = values.size();
  for (std::size_t k = 0; k < count; ++k) values.push_back(-values[k]);
  return values;
}

// Negative floats of a symmetric function are compared with its results of positive ones.
void add_mirrored(const Unary& function, const std::vector<float>& in,
                  const std::vector<float>& out, std::size_t count, Judge& judge) {
  std::vector<float> positive(count), expected(count);
  std::transform(in.begin(), in.begin() + count, positive.begin(), std::negate<float>());
  function.loop(positive.data(), expected.data(), count);
  std::size_t k = 0;
  judge.add(in.data(), in.data(), out.data(), count, [&](float, float) {
    const float value = expected[k++];
    return function.symmetry == Symmetry::kOdd ? -value : value;
  });
}

void sweep_unary(const Unary& function, uint64_t step, Judge& judge) {
  const auto reference = [&](float x, float) { return function.reference(x); };
  std::vector<float> in = special_values(), out(std::max(kBlock, in.size()));
  function.loop(in.data(), out.data(), in.size());
  judge.add(in.data(), in.data(), out.data(), in.size(), reference);
  in.resize(kBlock);
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += step * kBlock) {
    std::size_t count = 0;
    for (; count < kBlock && first + step * count < uint64_t{1} << 32; ++count) {
      in[count] = float_of(static_cast<uint32_t>(first + step * count));
    }
    function.loop(in.data(), out.data(), count);
    if (function.symmetry == Symmetry::kNone || first < uint64_t{1} << 31) {
      judge.add(in.data(), in.data(), out.data(), count, reference);
    } else {
      add_mirrored(function, in, out, count, judge);
    }
  }
}

// A partner for each float: arbitrary, of a like size, or one with which pow stays finite.
float partner(uint32_t bits, uint64_t index) {
  const uint32_t random = static_cast<uint32_t>((index + 1) * 0x9E3779B97F4A7C15u >> 32);
  const float x = float_of(bits), fraction = static_cast<float>(random) * 0x1p-31f - 1;
  switch (index % 3) {
    case 0:
      return float_of(random);
    case 1:
      return x * fraction;
    default:
      return 150 * fraction / std::max(0x1p-24f, std::fabs(std::log2(std::fabs(x))));
  }
}

void sweep_binary(const Binary& function, uint64_t step, Judge& judge) {
  const auto reference = [&](float x, float y) { return function.reference(x, y); };
  std::vector<float> left, right, out;
  const auto run = [&] {
    out.resize(left.size());
    function.loop(left.data(), right.data(), out.data(), left.size());
    judge.add(left.data(), right.data(), out.data(), left.size(), reference);
    left.clear();
    right.clear();
  };
  const std::vector<float> special = special_values();
  for (const float x : special) {
    for (const float y : special) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  run();
  for (uint64_t bits = 0, index = 0; bits < uint64_t{1} << 32; bits += step, ++index) {
    left.push_back(float_of(static_cast<uint32_t>(bits)));
    right.push_back(partner(static_cast<uint32_t>(bits), index));
    if (left.size() == kBlock) run();
  }
  run();
}

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "names") == 0) {
    for (const Unary& function : kUnary) std::printf("unary %s\n", function.name);
    for (const Binary& function : kBinary) std::printf("binary %s\n", function.name);
    return 0;
  }
  if (count != 4) return 2;
  Judge judge(std::strcmp(arguments[1], "errors") == 0);
  const uint64_t step = std::strtoull(arguments[3], nullptr, 10);
  for (const Unary& function : kUnary) {
    if (std::strcmp(function.name, arguments[2]) == 0) sweep_unary(function, step, judge);
  }
  for (const Binary& function : kBinary) {
    if (std::strcmp(function.name, arguments[2]) == 0) sweep_binary(function, step, judge);
  }
  judge.print();
  return 0;
}

}  // namespace
}  // namespace sweep

int main(int count, char** arguments) { return sweep::main(count, arguments); }

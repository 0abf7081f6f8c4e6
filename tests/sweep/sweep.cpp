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
#include "reference.h"

namespace sweep {
namespace {

constexpr uint64_t kBlock = 4096;

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
inline double error_in_ulp(float result, double reference) {
  // An infinite result is what follows the largest float.
  const double wide = math::clamp<double>(result, -0x1p128, 0x1p128);
  const double wanted = math::clamp(reference, -0x1p128, 0x1p128);
  const double size = math::clamp(std::fabs(wanted), 0x1p-126, 0x1p127);
  const uint64_t exponent = math::bits_of(size) & 0x7FF0000000000000;
  const double ulps_in_one = math::from_bits((uint64_t{2 * 1023 + 23} << 52) - exponent);
  double error = std::fabs(wide - wanted) * ulps_in_one;
  const double zero_error = std::copysign(1.0, wide) == std::copysign(1.0, wanted) ? 0 : INFINITY;
  error = wide == 0 ? error + zero_error : error;
  const double number_error = wide == wide ? INFINITY : 0;  // if the reference is NaN
  error = wanted == wanted ? error : number_error;
  return error == error ? error : INFINITY;
}

class Judge {
 public:
  // A sum of products with odd numbers that tell the places: it vectorises.
  void add_bits(const float* out, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const uint64_t bits = out[k] == out[k] ? bits_of(out[k]) : 0x7FC00000u;
      checksum_ += (bits + 1) * (((place_ + k) * 0x9E3779B97F4A7C15u) | 1);
    }
    place_ += count;
  }
  void add_errors(const float* left, const float* right, const float* out, const double* reference,
                  std::size_t count) {
    errors_.resize(count);
    double* errors = errors_.data();
    uint64_t larger = 0;
    for (std::size_t k = 0; k < count; ++k) {
      errors[k] = error_in_ulp(out[k], reference[k]);
      larger |= errors[k] > worst_ ? 1 : 0;
    }
    if (larger == 0) return;
    const std::size_t worst = std::max_element(errors, errors + count) - errors;
    worst_ = errors[worst];
    worst_left_ = bits_of(left[worst]);
    worst_right_ = bits_of(right[worst]);
  }
  void print() const {
    std::printf("%.4f %08x %08x %016llx\n", worst_, worst_left_, worst_right_,
                static_cast<unsigned long long>(checksum_));
  }

 private:
  std::vector<double> errors_;
  double worst_ = 0;
  uint32_t worst_left_ = 0;
  uint32_t worst_right_ = 0;
  uint64_t checksum_ = 0;
  uint64_t place_ = 0;
};

// With both signs. Around each of the first there are neighbours, too. Some are next to multiples
// of pi / 2, which all parts of 2 / pi have to tell apart.
std::vector<float> special_values() {
  const float centres[] = {0x1p-149f,  0x1p-126f, 0x1p-24f, 0.25f,      0.5f,    0.75f,
                           1.0f,       1.5f,      2.0f,     3.0f,       12.0f,   127.0f,
                           128.0f,     0x1p23f,   0x1p24f,  0x1p52f,    0x1p80f, 0x1p108f,
                           0x1p127f,   88.72284f, 103.97f,  0.3465736f, 0x1p18f, 252.89821f,
                           52516.434f, 105032.87f};
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

class UnarySweep {
 public:
  UnarySweep(const Unary& function, bool errors, Judge& judge)
      : function_(function), errors_(errors), judge_(judge) {}

  void run(uint64_t step) {
    in_ = special_values();
    judge_block(false, false);
    for (uint64_t first = 0; first < uint64_t{1} << 32; first += step * kBlock) {
      in_.resize(std::min(((uint64_t{1} << 32) - first + step - 1) / step, kBlock));
      for (std::size_t k = 0; k < in_.size(); ++k) {
        in_[k] = float_of(static_cast<uint32_t>(first + step * k));
      }
      judge_block(first >> 31 != 0, step == 1 && function_.shape == Shape::kSmooth);
    }
  }

 private:
  void judge_block(bool negative, bool smooth) {
    const std::size_t count = in_.size();
    out_.resize(count);
    reference_.resize(count);
    function_.loop(in_.data(), out_.data(), count);
    judge_.add_bits(out_.data(), count);
    if (!errors_) return;
    if (negative && function_.symmetry != Symmetry::kNone) {
      refer_to_positive();
    } else if (smooth) {
      BlockReference(function_.reference, in_).fill_smooth(reference_);
    } else {
      BlockReference(function_.reference, in_).fill_each(reference_);
    }
    judge_.add_errors(in_.data(), in_.data(), out_.data(), reference_.data(), count);
  }
  // Negative floats of a symmetric function are compared with its results of positive ones.
  void refer_to_positive() {
    std::vector<float> positive(in_.size()), expected(in_.size());
    std::transform(in_.begin(), in_.end(), positive.begin(), std::negate<float>());
    function_.loop(positive.data(), expected.data(), in_.size());
    const double sign = function_.symmetry == Symmetry::kOdd ? -1 : 1;
    std::transform(expected.begin(), expected.end(), reference_.begin(),
                   [&](float value) { return sign * value; });
  }

  const Unary& function_;
  bool errors_;
  Judge& judge_;
  std::vector<float> in_, out_;
  std::vector<double> reference_;
};

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

void sweep_binary(const Binary& function, uint64_t step, bool errors, Judge& judge) {
  std::vector<float> left, right, out;
  std::vector<double> reference;
  const auto judge_block = [&] {
    const std::size_t count = left.size();
    out.resize(count);
    reference.resize(count);
    function.loop(left.data(), right.data(), out.data(), count);
    judge.add_bits(out.data(), count);
    if (errors) {
      std::transform(left.begin(), left.end(), right.begin(), reference.begin(),
                     function.reference);
      judge.add_errors(left.data(), right.data(), out.data(), reference.data(), count);
    }
    left.clear();
    right.clear();
  };
  for (const float x : special_values()) {
    for (const float y : special_values()) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  judge_block();
  for (uint64_t bits = 0, index = 0; bits < uint64_t{1} << 32; bits += step, ++index) {
    left.push_back(float_of(static_cast<uint32_t>(bits)));
    right.push_back(partner(static_cast<uint32_t>(bits), index));
    if (left.size() == kBlock) judge_block();
  }
  judge_block();
}

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "names") == 0) {
    for (const Unary& function : kUnary) std::printf("unary %s\n", function.name);
    for (const Binary& function : kBinary) std::printf("binary %s\n", function.name);
    return 0;
  }
  if (count != 4) return 2;
  Judge judge;
  const bool errors = std::strcmp(arguments[1], "errors") == 0;
  const uint64_t step = std::strtoull(arguments[3], nullptr, 10);
  for (const Unary& function : kUnary) {
    if (std::strcmp(function.name, arguments[2]) != 0) continue;
    UnarySweep(function, errors, judge).run(step);
  }
  for (const Binary& function : kBinary) {
    if (std::strcmp(function.name, arguments[2]) != 0) continue;
    sweep_binary(function, step, errors, judge);
  }
  judge.print();
  return 0;
}

}  // namespace
}  // namespace sweep

int main(int count, char** arguments) { return sweep::main(count, arguments); }

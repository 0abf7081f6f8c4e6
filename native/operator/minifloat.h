// SPDX-License-Identifier: Apache-2.0
// The values of the floating types of one byte or less; only scalars can hold them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace aclhost {

enum class Specials { kNone, kNanOnly, kInfAndNan };  // what the largest exponent is kept for

// Sign, exponent and mantissa in the low bits of a byte, with subnormals.
inline double minifloat(uint8_t bits, int exponent_bits, int mantissa_bits, Specials specials) {
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const bool negative = (bits >> (exponent_bits + mantissa_bits) & 1) != 0;
  const int bias = exponent_bits == 1 ? 1 : (1 << (exponent_bits - 1)) - 1;
  const int all_ones = (1 << mantissa_bits) - 1;

  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                     : std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
  if (exponent == (1 << exponent_bits) - 1) {
    if (specials == Specials::kInfAndNan) {
      value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    } else if (specials == Specials::kNanOnly && mantissa == all_ones) {
      value = std::nan("");
    }
  }
  return negative ? -value : value;
}

// No sign, no mantissa, no zero: a power of two.
inline double e8m0(uint8_t bits) {
  return bits == 0xFF ? std::nan("") : std::ldexp(1.0, bits - 127);
}

// A prefix code after the sign tells how many bits the exponent has (4, 3, 2, 1 or 0); the
// exponent is sign and magnitude without the magnitude's leading 1; the rest is mantissa. The
// prefix 0000 marks powers of two below all others.
inline double hifloat8(uint8_t bits) {
  if (bits == 0x80) return std::nan("");
  const bool negative = (bits & 0x80) != 0;
  const int body = bits & 0x7F;
  if (body == 0x6F) {
    const double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  double value = 0;
  if (body < 0x08) {
    value = body == 0 ? 0 : std::ldexp(1.0, body - 23);
  } else {
    const int width = body >= 0x60 ? 4 : body >= 0x40 ? 3 : body >= 0x20 ? 2 : body >= 0x10 ? 1 : 0;
    const int mantissa_bits = width >= 2 ? 5 - width : 3;
    const int mantissa = body & ((1 << mantissa_bits) - 1);
    int exponent = 0;
    if (width > 0) {
      const int field = body >> mantissa_bits & ((1 << width) - 1);
      const int leading = 1 << (width - 1);
      const int magnitude = leading | (field & (leading - 1));
      exponent = (field & leading) != 0 ? -magnitude : magnitude;
    }
    value = std::ldexp((1 << mantissa_bits) + mantissa, exponent - mantissa_bits);
  }
  return negative ? -value : value;
}

}  // namespace aclhost

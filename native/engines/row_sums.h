// SPDX-License-Identifier: Apache-2.0
// Sums of elements in a fixed order, for a piece of a row at a time: those of 16 bits in float, the
// others in their own type, with one rounding when they are stored.
#pragma once

#include <cstdint>
#include <cstring>

#include "acl/acl_base.h"
#include "engines/cast.h"
#include "engines/copy_bytes.h"
#include "engines/runs.h"
#include "simd/convert.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// What sums consist of: one number for each element, or two.
template <typename Element>
struct SummedParts {
  using Number = ComputeType<Element>;
  static constexpr int64_t kCount = 1;
};
template <typename Part>
struct SummedParts<Complex<Part>> {
  using Number = Part;
  static constexpr int64_t kCount = 2;
};

// Elements with a stride in bytes. Half and BFloat16 are converted, the others stay where they are.
struct SummedValues {
  const char* start;
  int64_t stride;
};

template <typename Element>
class RowSums {
 public:
  static constexpr int64_t kLength = 1024;  // elements

  RowSums(aclDataType dtype)
      : widen_(find_array_cast(dtype, ACL_FLOAT)), narrow_(find_array_cast(ACL_FLOAT, dtype)) {}

  void clear(int64_t n) { std::memset(sums_, 0, n * kSum); }

  // At most kLength elements as numbers of the sums' type, until the next call.
  SummedValues values(const char* from, int64_t stride, int64_t n) {
    if constexpr (!kNarrow) return {from, stride};
    widen_(gathered(from, stride, n), widened_, n);
    return {widened_, kSum};
  }

  // Values are added to the sums from `place` on, `step` sums apart. With step 0 all of them go to
  // one sum, one after the other.
  void add(const SummedValues& values, int64_t n, int64_t place, int64_t step) {
    Number* const sums = sums_ + place * kParts;
    if (n > 1 && step == 1 && values.stride == kSum) {
      return add_numbers(values.start, n * kParts, sums);
    }
    for (int64_t i = 0; i < n; ++i) {
      add_numbers(values.start + i * values.stride, kParts, sums + i * step * kParts);
    }
  }

  // The first n sums become values; a sum of -0 alone is 0.
  void set(const SummedValues& values, int64_t n) {
    constexpr int64_t kSize = sizeof(Number);
    if (values.stride == kSum) {
      for (int64_t i = 0; i < n * kParts; ++i)
        sums_[i] = 0 + load<Number>(values.start + i * kSize);
      return;
    }
    for (int64_t i = 0; i < n * kParts; ++i) {
      const char* const value = values.start + i / kParts * values.stride;
      sums_[i] = 0 + load<Number>(value + i % kParts * kSize);
    }
  }

  // n sums from one on are added to others, `step` sums apart.
  void fold(int64_t from, int64_t n, int64_t place, int64_t step) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t part = 0; part < kParts; ++part) {
        sums_[(place + i * step) * kParts + part] += sums_[(from + i) * kParts + part];
      }
    }
  }

  // n sums from one on as elements with a stride in bytes.
  void store(char* to, int64_t stride, int64_t n, int64_t first = 0) {
    const char* results = reinterpret_cast<const char*>(sums_ + first * kParts);
    if constexpr (kNarrow) {
      narrow_(results, narrow_values_, n);
      results = narrow_values_;
    }
    copy_elements(results, kItem, to, stride, n);
  }

 private:
  using Number = typename SummedParts<Element>::Number;
  static constexpr int64_t kParts = SummedParts<Element>::kCount;
  static constexpr int64_t kItem = sizeof(Element), kSum = kParts * sizeof(Number);
  static constexpr bool kNarrow = kItem == 2;

  static void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                            int64_t n) {
    if (from_stride == kItem && to_stride == kItem) return copy_bytes(from, to, n * kItem);
    copy_run(from, from_stride, to, to_stride, kItem, n);
  }

  // Numbers from a client's memory, which may be aligned anyhow.
  static void add_numbers(const char* __restrict values, int64_t n, Number* __restrict sums) {
    constexpr int64_t kSize = sizeof(Number);
    for (int64_t i = 0; i < n; ++i) sums[i] += load<Number>(values + i * kSize);
  }

  const char* gathered(const char* from, int64_t stride, int64_t n) {
    if (stride == kItem) return from;
    copy_elements(from, stride, narrow_values_, kItem, n);
    return narrow_values_;
  }

  CastArray widen_, narrow_;  // for 16 bits
  alignas(64) Number sums_[kLength * kParts];
  alignas(64) char widened_[kNarrow ? kLength * sizeof(float) : 1];
  alignas(64) char narrow_values_[kNarrow ? kLength * 2 : 1];
};

// Calls visit(zero) with a zero of the type: FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64, COMPLEX128.
template <typename Visit>
void visit_summed(aclDataType dtype, const Visit& visit) {
  switch (dtype) {
    case ACL_FLOAT16:
      return visit(Half{});
    case ACL_BF16:
      return visit(BFloat16{});
    case ACL_DOUBLE:
      return visit(double{});
    case ACL_COMPLEX64:
      return visit(Complex<float>{});
    case ACL_COMPLEX128:
      return visit(Complex<double>{});
    default:
      return visit(float{});
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

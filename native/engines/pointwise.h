// SPDX-License-Identifier: Apache-2.0
// Point-wise operators over any views, without their types: outs = cast(round(loop(ins))).
//
// The engine walks, converts, stores past the cache and uses threads; an operator adds a loop for
// each type that it computes in. Work goes in blocks small enough for the first-level cache.
// An output may be one of the inputs, or occupy the same elements in the same layout; it shares no
// memory with other inputs (operator/run.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"
#include "operator/views.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A scalar of an operator in the type its loop computes in.
union Number {
  bool b;
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f;
  double d;
  Complex<float> c;
  Complex<double> z;
};

// One block of n elements. in[k] and out[k] are arrays in the types the loop computes in: float for
// FLOAT, FLOAT16 and BF16, double, the integer itself, uint8_t for BOOL (out 0 or 1, in any byte,
// as clients may have it), Complex<float> for COMPLEX32 and COMPLEX64, Complex<double>. Loops that
// look at bits only, or convert themselves (loops_halves.h), have Half and BFloat16 arrays instead.
// An out array may be an in array; other than that they do not overlap.
using Loop = void (*)(const void* const* in, void* const* out, int64_t n, const Number* numbers);

struct Operand {
  const TensorView* view;
  aclDataType dtype;  // what the operator computes with
};

// Inputs are cast to the operand's dtype (Note [Casts]), then widened to the loop's type. Results
// are rounded once to the operand's dtype, then cast to the view's. Inputs broadcast to the first
// output's shape, which all outputs have. `narrow` if the loop works on 16-bit floats as they are.
// A `row_loop` is the same loop for blocks to which the first input gives a single element.
// Without outputs, the inputs have one shape, and the loop may have seen `enough` of them: then
// no further blocks are fetched.
Status pointwise(Loop loop, const Operand* outs, int out_count, const Operand* ins, int in_count,
                 const Number* numbers, bool narrow = false, Loop row_loop = nullptr,
                 const std::atomic<bool>* enough = nullptr);

// The scalar cast to the dtype and widened to the loop's type; 0 if there is no such cast.
Number number_of(const ScalarValue& scalar, aclDataType dtype);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Operators that make every row along one axis of a tensor from the same rows of others.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/status.h"
#include "engines/rows.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where some columns that lie side by side begin, and how far their lines are apart.
template <typename T>
struct Lines {
  T* first;
  int64_t step;
  T* line(int64_t i) const { return first + i * step; }
};

constexpr int64_t kMostColumns = 256;  // at once
constexpr int kMostAxisInputs = 2;

// How rows of n elements are made, one by one or as up to kMostColumns columns. An output may be an
// input.
template <typename T>
struct AxisLoops {
  void (*row)(RowInput<T>* in, int64_t n, const RowOutput<T>& out);
  void (*columns)(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out);
};

// The same of a row whose tensors all have a type of 16 bits, without conversions before and after
// it: in rows that are longer than a cache they take most of the time. There is room for n floats.
using StoredRow = void (*)(const char* const* in, int64_t n, float* room, char* out);

struct AxisOperator {
  AxisLoops<float> in_float;
  AxisLoops<double> in_double;  // of DOUBLE
  StoredRow of_half = nullptr;  // null: in float
  StoredRow of_bfloat16 = nullptr;
};

// All tensors have the same shape. Inputs are cast to a dtype first; results are rounded to it,
// then cast to the output's.
Status along_axis(const AxisOperator& op, int64_t dim, aclDataType rounded, const TensorView& out,
                  std::initializer_list<const TensorView*> ins);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

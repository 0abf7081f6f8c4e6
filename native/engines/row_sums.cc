// SPDX-License-Identifier: Apache-2.0
#include "engines/row_sums.h"

#include <algorithm>
#include <cstring>

#include "dtypes.h"
#include "engines/runs.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Numbers from a client's memory, which may be aligned anyhow, are added to an array.
template <typename T>
void add_numbers(const char* __restrict values, int64_t n, T* __restrict sums) {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t i = 0; i < n; ++i) sums[i] += load<T>(values + i * kSize);
}

template <typename T>
void add_apart(const char* values, int64_t n, int parts, int64_t step, T* sums) {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t i = 0; i < n; ++i) {
    for (int part = 0; part < parts; ++part) {
      sums[i * step * parts + part] += load<T>(values + (i * parts + part) * kSize);
    }
  }
}

template <typename T>
void add_values(const char* values, int64_t n, int parts, int64_t step, char* sums) {
  T* const numbers = reinterpret_cast<T*>(sums);
  if (step == 1) return add_numbers(values, n * parts, numbers);
  add_apart(values, n, parts, step, numbers);
}

}  // namespace

RowSums::RowSums(aclDataType dtype)
    : item_size_(data_type_bits(dtype) / 8),
      sum_size_(std::max<int64_t>(item_size_, sizeof(float))),
      parts_(dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128 ? 2 : 1),
      is_double_(dtype == ACL_DOUBLE || dtype == ACL_COMPLEX128),
      widen_(item_size_ == 2 ? find_array_cast(dtype, ACL_FLOAT) : nullptr),
      narrow_(item_size_ == 2 ? find_array_cast(ACL_FLOAT, dtype) : nullptr) {}

void RowSums::clear(int64_t n) { std::memset(sums_, 0, n * sum_size_); }

void RowSums::add(const char* from, int64_t stride, int64_t n, int64_t place, int64_t step) {
  if (widen_ == nullptr && n == 1) return add_array(from, 1, place, 0);
  if (widen_ == nullptr && stride == item_size_) return add_array(from, n, place, step);
  add_converted(from, stride, n, place, step);
}

void RowSums::add_converted(const char* from, int64_t stride, int64_t n, int64_t place,
                            int64_t step) {
  alignas(64) char gathered[kLength * kLargest];
  alignas(64) char widened[kLength * sizeof(float)];
  for (int64_t i = 0; i < n; i += kLength) {
    const int64_t count = std::min(kLength, n - i);
    const char* values = from + i * stride;
    if (stride != item_size_) {
      copy_run(values, stride, gathered, item_size_, item_size_, count);
      values = gathered;
    }
    if (widen_ != nullptr) {
      widen_(values, widened, count);
      values = widened;
    }
    add_array(values, count, place + i * step, step);
  }
}

void RowSums::add_array(const char* values, int64_t n, int64_t place, int64_t step) {
  char* const sums = sums_ + place * sum_size_;
  if (is_double_) {
    add_values<double>(values, n, parts_, step, sums);
  } else {
    add_values<float>(values, n, parts_, step, sums);
  }
}

void RowSums::store(char* to, int64_t stride, int64_t n) const {
  alignas(64) char narrowed[kLength * 2];
  const char* results = sums_;
  if (narrow_ != nullptr) {
    narrow_(sums_, narrowed, n);
    results = narrowed;
  }
  copy_run(results, item_size_, to, stride, item_size_, n);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "operator/span.h"

#include <algorithm>

#include "dtypes.h"

namespace aclhost {
namespace {

// Sums and products that remember whether 64 bits held them all.
struct Checked {
  bool fits = true;

  int64_t add(int64_t a, int64_t b) {
    int64_t sum;
    fits &= !__builtin_add_overflow(a, b, &sum);
    return sum;
  }
  int64_t multiply(int64_t a, int64_t b) {
    int64_t product;
    fits &= !__builtin_mul_overflow(a, b, &product);
    return product;
  }
};

}  // namespace

ByteSpan span_of(const TensorView& view) {
  Checked checked;
  int64_t first = view.offset, last = view.offset;
  for (int i = 0; i < view.rank; ++i) {
    const int64_t reach = checked.multiply(view.shape[i] - 1, view.strides[i]);
    first = checked.add(first, std::min<int64_t>(reach, 0));
    last = checked.add(last, std::max<int64_t>(reach, 0));
  }
  const int bits = data_type_bits(view.dtype);
  const int64_t begin = checked.multiply(first, bits) >> 3;
  const int64_t end = checked.add(checked.multiply(checked.add(last, 1), bits), 7) >> 3;
  const auto size = static_cast<size_t>(end - begin);
  uintptr_t address, behind;
  checked.fits &= !__builtin_add_overflow(reinterpret_cast<uintptr_t>(view.data), begin, &address);
  checked.fits &= !__builtin_add_overflow(address, size, &behind);
  if (!checked.fits) return {static_cast<const char*>(view.data), SIZE_MAX};
  return {reinterpret_cast<const char*>(address), size};
}

void find_spans(const Args& args, Spans* spans) {
  ByteSpan* next = spans->extend(args.tensors.size());
  for (const TensorView& view : args.tensors) {
    *next++ = view.present && !view.empty() ? span_of(view) : ByteSpan{nullptr, 0};
  }
}

}  // namespace aclhost

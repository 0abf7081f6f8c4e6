// SPDX-License-Identifier: Apache-2.0
#include "ops/add_n.h"

#include <algorithm>

#include "base/inline_vector.h"
#include "engines/pointwise.h"
#include "operator/no_kernel.h"
#include "simd/pairs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Adds up numbers[0] arrays, one after the other. Integers come as unsigned ones: they wrap.
template <typename T>
void add_arrays(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  constexpr int64_t kChunk = 256;
  T sums[kChunk];
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t length = std::min(kChunk, n - begin);
    std::copy_n(static_cast<const T*>(in[0]) + begin, length, sums);
    for (int64_t k = 1; k < numbers[0].i64; ++k) {
      const T* const more = static_cast<const T*>(in[k]) + begin;
      for (int64_t i = 0; i < length; ++i) sums[i] += more[i];
    }
    std::copy_n(sums, length, static_cast<T*>(out[0]) + begin);
  }
}

// 16-bit floats, whose sums are float.
template <typename T>
void add_halves(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  constexpr int64_t kStep = 2 * kLanes<float>;
  for (int64_t begin = 0; begin < n; begin += kStep) {
    const int64_t length = std::min(kStep, n - begin);
    Pair<T> sum = {};
    for (int64_t k = 0; k < numbers[0].i64; ++k) {
      const T* term = static_cast<const T*>(in[k]) + begin;
      T last[kStep];
      if (length < kStep) term = std::copy_n(term, length, last) - length;
      const Pair<T> more = load_pair(term);
      sum = k == 0 ? more : Pair<T>{sum.first + more.first, sum.second + more.second};
    }
    T results[kStep];
    T* const to = static_cast<T*>(out[0]) + begin;
    put_pair<Store>(length < kStep ? results : to, sum);
    if (length < kStep) std::copy_n(results, length, to);
  }
}

Loop find_loop(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return add_arrays<float>;
    case ACL_FLOAT16:
      return add_halves<Half>;
    case ACL_BF16:
      return add_halves<BFloat16>;
    case ACL_INT32:
      return add_arrays<uint32_t>;
    case ACL_INT64:
      return add_arrays<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Status run(const AddNArgs& args) {
  const aclDataType dtype = args.out.dtype;
  const Loop loop = find_loop(dtype);
  if (loop == nullptr) return no_kernel_for(args.out);
  InlineVector<Operand, 8> terms;
  for (const TensorView& each : args.tensors) terms.add() = {&each, dtype};
  const Operand sum = {&args.out, dtype};
  Number count;
  count.i64 = static_cast<int64_t>(args.tensors.size);
  constexpr bool kNarrow = true;
  return pointwise(loop, &sum, 1, terms.data(), static_cast<int>(args.tensors.size), &count,
                   kNarrow);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "operator/span.h"

#include "dtypes.h"

namespace aclhost {

ByteSpan span_of(const TensorView& view) {
  // 128 bits hold every sum of 25 products of 64-bit numbers that matters here.
  __int128 first = view.offset;
  __int128 last = view.offset;
  for (int i = 0; i < view.rank; ++i) {
    const __int128 reach = (static_cast<__int128>(view.shape[i]) - 1) * view.strides[i];
    (reach < 0 ? first : last) += reach;
  }
  const int bits = data_type_bits(view.dtype);
  const __int128 begin = first * bits / 8;
  const __int128 size = (last + 1) * bits / 8 + ((last + 1) * bits % 8 != 0 ? 1 : 0) - begin;
  const auto address = static_cast<__int128>(reinterpret_cast<uintptr_t>(view.data)) + begin;
  const bool counted = address >= 0 && address + size <= static_cast<__int128>(UINTPTR_MAX);
  if (!counted) return {static_cast<const char*>(view.data), SIZE_MAX};
  return {reinterpret_cast<const char*>(static_cast<uintptr_t>(address)),
          static_cast<size_t>(size)};
}

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "engines/index_actions.h"

#include <cstring>
#include <type_traits>

#include "engines/runs.h"
#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kStreamedBytes = 512;  // shorter rows take longer past the cache than through it

template <int64_t kItem>
void gather_elements(char* dense, int64_t step, char* table, const int64_t* offsets, int64_t n) {
  if (step == kItem) {
#pragma GCC unroll 4  // a short loop takes one cycle or two, as it happens to lie in memory
    for (int64_t i = 0; i < n; ++i) std::memcpy(dense + i * kItem, table + offsets[i], kItem);
  } else {
    for (int64_t i = 0; i < n; ++i) std::memcpy(dense + i * step, table + offsets[i], kItem);
  }
}

template <int64_t kItem>
void gather_row(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n) {
  copy_run(table, table_step, dense, dense_step, kItem, n);
}

template <int64_t kItem>
void stream_row(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n) {
  const bool is_long = dense_step == kItem && table_step == kItem && n * kItem >= kStreamedBytes;
  if (is_long) return stream_run(table, n * kItem, dense);
  gather_row<kItem>(dense, dense_step, table, table_step, n);
}

template <int64_t kItem>
void clear(char* dense, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memset(dense + i * step, 0, kItem);
}

template <typename Visit>
Action of_width(int64_t item_size, const Visit& visit) {
  switch (item_size) {
    case 1:
      return visit(std::integral_constant<int64_t, 1>());
    case 2:
      return visit(std::integral_constant<int64_t, 2>());
    case 4:
      return visit(std::integral_constant<int64_t, 4>());
    case 8:
      return visit(std::integral_constant<int64_t, 8>());
    default:
      return visit(std::integral_constant<int64_t, 16>());
  }
}

}  // namespace

Action gathering(int64_t item_size, bool past_cache) {
  return of_width(item_size, [=](auto width) -> Action {
    constexpr int64_t kItem = decltype(width)::value;
    return {gather_elements<kItem>, past_cache ? stream_row<kItem> : gather_row<kItem>,
            clear<kItem>};
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

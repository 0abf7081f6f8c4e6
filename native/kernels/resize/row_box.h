// SPDX-License-Identifier: Apache-2.0
// Rows that are summed to one, element by element.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// `counts` rows along depth, height and width.
struct RowBox {
  const char* data;
  int64_t counts[3];
  int64_t strides[3];
  int64_t reach;  // from the first of them to the last in memory
};

// Calls visit(0), visit(1), ... with constants: the compiler keeps an array in registers if it
// never sees it indexed by anything else.
template <int... i, typename Visit>
inline void visit_each(std::integer_sequence<int, i...>, const Visit& visit) {
  (visit(std::integral_constant<int, i>()), ...);
}
template <int count, typename Visit>
inline void repeat(const Visit& visit) {
  visit_each(std::make_integer_sequence<int, count>(), visit);
}

// How many rows a box has, where loops are better off knowing it; 0 for any number.
template <int depths, int lines>
struct KnownCounts {
  // Sums over all rows, several side by side: additions to one and the same wait for each other.
  // add(row, sums) adds what a row has for them.
  template <int count, typename V, typename Add>
  static void add_up(const RowBox& box, const Add& add, V* sums) {
    const int64_t planes = depths > 0 ? depths : box.counts[0];
    const int64_t rows = lines > 0 ? lines : box.counts[1];
    const int64_t columns = depths > 0 ? 1 : box.counts[2];
    repeat<count>([&](auto v) { sums[v] = -V{}; });  // x + -0 is x, for every x
    for (int64_t k = 0; k < columns; ++k) {
      V column[count];
      repeat<count>([&](auto v) { column[v] = -V{}; });
      for (int64_t i = 0; i < planes; ++i) {
        for (int64_t j = 0; j < rows; ++j) {
          add(box.data + i * box.strides[0] + j * box.strides[1] + k * box.strides[2], column);
        }
      }
      repeat<count>([&](auto v) { sums[v] += column[v]; });
    }
  }
};

// Calls action(KnownCounts<...>()).
template <typename Action>
inline void with_counts(const RowBox& box, const Action& action) {
  const int64_t planes = box.counts[0], rows = box.counts[1];
  if (box.counts[2] == 1 && planes == 2 && rows == 2) {
    action(KnownCounts<2, 2>());
  } else if (box.counts[2] == 1 && planes == 2 && rows == 1) {
    action(KnownCounts<2, 1>());
  } else if (box.counts[2] == 1 && planes == 1 && rows == 2) {
    action(KnownCounts<1, 2>());
  } else if (box.counts[2] == 1 && planes == 1 && rows == 1) {
    action(KnownCounts<1, 1>());
  } else {
    action(KnownCounts<0, 0>());
  }
}

// Where vectors start that together cover `lanes`, as visit(lane, integral_constant of how many).
// The last overlaps the one before it, so that none goes beyond unless there is not enough for one.
template <int64_t width, typename Visit>
inline void for_each_vector(int64_t lanes, const Visit& visit) {
  int64_t lane = 0;
  for (; lane + 2 * width <= lanes; lane += 2 * width) {
    visit(lane, std::integral_constant<int, 2>());
  }
  if (lane + width < lanes) visit(lane, std::integral_constant<int, 1>());
  if (lane < lanes) visit(std::max<int64_t>(lanes - width, 0), std::integral_constant<int, 1>());
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

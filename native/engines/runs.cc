// SPDX-License-Identifier: Apache-2.0
#include "engines/runs.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "engines/copy_bytes.h"
#include "engines/turn.h"
#include "simd/memory.h"
#include "simd/simd.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Calls visit(zero) with a zero of the type that has the size.
template <typename Visit>
void visit_size(int64_t item_size, const Visit& visit) {
  switch (item_size) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    case 8:
      return visit(uint64_t{});
    default:
      return visit(Bits128{});
  }
}

template <typename Bits>
inline void fill_array(char* to, Bits value, int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  for (int64_t i = 0; i < n; ++i) store(to + i * kSize, value);
}

// Elements of so many lanes in the opposite order.
template <int lanes, typename V, int... lane>
V reverse_vector(V vector, std::integer_sequence<int, lane...>) {
  constexpr int kAll = sizeof...(lane);
  return __builtin_shufflevector(vector, vector,
                                 (kAll - lanes - lane / lanes * lanes + lane % lanes)...);
}

// The same of an array that is not shorter than a vector of so many bytes; its last vector reaches
// back. `from` is where the last element lies.
template <int bytes, typename Bits>
inline void reverse_in_vectors(const char* from, char* to, int64_t n) {
  using Lane = std::conditional_t<sizeof(Bits) == 16, uint64_t, Bits>;
  constexpr int kAll = bytes / sizeof(Lane);
  constexpr int64_t kSize = sizeof(Bits), kElements = bytes / kSize;
  const auto reverse = [&](int64_t i) {
    const auto last = load_vector<Vector<Lane, kAll>>(from - (i + kElements - 1) * kSize);
    store_vector(to + i * kSize, reverse_vector<kSize / sizeof(Lane)>(
                                     last, std::make_integer_sequence<int, kAll>()));
  };
  int64_t i = 0;
  for (; i + kElements <= n; i += kElements) reverse(i);
  if (i < n) reverse(n - kElements);
}

// The last element first; `from` is where it lies.
template <typename Bits>
inline void reverse_array(const char* from, char* to, int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  if (n * kSize >= kVectorBytes) return reverse_in_vectors<kVectorBytes, Bits>(from, to, n);
  if (n * kSize >= 16) return reverse_in_vectors<16, Bits>(from, to, n);
  for (int64_t i = 0; i < n; ++i) store(to + i * kSize, load<Bits>(from - i * kSize));
}

// The same past the cache, as far as whole vectors go.
template <typename Bits>
void stream_reversed_array(const char* from, char* to, int64_t n) {
  using Lane = std::conditional_t<sizeof(Bits) == 16, uint64_t, Bits>;
  constexpr int64_t kSize = sizeof(Bits), kElements = kVectorBytes / kSize;
  const int64_t lead = -reinterpret_cast<intptr_t>(to) & (kVectorBytes - 1);
  if (lead % kSize != 0 || lead / kSize > n) return reverse_array<Bits>(from, to, n);
  int64_t i = lead / kSize;
  reverse_array<Bits>(from, to, i);
  for (; i + kElements <= n; i += kElements) {
    const auto last = load_vector<Vector<Lane>>(from - (i + kElements - 1) * kSize);
    stream_vector(to + i * kSize, reverse_vector<kSize / sizeof(Lane)>(
                                      last, std::make_integer_sequence<int, kLanes<Lane>>()));
  }
  reverse_array<Bits>(from - i * kSize, to + i * kSize, n - i);
}

// Every second lane of two vectors.
template <typename V, int... lane>
V every_second(V low, V high, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(low, high, (2 * lane)...);
}

// Every second element of an array, the first one included; none is read after the last of them.
template <typename Bits>
__attribute__((noinline)) void thin_out_array(const char* from, char* to, int64_t n) {
  constexpr int64_t kSize = sizeof(Bits), kElements = kLanes<Bits>;
  using Values = Vector<Bits>;
  int64_t i = 0;
  for (; i + kElements < n; i += kElements) {
    const char* const low = from + 2 * i * kSize;
    store_vector(to + i * kSize,
                 every_second(load_vector<Values>(low), load_vector<Values>(low + kVectorBytes),
                              std::make_integer_sequence<int, kElements>()));
  }
  for (; i < n; ++i) store(to + i * kSize, load<Bits>(from + 2 * i * kSize));
}

constexpr int64_t kMostRepeats = 4;  // more are runs that are worth it

// Each element of an array so many times.
template <int times, typename Bits>
void repeat_each(const char* from, int64_t n, char* to) {
  constexpr int64_t kSize = sizeof(Bits);
  for (int64_t i = 0; i < n; ++i) {
    const Bits bits = load<Bits>(from + i * kSize);
    for (int k = 0; k < times; ++k) store(to + (i * times + k) * kSize, bits);
  }
}

// Elements at any distance, four at a time: what compilers make of one at a time takes up to twice
// as long, which depends on the loops around it.
template <typename Bits>
inline void copy_apart(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                       int64_t n) {
  for (; n >= 4; n -= 4) {
    Bits four[4];
    for (int k = 0; k < 4; ++k) four[k] = load<Bits>(from + k * from_stride);
    for (int k = 0; k < 4; ++k) store(to + k * to_stride, four[k]);
    from += 4 * from_stride;
    to += 4 * to_stride;
  }
  for (; n > 0; --n, from += from_stride, to += to_stride) store(to, load<Bits>(from));
}

template <typename Bits>
inline void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                          int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  if (to_stride == kSize) {
    if (from_stride == kSize) return copy_bytes(from, to, n * kSize);
    if (from_stride == 0) return fill_array(to, load<Bits>(from), n);
    if (from_stride == -kSize) return reverse_array<Bits>(from, to, n);
    if constexpr (kSize <= 8) {
      if (from_stride == 2 * kSize) return thin_out_array<Bits>(from, to, n);
    }
    copy_apart<Bits>(from, from_stride, to, kSize, n);
  } else {
    copy_apart<Bits>(from, from_stride, to, to_stride, n);
  }
}

template <typename Bits>
void gather_bits(const LoopNest& nest, const LoopNest::Operand& from, const Block& block,
                 char* to) {
  constexpr int64_t kSize = sizeof(Bits);
  const int64_t stride = from.strides[0];
  for_each_run(nest, from, block, [&](const char* run, int64_t length) {
    copy_elements<Bits>(run, stride, to, kSize, length);
    to += length * kSize;
  });
}

template <typename Bits>
void scatter_bits(const char* from, const LoopNest& nest, const LoopNest::Operand& to,
                  const Block& block) {
  constexpr int64_t kSize = sizeof(Bits);
  char* const first = address_of(nest, to, block);
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(first) |
                              reinterpret_cast<uintptr_t>(from) |
                              static_cast<uintptr_t>(to.strides[0]);
  if (addresses % kSize == 0 && lies_across(nest, to, block)) {
    const int64_t run = nest.shape[0];
    const Columns<Bits> matrix = {reinterpret_cast<const Bits*>(from), run};
    return transpose(matrix, run, block.count / run, reinterpret_cast<Bits*>(first),
                     to.strides[0] / kSize);
  }
  for_each_run(nest, to, block, [&](char* run, int64_t length) {
    copy_elements<Bits>(from, kSize, run, to.strides[0], length);
    from += length * kSize;
  });
}

// Whether a block is made of whole runs of one element each, which lie side by side. Tiles may
// leave runs of length 1, whose strides mean nothing.
bool repeats_each(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block) {
  const int64_t run = nest.shape[0];
  return operand.strides[0] == 0 && nest.rank > 1 && run > 1 && run <= kMostRepeats &&
         operand.strides[1] == operand.item_size && block.index[0] == 0 && block.count % run == 0 &&
         block.index[1] + block.count / run <= nest.shape[1];
}

void repeat_elements(const LoopNest& nest, const LoopNest::Operand& from, const Block& block,
                     char* to) {
  const char* const first = address_of(nest, from, block);
  const int64_t times = nest.shape[0], n = block.count / times;
  visit_size(from.item_size, [&](auto zero) {
    using Bits = decltype(zero);
    if (times == 2) return repeat_each<2, Bits>(first, n, to);
    if (times == 3) return repeat_each<3, Bits>(first, n, to);
    repeat_each<4, Bits>(first, n, to);
  });
}

}  // namespace

void copy_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t item_size,
              int64_t n) {
  visit_size(item_size, [&](auto zero) {
    copy_elements<decltype(zero)>(from, from_stride, to, to_stride, n);
  });
}

void stream_reversed(const char* from, char* to, int64_t item_size, int64_t n) {
  visit_size(item_size, [&](auto zero) { stream_reversed_array<decltype(zero)>(from, to, n); });
}

void gather(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to) {
  if (repeats_each(nest, from, block)) return repeat_elements(nest, from, block, to);
  if (turn(nest, from, block, to, nest.shape[0] * from.item_size)) return;
  visit_size(from.item_size,
             [&](auto zero) { gather_bits<decltype(zero)>(nest, from, block, to); });
}

void scatter(const char* from, const LoopNest& nest, const LoopNest::Operand& to,
             const Block& block) {
  visit_size(to.item_size, [&](auto zero) { scatter_bits<decltype(zero)>(from, nest, to, block); });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

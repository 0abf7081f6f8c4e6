// SPDX-License-Identifier: Apache-2.0
#include "engines/runs.h"

#include <algorithm>
#include <cstring>

#include "simd/memory.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Bits128 {
  uint64_t words[2];
};
struct Bits256 {
  uint64_t words[4];
};

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

// Two words that may overlap cover all sizes between one and two of them.
template <typename Word>
void copy_two(const char* from, char* to, int64_t bytes) {
  const int64_t last = bytes - static_cast<int64_t>(sizeof(Word));
  const Word a = load<Word>(from), b = load<Word>(from + last);
  store(to, a);
  store(to + last, b);
}

// Short runs are many: they do not call memcpy.
inline void copy_bytes(const char* from, char* to, int64_t bytes) {
  if (bytes > 64) {
    std::memmove(to, from, bytes);
  } else if (bytes >= 32) {
    copy_two<Bits256>(from, to, bytes);
  } else if (bytes >= 16) {
    copy_two<Bits128>(from, to, bytes);
  } else if (bytes >= 8) {
    copy_two<uint64_t>(from, to, bytes);
  } else if (bytes >= 4) {
    copy_two<uint32_t>(from, to, bytes);
  } else if (bytes >= 2) {
    copy_two<uint16_t>(from, to, bytes);
  } else {
    *to = *from;
  }
}

template <typename Bits>
inline void fill_array(char* to, Bits value, int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  for (int64_t i = 0; i < n; ++i) store(to + i * kSize, value);
}

// The last element first; `from` is where it lies.
template <typename Bits>
inline void reverse_array(const char* from, char* to, int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  for (int64_t i = 0; i < n; ++i) store(to + i * kSize, load<Bits>(from - i * kSize));
}

template <typename Bits>
inline void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride,
                          int64_t n) {
  constexpr int64_t kSize = sizeof(Bits);
  if (to_stride == kSize) {
    if (from_stride == kSize) return copy_bytes(from, to, n * kSize);
    if (from_stride == 0) return fill_array(to, load<Bits>(from), n);
    if (from_stride == -kSize) return reverse_array<Bits>(from, to, n);
    for (int64_t i = 0; i < n; ++i) store(to + i * kSize, load<Bits>(from + i * from_stride));
  } else {
    for (int64_t i = 0; i < n; ++i) store(to + i * to_stride, load<Bits>(from + i * from_stride));
  }
}

// Whether a block is made of whole runs, and the operand lies in memory across them.
bool lies_across(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block) {
  const int64_t run = nest.shape[0];
  return nest.rank > 1 && operand.strides[1] == operand.item_size && operand.strides[0] != 0 &&
         block.index[0] == 0 && block.count % run == 0 &&
         block.index[1] + block.count / run <= nest.shape[1];
}

template <typename Bits>
void gather_bits(const LoopNest& nest, const LoopNest::Operand& from, const Block& block,
                 char* to) {
  constexpr int64_t kSize = sizeof(Bits);
  const int64_t stride = from.strides[0];
  if constexpr (kSize <= 8) {
    const char* const first = address_of(nest, from, block);
    const uintptr_t addresses =
        reinterpret_cast<uintptr_t>(first) | reinterpret_cast<uintptr_t>(to);
    const bool aligned = addresses % kSize == 0;
    if (aligned && lies_across(nest, from, block)) {
      const Columns<Bits> matrix = {reinterpret_cast<const Bits*>(first), stride / kSize};
      const int64_t columns = nest.shape[0];
      return transpose(matrix, block.count / columns, columns, reinterpret_cast<Bits*>(to));
    }
  }
  for_each_run(nest, from, block, [&](const char* run, int64_t length) {
    copy_elements<Bits>(run, stride, to, kSize, length);
    to += length * kSize;
  });
}

template <typename Bits>
void scatter_bits(const char* from, const LoopNest& nest, const LoopNest::Operand& to,
                  const Block& block) {
  constexpr int64_t kSize = sizeof(Bits);
  for_each_run(nest, to, block, [&](char* run, int64_t length) {
    copy_elements<Bits>(from, kSize, run, to.strides[0], length);
    from += length * kSize;
  });
}

}  // namespace

void copy_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t item_size,
              int64_t n) {
  visit_size(item_size, [&](auto zero) {
    copy_elements<decltype(zero)>(from, from_stride, to, to_stride, n);
  });
}

void gather(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to) {
  visit_size(from.item_size,
             [&](auto zero) { gather_bits<decltype(zero)>(nest, from, block, to); });
}

void scatter(const char* from, const LoopNest& nest, const LoopNest::Operand& to,
             const Block& block) {
  visit_size(to.item_size, [&](auto zero) { scatter_bits<decltype(zero)>(from, nest, to, block); });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "engines/turn.h"

#include "engines/copy_bytes.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Bits>
bool turn_bits(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to,
               int64_t to_step) {
  constexpr int64_t kSize = sizeof(Bits);
  const char* const first = address_of(nest, from, block);
  const uintptr_t places = reinterpret_cast<uintptr_t>(first) | reinterpret_cast<uintptr_t>(to) |
                           static_cast<uintptr_t>(to_step);
  if (places % kSize != 0) return false;
  const Columns<Bits> matrix = {reinterpret_cast<const Bits*>(first), from.strides[0] / kSize};
  const int64_t columns = nest.shape[0];
  transpose(matrix, block.count / columns, columns, reinterpret_cast<Bits*>(to), to_step / kSize);
  return true;
}

}  // namespace

bool lies_across(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block) {
  const int64_t run = nest.shape[0];
  return nest.rank > 1 && operand.strides[1] == operand.item_size && operand.strides[0] != 0 &&
         block.index[0] == 0 && block.count % run == 0 &&
         block.index[1] + block.count / run <= nest.shape[1];
}

bool turn(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to,
          int64_t to_step) {
  if (!lies_across(nest, from, block)) return false;
  switch (from.item_size) {
    case 1:
      return turn_bits<uint8_t>(nest, from, block, to, to_step);
    case 2:
      return turn_bits<uint16_t>(nest, from, block, to, to_step);
    case 4:
      return turn_bits<uint32_t>(nest, from, block, to, to_step);
    case 8:
      return turn_bits<uint64_t>(nest, from, block, to, to_step);
    default:
      return turn_bits<Bits128>(nest, from, block, to, to_step);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

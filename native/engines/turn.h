// SPDX-License-Identifier: Apache-2.0
// Blocks of a nest that one operand has in rows and another in columns.
#pragma once

#include <cstdint>

#include "engines/loop_nest.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether a block is made of whole runs, and the operand lies in memory across them.
bool lies_across(const LoopNest& nest, const LoopNest::Operand& operand, const Block& block);

// Makes rows of a block whose operand lies in memory across them; they begin `to_step` bytes apart.
// False, and nothing is done: it does not lie so or is not aligned.
bool turn(const LoopNest& nest, const LoopNest::Operand& from, const Block& block, char* to,
          int64_t to_step);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

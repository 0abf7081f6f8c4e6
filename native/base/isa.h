// SPDX-License-Identifier: Apache-2.0
// Which version of the kernels this processor runs; see Note [Instruction sets] in simd/isa.h.
#pragma once

namespace aclhost {

enum class Isa { kBaseline, kAvx2, kAvx512 };

// The best one that the processor has, or the one that ACLHOST_ISA names if it has that.
Isa current_isa();

}  // namespace aclhost

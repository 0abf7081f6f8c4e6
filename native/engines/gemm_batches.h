// SPDX-License-Identifier: Apache-2.0
// Note [Groups of batches]
// Where batches lie closer in memory than the elements of each, a product of one of them fetches
// the lines of all, and threads write to the same lines of the result. So as many as fill a few
// lines are brought into order together, and written together. Batches that are added up are always
// cut into such groups, of which each adds to the sum of those before: whether something is copied
// must not change bits.
#pragma once

#include "base/status.h"
#include "engines/gemm.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

bool wants_groups(const Gemm& product);

Status multiply_groups(const Gemm& product);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

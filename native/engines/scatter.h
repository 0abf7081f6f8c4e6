// SPDX-License-Identifier: Apache-2.0
// Note [Indexed writes]
// The elements of a dense tensor go to the places of an indexed walk (Note [Indexed walks]) and are
// combined with what is there. Elements that go to one place arrive in row-major order, whatever
// the threads: every place belongs to one of them. Elements whose index is out of range are left
// out.
#pragma once

#include "acl/acl_base.h"
#include "engines/index.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class Combine { kReplace, kAdd, kMultiply, kMaximum, kMinimum };

// Whether there is code for a type. Elements of 16 bits can only be replaced.
bool can_combine(aclDataType dtype, Combine how);

// Whether all indices were in range. The order counts where places of the table overlap.
bool scatter_indexed(IndexedWalk walk, bool in_order, aclDataType dtype, Combine how);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

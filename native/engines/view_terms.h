// SPDX-License-Identifier: Apache-2.0
// Views of tensors that a point-wise kernel takes as operands; the Python half is
// src/aclhost/spec/views.py.
#pragma once

#include "base/status.h"
#include "engines/overlap.h"
#include "operator/terms.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Elements that no strides can describe are copied, into memory that `found` keeps.
Status evaluate_view(const Frame& frame, int64_t term, CopiedView& found);

// Makes a view of any shape one that broadcasts along dimension 1 of tensors of the rank; a single
// element broadcasts along all.
Status along_channels(int rank, CopiedView& found);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

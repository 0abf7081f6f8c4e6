// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "engines/overlap.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Elements in row-major order: the tensor's own memory where it can be, else a copy.
struct DenseInput {
  const char* elements;
  CopiedView copied;
};

// The tensor as a dtype. `out` is what will be written while the elements are read.
Status read_dense(const TensorView& tensor, aclDataType dtype, const TensorView& out,
                  DenseInput& input);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

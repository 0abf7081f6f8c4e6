// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "engines/dense.h"
#include "engines/overlap.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Elements of a tensor in row-major order that stay what they are while an output is written in
// that order.
class DenseInput {
 public:
  Status take(const TensorView& tensor, aclDataType dtype, const TensorView& out);

  template <typename T>
  const T* as() const {
    return elements_.as<T>();
  }

 private:
  DenseArray elements_;
  CopiedView copied_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

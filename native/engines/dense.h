// SPDX-License-Identifier: Apache-2.0
// Small tensors as dense arrays of one type, whatever they were.
#pragma once

#include "base/scratch_memory.h"
#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Cast as aclnnCast does it; in row-major order. The elements stay where they are if they are that
// already.
class DenseArray {
 public:
  Status take(const TensorView& view, aclDataType dtype);

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  const char* data_ = nullptr;
  ScratchMemory<char> memory_;
};

// Dense results of one type, delivered in another: rounded to `rounded` first.
Status deliver(const void* results, aclDataType dtype, aclDataType rounded, const TensorView& out);

// A single result for every element of an output.
Status deliver_one(double result, aclDataType rounded, const TensorView& out);

Status no_memory_for_copy();

}  // namespace ACLHOST_ISA
}  // namespace aclhost

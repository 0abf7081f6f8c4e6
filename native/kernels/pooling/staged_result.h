// SPDX-License-Identifier: Apache-2.0
// A result as a kernel wants it: of another shape or dtype than the client's tensor, which gets the
// same elements in the same order.
#pragma once

#include <memory>

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class StagedResult {
 public:
  StagedResult(const TensorView& out, const Shape& shape, aclDataType dtype);

  // What to write; there is no memory behind it if prepare() fails.
  const TensorView& view() const { return view_; }
  Status prepare();
  // Once everything is written.
  Status deliver() const;

 private:
  const TensorView& out_;
  TensorView view_;
  bool staged_;
  std::unique_ptr<char[]> memory_;
};

// Whether the elements follow each other in row-major order.
bool is_dense(const TensorView& view);

// Memory of a kernel's own; null if there is none.
std::unique_ptr<char[]> allocate(int64_t bytes);
Status no_memory();

}  // namespace ACLHOST_ISA
}  // namespace aclhost

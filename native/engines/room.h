// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/layouts.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where elements are written one after the other: the tensor itself, or a dense copy of it that is
// put back.
class Room {
 public:
  explicit Room(const TensorView& view) : view_(view) {}

  // To be called before a result gets its shape.
  Status prepare() { return is_contiguous(view_) ? Status{} : copy_of(view_, dense_); }
  Status deliver() const { return dense_.memory ? copy(view_, dense_.view) : Status{}; }
  char* data() const {
    if (dense_.memory) return dense_.memory.get();
    return static_cast<char*>(view_.data) + view_.offset * (data_type_bits(view_.dtype) / 8);
  }

 private:
  const TensorView view_;
  CopiedView dense_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

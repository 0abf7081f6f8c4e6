// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/copy.h"
#include "engines/dense_target.h"
#include "engines/overlap.h"
#include "operator/layouts.h"
#include "operator/sized_results.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Where the elements of a result sized by data are written one after the other: the tensor itself,
// or a dense copy of it that is put back.
class SizedTarget {
 public:
  explicit SizedTarget(const SizedResult& result) : result_(result), whole_(result.view()) {}

  // Gives the result its shape.
  Status prepare(const char* op, const char* parameter, const Shape& shape) {
    is_corner_ = result_.is_corner(shape);
    const Status status = is_contiguous(whole_) ? Status{} : copy_of(whole_, dense_);
    return status.ok() ? result_.set_shape(op, parameter, shape) : status;
  }

  char* data() const { return dense_.memory ? dense_.memory.get() : start_of(whole_); }

  // Puts the elements where they belong.
  Status deliver() const {
    if (!dense_.memory) return {};
    if (!is_corner_) return copy(whole_, dense_.view);
    TensorView written = row_major_view(shape_of(result_.view()), whole_.dtype);
    written.data = dense_.memory.get();
    return copy(result_.view(), written);
  }

 private:
  const SizedResult& result_;
  const TensorView whole_;
  CopiedView dense_;
  bool is_corner_ = false;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

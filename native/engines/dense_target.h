// SPDX-License-Identifier: Apache-2.0
// Where results are written one after the other: the tensor itself, or dense memory of its own.
#pragma once

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/layouts.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The first element of a dense tensor.
inline char* start_of(const TensorView& dense) {
  return static_cast<char*>(dense.data) + dense.offset * (data_type_bits(dense.dtype) / 8);
}

class DenseTarget {
 public:
  // Keeps a description of the tensor.
  Status prepare(const TensorView& view) {
    view_ = made_.view = view;
    return is_contiguous(view) ? Status{} : make_dense(shape_of(view), view.dtype, made_);
  }
  // The same where not all elements are going to be written.
  Status prepare_with_contents(const TensorView& view) {
    view_ = made_.view = view;
    return is_contiguous(view) ? Status{} : copy_of(view, made_);
  }

  char* data() const { return start_of(made_.view); }

  // Puts the results where they belong.
  Status deliver() const { return made_.memory ? copy(view_, made_.view) : Status{}; }

 private:
  TensorView view_;
  CopiedView made_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

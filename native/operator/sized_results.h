// SPDX-License-Identifier: Apache-2.0
// Note [Results sized by data]
// How long some results are only the data tell. Their tensors are as large as the result may get.
// The kernel sets the shape that the result has and writes its elements as the first ones of the
// tensor, in row-major order; of a tensor with gaps, as the corner that has this shape, so that the
// strides of the tensor still tell where they are. As upstream's, phase 2 waits for such a kernel
// and gives the shape to the tensor itself, where aclGetViewShape finds it. An executor that is run
// again starts from the shape of phase 1.
#pragma once

#include <initializer_list>

#include "base/status.h"
#include "operator/views.h"

namespace aclhost {

class SizedResult {
 public:
  // A launch owns its views; the shape of this one is all that a kernel may change of them.
  explicit SizedResult(const TensorView& view) : view_(const_cast<TensorView&>(view)) {}

  const TensorView& view() const { return view_; }

  // Whether a result of this shape is a corner of the tensor rather than its first elements.
  bool is_corner(const Shape& shape) const;

  // To be called once, before anything is written. Fails where the tensor has not enough elements.
  Status set_shape(const char* op, const char* parameter, const Shape& shape) const;
  Status set_shape(const char* op, const char* parameter,
                   std::initializer_list<int64_t> lengths) const;

 private:
  TensorView& view_;
};

// What a launch reports that was given a tensor with fewer elements than the data ask for.
Status too_few_elements(const char* op, const char* parameter, const TensorView& view,
                        int64_t wanted);

// Gives the shape that a kernel has set to the tensor that the view was copied from, if it lives.
void refresh_tensor(const TensorView& view);

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "kernels/creation/in_order.h"

#include "dtypes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

OrderedRuns::OrderedRuns(const TensorView& view)
    : item_size_(data_type_bits(view.dtype) / 8), total_(view.elements()), stride_(item_size_) {
  start_ = static_cast<char*>(view.data) + view.offset * item_size_;
  for (int i = view.rank - 1; i >= 0; --i) {
    const int64_t length = view.shape[i], stride = view.strides[i] * item_size_;
    if (length == 1) continue;
    if (stride == 0) overlap_ = true;
    if (length_ == 1) {
      length_ = length;
      stride_ = stride;
    } else if (rank_ == 0 && stride == stride_ * length_) {
      length_ *= length;
    } else {
      shape_[rank_] = length;
      strides_[rank_++] = stride;
    }
  }
}

void OrderedRuns::put(const char* elements, int64_t place, int64_t count) const {
  char* to = start_ + place % length_ * stride_;
  int64_t run = place / length_;
  for (int i = 0; i < rank_; ++i) {
    to += run % shape_[i] * strides_[i];
    run /= shape_[i];
  }
  copy_run(elements, item_size_, to, stride_, item_size_, count);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "engines/in_order.h"

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

char* OrderedRuns::address_of(int64_t place) const {
  char* address = start_ + place % length_ * stride_;
  int64_t run = place / length_;
  for (int i = 0; i < rank_; ++i) {
    address += run % shape_[i] * strides_[i];
    run /= shape_[i];
  }
  return address;
}

void OrderedRuns::put(const char* elements, int64_t place, int64_t count) const {
  for (int64_t done = 0, taken; done < count; done += taken) {
    taken = std::min(count - done, length_ - (place + done) % length_);
    copy_run(elements + done * item_size_, item_size_, address_of(place + done), stride_,
             item_size_, taken);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

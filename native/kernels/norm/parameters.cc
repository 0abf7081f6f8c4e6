// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/parameters.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engines/copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status RowParameter::take(const TensorView& view, float otherwise, int64_t n, double offset) {
  if (view.present) {
    const Status status = given_.take(view, ACL_FLOAT);
    values_ = given_.as<float>();
    if (!status.ok() || offset == 0) return status;
  }
  own_.reset(new (std::nothrow) float[n + 1]);
  if (own_ == nullptr) return no_memory_for_copy();
  if (view.present) {
    std::transform(values_, values_ + n, own_.get(),
                   [=](float value) { return static_cast<float>(value + offset); });
  } else {
    std::fill_n(own_.get(), n, otherwise);
  }
  values_ = own_.get();
  return {};
}

Status fill_with(double number, const TensorView& out) {
  if (!out.present) return {};
  ScalarValue value;
  value.present = true;
  value.dtype = ACL_DOUBLE;
  std::memcpy(value.bytes, &number, sizeof number);
  return fill(out, value);
}

Status RowStatistics::make(int64_t rows) {
  means.reset(new (std::nothrow) float[rows + 1]);
  rstds.reset(new (std::nothrow) float[rows + 1]);
  return means == nullptr || rstds == nullptr ? no_memory_for_copy() : Status{};
}

Status RowStatistics::deliver_means(const TensorView& out) const {
  return out.present ? deliver(means.get(), ACL_FLOAT, ACL_FLOAT, out) : Status{};
}

Status RowStatistics::deliver_rstds(const TensorView& out) const {
  return out.present ? deliver(rstds.get(), ACL_FLOAT, ACL_FLOAT, out) : Status{};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

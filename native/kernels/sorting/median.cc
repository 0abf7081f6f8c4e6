// SPDX-License-Identifier: Apache-2.0
#include "ops/median.h"

#include <cmath>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/scalars.h"
#include "kernels/sorting/rows.h"
#include "ops/median_dim.h"
#include "ops/nan_median.h"
#include "ops/nan_median_dim.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The median of nothing.
double no_median(aclDataType dtype) {
  if (dtype == ACL_INT64) return -0x1p63;
  if (dtype == ACL_INT32) return -0x1p31;
  return data_type_category(dtype) == TypeCategory::kFloating ? std::nan("") : 0.0;
}

SortedPart median_from(PartStart start) {
  SortedPart part = {};
  part.start = start;
  part.count = 1;
  return part;
}

Status median_of_all(const TensorView& self, PartStart start, const TensorView& out) {
  if (self.empty()) return fill(out, double_value(no_median(self.dtype)));
  DenseArray read;
  WrittenRows value;
  Status status = read.take(self, self.dtype);
  if (status.ok()) status = value.take(out, self.dtype);
  SortedPart part = median_from(start);
  part.dtype = self.dtype;
  part.length = self.elements();
  if (status.ok()) status = sort_rows(part, 1, read.as<char>(), value.data(), nullptr);
  return status.ok() ? value.give() : status;
}

}  // namespace

Status run(const MedianArgs& args) {
  return median_of_all(args.self, PartStart::kMedian, args.valuesOut);
}

Status run(const NanMedianArgs& args) {
  return median_of_all(args.self, PartStart::kMedianOfNumbers, args.out);
}

Status run(const MedianDimArgs& args) {
  return sort_along(args.self, args.dim, median_from(PartStart::kMedian), &args.valuesOut,
                    &args.indicesOut);
}

Status run(const NanMedianDimArgs& args) {
  return sort_along(args.self, args.dim, median_from(PartStart::kMedianOfNumbers), &args.valuesOut,
                    &args.indicesOut);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "kernels/sorting/rows.h"
#include "ops/argsort.h"
#include "ops/kthvalue.h"
#include "ops/sort.h"
#include "ops/topk.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

int64_t length_along(const TensorView& self, int64_t dim) {
  return self.rank > 0 ? self.shape[row_axis(dim, self)] : 1;
}

SortedPart places(bool descending, int64_t first, int64_t count) {
  SortedPart part = {};
  part.descending = descending;
  part.first = first;
  part.count = count;
  return part;
}

}  // namespace

Status run(const SortArgs& args) {
  const SortedPart all = places(args.descending, 0, length_along(args.self, args.dim));
  return sort_along(args.self, args.dim, all, &args.valuesOut, &args.indicesOut);
}

Status run(const ArgsortArgs& args) {
  const SortedPart all = places(args.descending, 0, length_along(args.self, args.dim));
  return sort_along(args.self, args.dim, all, nullptr, &args.out);
}

Status run(const TopkArgs& args) {
  return sort_along(args.self, args.dim, places(args.largest, 0, args.k), &args.valuesOut,
                    &args.indicesOut);
}

Status run(const KthvalueArgs& args) {
  return sort_along(args.self, args.dim, places(false, args.k - 1, 1), &args.valuesOut,
                    &args.indicesOut);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

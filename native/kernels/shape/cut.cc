// SPDX-License-Identifier: Apache-2.0
#include "engines/copy.h"
#include "kernels/shape/views.h"
#include "operator/slices.h"
#include "ops/slice.h"
#include "ops/slice_v2.h"
#include "ops/split_tensor.h"
#include "ops/split_with_size.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void cut(TensorView& view, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const int axis = axis_of(dim, view.rank);
  const Slice slice = slice_of(view.shape[axis], start, end, step);
  narrow(view, axis, slice.first, slice.count, slice.count > 1 ? step : 1);
}

// Parts of a tensor, one after the other along an axis.
class Parts {
 public:
  Parts(const TensorView& self, int64_t dim) : self_(self), axis_(axis_of(dim, self.rank)) {}

  int64_t length() const { return self_.shape[axis_]; }
  // The next one, as far as there is one.
  Status take(int64_t count, const TensorView& to) {
    count = std::min(count, length() - first_);
    if (count <= 0) return {};
    TensorView part = self_;
    narrow(part, axis_, first_, count);
    first_ += count;
    return copy(to, part);
  }

 private:
  const TensorView& self_;
  int axis_;
  int64_t first_ = 0;
};

}  // namespace

Status run(const SliceArgs& args) {
  TensorView part = args.self;
  cut(part, args.dim, args.start, args.end, args.step);
  return copy(args.out, part);
}

Status run(const SliceV2Args& args) {
  TensorView part = args.self;
  for (uint64_t i = 0; i < args.axes.size; ++i) {
    cut(part, args.axes.at(i), args.starts.at(i), args.ends.at(i), args.steps.at(i));
  }
  return copy(args.out, part);
}

Status run(const SplitWithSizeArgs& args) {
  Status status;
  Parts parts(args.self, args.dim);
  for (uint64_t i = 0; i < args.splitSize.size && status.ok(); ++i) {
    status = parts.take(args.splitSize.at(i), args.out.values[i]);
  }
  return status;
}

Status run(const SplitTensorArgs& args) {
  Status status;
  if (args.out.size == 0) return status;
  Parts parts(args.self, args.dim);
  for (const TensorView& part : args.out) {
    if (status.ok()) status = parts.take(args.splitSections, part);
  }
  return status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// The terms about dimensions that arrays name.
#include <algorithm>

#include "operator/terms.h"

namespace aclhost {
namespace {

// The dimension counted from 0, or -1 where there is none. A tensor without dimensions counts as
// one with a single dimension.
int axis_of(int64_t dim, int rank) {
  rank = std::max(rank, 1);
  if (dim < -rank || dim >= rank) return -1;
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

Shape without(const TensorView& view, uint32_t axes, bool keep) {
  Shape shape;
  for (int i = 0; i < view.rank; ++i) {
    if ((axes >> i & 1) == 0) {
      shape.dims[shape.rank++] = view.shape[i];
    } else if (keep) {
      shape.dims[shape.rank++] = 1;
    }
  }
  return shape;
}

}  // namespace

Shape reduced_shape(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  uint32_t axes = 0;
  const auto add = [&](int64_t dim) {
    const int axis = axis_of(dim, view.rank);
    if (axis >= 0) axes |= 1u << axis;
  };
  if (static_cast<TermKind>(code[0]) == TermKind::kReducedAxis) {
    add(evaluate(frame, code[2]));
  } else {
    const IntArrayView dims = frame.args.int_array(static_cast<int>(code[2]));
    std::for_each(dims.begin(), dims.end(), add);
    if (dims.size == 0) axes = ~0u;
  }
  return without(view, axes, evaluate(frame, code[3]) != 0);
}

bool axes_positive(const Frame& frame, const TermCode* code) {
  const TensorView& view = frame.view(code[1]);
  const IntArrayView dims = frame.args.int_array(static_cast<int>(code[2]));
  return std::all_of(dims.begin(), dims.end(), [&](int64_t dim) {
    const int axis = axis_of(dim, view.rank);
    return axis < 0 || axis >= view.rank || view.shape[axis] > 0;
  });
}

}  // namespace aclhost

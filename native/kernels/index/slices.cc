// SPDX-License-Identifier: Apache-2.0
// Slices that an index names, one by one.
#include <cstring>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/scalars.h"
#include "engines/scatter_actions.h"
#include "kernels/creation/element.h"
#include "kernels/index/index.h"
#include "kernels/index/scatter.h"
#include "ops/index_add.h"
#include "ops/index_add_v2.h"
#include "ops/index_copy.h"
#include "ops/index_fill.h"
#include "ops/index_fill_tensor.h"
#include "ops/inplace_index_copy.h"
#include "ops/inplace_index_fill.h"
#include "ops/inplace_index_fill_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
Status copy_slices(const Args& args, const TensorView& out) {
  return scatter_along({args.kOperator, &args.selfRef, args.dim, &args.index, &args.source, &out});
}

// Neither the order of the indices counts nor, then, their shape.
Status fill_slices(const char* op, const TensorView& self, int64_t dim, const TensorView& index,
                   const ScalarValue& element, const TensorView& out) {
  CopiedView dense;
  const Status copied = copy_of(index, dense);
  if (!copied.ok()) return copied;
  TensorView& places = dense.view;
  places.rank = 1;
  places.shape[0] = index.elements();
  places.strides[0] = 1;
  const TensorView source = repeated(element, with_dimension(out));
  Scattering s = {op, &self, dim, &places, &source, &out};
  s.wraps = true;
  s.skips = true;
  return scatter_along(s);
}

// The value goes through float.
template <typename Args>
Status fill_at(const Args& args, const TensorView& self, const TensorView& out) {
  Shape shape;
  shape.rank = 1;
  shape.dims[0] = static_cast<int64_t>(args.index.size);
  TensorView index = row_major_view(shape, ACL_INT64);
  index.data = const_cast<int64_t*>(args.index.values);
  const float number = args.value.to_float();
  ScalarValue value;
  value.present = true;
  value.dtype = ACL_FLOAT;
  std::memcpy(value.bytes, &number, sizeof number);
  return fill_slices(args.kOperator, self, args.dim, index, as_element(value, self.dtype), out);
}

bool is_one(const ScalarValue& element) {
  ScalarValue one;
  one.dtype = ACL_BOOL;
  one.bytes[0] = 1;
  return std::memcmp(as_element(one, element.dtype).bytes, element.bytes, sizeof one.bytes) == 0;
}

// alpha times a tensor, in the type that sums are made in.
Status scale(const TensorView& source, const ScalarValue& factor, CopiedView& result) {
  Status status = make_dense(shape_of(source), factor.dtype, result);
  if (status.ok()) status = copy(result.view, source);
  if (!status.ok()) return status;
  scattering(factor.dtype, Combine::kMultiply)
      .row(reinterpret_cast<const char*>(factor.bytes), 0, static_cast<char*>(result.view.data),
           data_type_bits(factor.dtype) / 8, source.elements());
  return {};
}

template <typename Args>
Status add_slices(const Args& args, bool scales) {
  const ScalarValue alpha = as_element(args.alpha, loop_type(args.source.dtype));
  CopiedView scaled;
  const TensorView* source = &args.source;
  if (scales && !is_one(alpha)) {
    const Status status = scale(args.source, alpha, scaled);
    if (!status.ok()) return status;
    source = &scaled.view;
  }
  Scattering s = {args.kOperator, &args.self, args.dim, &args.index, source, &args.out};
  s.how = Combine::kAdd;
  return scatter_along(s);
}

}  // namespace

Status run(const IndexCopyArgs& args) { return copy_slices(args, args.outRef); }

Status run(const InplaceIndexCopyArgs& args) { return copy_slices(args, args.selfRef); }

Status run(const IndexFillArgs& args) {
  return fill_slices(args.kOperator, args.self, args.dim, args.index,
                     as_element(args.value, args.self.dtype), args.out);
}

Status run(const InplaceIndexFillArgs& args) {
  return fill_slices(args.kOperator, args.selfRef, args.dim, args.index,
                     as_element(args.value, args.selfRef.dtype), args.selfRef);
}

Status run(const IndexFillTensorArgs& args) { return fill_at(args, args.self, args.out); }

Status run(const InplaceIndexFillTensorArgs& args) {
  return fill_at(args, args.selfRef, args.selfRef);
}

Status run(const IndexAddArgs& args) { return add_slices(args, true); }

Status run(const IndexAddV2Args& args) { return add_slices(args, args.mode != 0); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

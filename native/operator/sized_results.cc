// SPDX-License-Identifier: Apache-2.0
#include "operator/sized_results.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "operator/layouts.h"
#include "operator/objects.h"

namespace aclhost {

Status too_few_elements(const char* op, const char* parameter, const TensorView& view,
                        int64_t wanted) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = parameter;
  failure.rule = "enough_elements";
  failure.message = std::string(op) + ": " + parameter + " is too small; got shape " +
                    shape_text(view) + ", but the data ask for " + std::to_string(wanted) +
                    " elements. Create it for as many elements as there may be.";
  return Status::failed(std::move(failure));
}

Status SizedResult::set_shape(const char* op, const char* parameter,
                              std::initializer_list<int64_t> lengths) const {
  Shape shape;
  shape.rank = static_cast<int>(lengths.size());
  std::copy(lengths.begin(), lengths.end(), shape.dims);
  return set_shape(op, parameter, shape);
}

bool SizedResult::is_corner(const Shape& shape) const {
  if (is_contiguous(view_) || view_.rank != shape.rank) return false;
  return std::equal(shape.dims, shape.dims + shape.rank, view_.shape, std::less_equal<>());
}

Status SizedResult::set_shape(const char* op, const char* parameter, const Shape& shape) const {
  const TensorView dense = row_major_view(shape, view_.dtype);
  const int64_t wanted = dense.storage_elements;
  if (wanted > view_.elements()) return too_few_elements(op, parameter, view_, wanted);
  if (!is_corner(shape)) std::copy_n(dense.strides, shape.rank, view_.strides);
  std::copy_n(shape.dims, shape.rank, view_.shape);
  view_.rank = shape.rank;
  return {};
}

void refresh_tensor(const TensorView& view) {
  const TensorRegistry::Ref tensor = tensors().find(view.source);
  if (!tensor) return;
  std::copy_n(view.shape, view.rank, tensor->view.shape);
  std::copy_n(view.strides, view.rank, tensor->view.strides);
  tensor->view.rank = view.rank;
  if (!is_contiguous(view)) return;  // the storage is as large as before
  tensor->view.storage_elements = view.elements();
  tensor->storage_shape.assign(view.shape, view.shape + view.rank);
}

}  // namespace aclhost

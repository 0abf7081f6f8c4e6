// SPDX-License-Identifier: Apache-2.0
#include "operator/index_error.h"

#include <string>
#include <utility>

#include "acl/acl.h"
#include "operator/layouts.h"

namespace aclhost {

namespace {

Shape coordinates(const TensorView& view, int64_t position) {
  Shape at;
  at.rank = view.rank;
  for (int i = view.rank - 1; i >= 0; --i) {
    at.dims[i] = position % view.shape[i];
    position /= view.shape[i];
  }
  return at;
}

}  // namespace

Status index_out_of_range(const char* op, const TensorView& indices, int64_t position,
                          int64_t value, int64_t limit) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = "indices";
  failure.rule = "index_in_range";
  failure.message = std::string(op) + ": indices must hold values from 0 to " +
                    std::to_string(limit - 1) + "; got " + std::to_string(value) + " at position " +
                    std::to_string(position) + ", indices" +
                    shape_text(coordinates(indices, position)) +
                    ". Pass the indices of the pooling that belongs to these tensors; elements "
                    "with an index out of range were skipped.";
  return Status::failed(std::move(failure));
}

}  // namespace aclhost

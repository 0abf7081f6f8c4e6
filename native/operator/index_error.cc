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

Status out_of_range(const char* op, const std::string& parameter, const TensorView& indices,
                    const BadIndex& bad, int64_t limit, const char* advice, int64_t least = 0) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = parameter;
  failure.rule = "index_in_range";
  failure.message = std::string(op) + ": " + parameter + " must hold values from " +
                    std::to_string(least) + " to " + std::to_string(limit - 1) + "; got " +
                    std::to_string(bad.value) + " at position " + std::to_string(bad.position) +
                    ", " + parameter + shape_text(coordinates(indices, bad.position)) + ". " +
                    advice;
  return Status::failed(std::move(failure));
}

}  // namespace

Status index_out_of_range(const char* op, const TensorView& indices, int64_t position,
                          int64_t value, int64_t limit) {
  return out_of_range(op, "indices", indices, {position, value}, limit,
                      "Pass the indices of the pooling that belongs to these tensors; elements "
                      "with an index out of range were skipped.");
}

Status class_out_of_range(const char* op, const char* parameter, const TensorView& classes,
                          const BadIndex& bad, int64_t limit) {
  return out_of_range(op, parameter, classes, bad, limit,
                      "Pass classes that the input has; others were skipped.");
}

Status place_out_of_range(const char* op, const char* parameter, const TensorView& places,
                          const BadIndex& bad, int64_t limit) {
  return out_of_range(op, parameter, places, bad, limit,
                      "Pass places that the result has; others were skipped.");
}

Status repeats_out_of_range(const char* op, const TensorView& repeats, const BadIndex& bad,
                            int64_t limit) {
  return out_of_range(op, "repeats", repeats, bad, limit,
                      "Pass numbers that add up to the length of the result; what goes beyond it "
                      "was left out.");
}

Status axis_index_out_of_range(const char* op, const char* parameter, const TensorView& indices,
                               const BadIndex& bad, int64_t limit, bool wraps) {
  return out_of_range(op, parameter, indices, bad, limit,
                      "Pass places that the dimension has; others were skipped.",
                      wraps ? -limit : 0);
}

Status wrong_selection(const char* op, const char* parameter, const TensorView& view,
                       const Shape& selected) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = parameter;
  failure.rule = "selection_fits";
  failure.message = std::string(op) + ": " + parameter + " must fit what indices select, " +
                    shape_text(selected) + "; got " + shape_text(view) +
                    ". Count what is true in the masks.";
  return Status::failed(std::move(failure));
}

}  // namespace aclhost

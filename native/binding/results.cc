// SPDX-License-Identifier: Apache-2.0
// Results as arrays of the caller's kind.
#include "binding/array.h"
#include "binding/foreign.h"
#include "binding/numpy.h"
#include "binding/torch.h"

namespace aclhost::python {
namespace nb = nanobind;

nb::object empty_result(const Array& like, const TensorView& wanted) {
  return like.kind == ArrayKind::kTorch ? empty_torch(foreign_type(like.object), wanted)
                                        : empty_numpy(wanted);
}

nb::object finish_result(const Array& like, nb::object result) {
  if (like.kind == ArrayKind::kJax) {
    return nb::module_::import_("jax.numpy").attr("asarray")(result);
  }
  if (like.kind == ArrayKind::kDlpack && nb::hasattr(like.object, "__array_namespace__")) {
    return like.object.attr("__array_namespace__")().attr("from_dlpack")(result);
  }
  return result;
}

void announce_change(const Array& array) {
  if (array.kind == ArrayKind::kTorch) count_change_of_torch(array.object);
}

void import_array_libraries() { import_numpy(); }

}  // namespace aclhost::python

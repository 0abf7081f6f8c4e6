// SPDX-License-Identifier: Apache-2.0
// Results as arrays of the caller's kind.
#include "binding/array.h"
#include "binding/element_types.h"
#include "binding/foreign.h"
#include "binding/numpy.h"
#include "binding/raise.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

nb::object empty_torch(aclDataType dtype, int rank, const int64_t* shape) {
  const ElementType* type = find_element_type(dtype);
  nb::module_ torch = nb::module_::import_("torch");
  nb::object torch_type = type ? nb::getattr(torch, type->name, nb::none()) : nb::none();
  if (torch_type.is_none()) {
    raise(PyExc_TypeError, "torch has no type for the result's data type %d", int{dtype});
  }
  nb::list sizes;
  for (int i = 0; i < rank; ++i) sizes.append(shape[i]);
  // The device is named because torch.set_default_device changes the default.
  return torch.attr("empty")(sizes, nb::arg("dtype") = torch_type, nb::arg("device") = "cpu");
}

}  // namespace

nb::object empty_result(const Array& like, aclDataType dtype, int rank, const int64_t* shape) {
  return like.kind() == ArrayKind::kTorch ? empty_torch(dtype, rank, shape)
                                          : empty_numpy(dtype, rank, shape);
}

nb::object finish_result(const Array& like, nb::object result) {
  if (like.kind() == ArrayKind::kJax) {
    return nb::module_::import_("jax.numpy").attr("asarray")(result);
  }
  if (like.kind() == ArrayKind::kDlpack && nb::hasattr(like.object(), "__array_namespace__")) {
    return like.object().attr("__array_namespace__")().attr("from_dlpack")(result);
  }
  return result;
}

// Without it, torch would compute gradients from values that are no longer there.
void announce_change(nb::handle object) {
  if (is_numpy_array(object.ptr()) || foreign_type(object).kind != ArrayKind::kTorch) return;
  nb::module_::import_("torch.autograd.graph").attr("increment_version")(object);
}

void import_array_libraries() { import_numpy(); }

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// Results as arrays of the caller's kind.
#include <algorithm>

#include "aclnn/opdev/op_errno.h"
#include "binding/array.h"
#include "binding/foreign.h"
#include "binding/invocation.h"
#include "binding/numpy.h"
#include "binding/raise.h"
#include "binding/torch.h"
#include "dtypes.h"
#include "operator/layouts.h"

namespace aclhost::python {
namespace nb = nanobind;

namespace {

[[noreturn]] void no_memory_for(const TensorView& wanted) {
  raise(PyExc_MemoryError, "out: there is no memory for a result of shape %s",
        shape_text(wanted).c_str());
}

// What NumPy and torch would refuse, each with words of its own.
void check_result(const TensorView& wanted) {
  if (wanted.dtype == ACL_DT_UNDEFINED) {
    raise(PyExc_TypeError, "out: no argument tells the data type of the result; pass out");
  }
  __int128 bytes = data_type_bits(wanted.dtype);
  for (int i = 0; i < wanted.rank; ++i) {
    if (wanted.shape[i] < 0) {
      raise_aclnn({ACLNN_ERR_PARAM_INVALID, "out", "result_shape",
                   "out: the result would have the shape " + shape_text(wanted) +
                       ", with less than nothing in a dimension. Pass lengths of 0 or more, and "
                       "windows that are not larger than the input with its padding."});
    }
    bytes = wanted.empty() ? 0 : bytes * wanted.shape[i];
    if (bytes / 8 > PTRDIFF_MAX) no_memory_for(wanted);
  }
}

}  // namespace

nb::object empty_result(const Array& like, const TensorView& wanted) {
  check_result(wanted);
  try {
    return like.kind == ArrayKind::kTorch ? empty_torch(foreign_type(like.object), wanted)
                                          : empty_numpy(wanted);
  } catch (nb::python_error& error) {
    const bool torch = like.kind == ArrayKind::kTorch;
    // Torch has no exception of its own for this.
    if (!error.matches(torch ? PyExc_RuntimeError : PyExc_MemoryError)) throw;
    no_memory_for(wanted);
  }
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

namespace {

nb::object corner(const nb::object& array, const TensorView& view) {
  nb::list parts;
  for (int i = 0; i < view.rank; ++i) {
    parts.append(nb::slice(nb::none(), nb::int_(view.shape[i]), nb::none()));
  }
  return array[nb::tuple(parts)];
}

}  // namespace

nb::object sized_result(nb::object array, const TensorView& view, bool is_new) {
  if (!nb::hasattr(array, "reshape")) array = nb::module_::import_("numpy").attr("asarray")(array);
  const TensorView dense = row_major_view(shape_of(view), view.dtype);
  if (!std::equal(view.strides, view.strides + view.rank, dense.strides))
    return corner(array, view);
  const nb::object flat = array.attr("reshape")(-1);
  const int64_t count = view.elements();
  nb::object first = flat[nb::slice(nb::none(), nb::int_(count), nb::none())];
  if (is_new && static_cast<int64_t>(nb::len(flat)) > 2 * count) {
    first = first.attr(nb::hasattr(first, "clone") ? "clone" : "copy")();
  }
  nb::list lengths;
  for (int i = 0; i < view.rank; ++i) lengths.append(view.shape[i]);
  return first.attr("reshape")(nb::tuple(lengths));
}

void announce_change(const Array& array) {
  if (array.kind == ArrayKind::kTorch) count_change_of_torch(array.object);
}

void import_array_libraries() { import_numpy(); }

}  // namespace aclhost::python

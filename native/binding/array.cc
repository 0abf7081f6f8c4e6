// SPDX-License-Identifier: Apache-2.0
#include "binding/array.h"

#include <cstring>
#include <utility>

#include "binding/element_types.h"
#include "binding/foreign.h"
#include "binding/layout.h"
#include "binding/numpy.h"
#include "binding/raise.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

// The buffer protocol describes an element by a character of the struct module.
uint8_t code_of_format(const char* format) {
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == 'Z' && (format[1] == 'f' || format[1] == 'd') && !format[2]) {
    return dlpack::kComplex;
  }
  if (format[0] == '\0' || format[1] != '\0') return kNoCode;
  if (format[0] == '?') return dlpack::kBool;
  if (std::strchr("efd", format[0])) return dlpack::kFloat;
  if (std::strchr("bhilqn", format[0])) return dlpack::kInt;
  if (std::strchr("BHILQN", format[0])) return dlpack::kUInt;
  return kNoCode;
}

void view_buffer(const Py_buffer& buffer, const char* parameter, TensorView* view) {
  const char* format = buffer.format ? buffer.format : "B";
  const ElementType* type = find_element_type(code_of_format(format), buffer.itemsize);
  if (!type) {
    raise(PyExc_TypeError, "%s: the operators know no type like the buffer format '%s'", parameter,
          format);
  }
  if (buffer.suboffsets) {
    raise(PyExc_ValueError, "%s: a buffer of pointers cannot be read; pass a copy", parameter);
  }
  check_rank(buffer.ndim, parameter);
  view->dtype = type->dtype;
  view->rank = buffer.ndim;
  Reach reach;
  for (int i = 0; i < view->rank; ++i) {
    const int64_t size = view->shape[i] = buffer.shape[i];
    view->strides[i] = stride_in_elements(buffer.strides[i], size, type->size, parameter);
    reach.add(size, view->strides[i]);
  }
  place_view(*view, reach, buffer.buf, type->size);
}

[[noreturn]] void raise_no_array(nb::handle object, const char* parameter) {
  raise(PyExc_TypeError,
        "%s: expected an array (NumPy, torch, JAX, or anything with DLPack or the buffer "
        "protocol), got %s",
        parameter, Py_TYPE(object.ptr())->tp_name);
}

}  // namespace

bool Array::look_at_other(const char* parameter, TensorView* view) {
  if (is_numpy_scalar(object.ptr())) {
    kind = ArrayKind::kNumpy;
    keeper = numpy_from_scalar(object.ptr());
    view_if_numpy(keeper.ptr(), parameter, view);
    return false;
  }
  if (const ForeignType type = foreign_type(object); type.exports_dlpack) {
    kind = type.kind;
    return view_dlpack(object, type, parameter, view, &keeper);
  }
  if (!PyObject_CheckBuffer(object.ptr())) raise_no_array(object, parameter);
  kind = ArrayKind::kBuffer;
  keeper = nb::steal(PyMemoryView_FromObject(object.ptr()));
  if (!keeper) throw nb::python_error();
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(keeper.ptr());
  view_buffer(buffer, parameter, view);
  return !buffer.readonly;
}

void Array::raise_read_only(const char* parameter) {
  raise(PyExc_ValueError, "%s: the array is read-only, and the operator writes to it", parameter);
}

}  // namespace aclhost::python

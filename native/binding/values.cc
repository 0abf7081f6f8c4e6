// SPDX-License-Identifier: Apache-2.0
#include "binding/values.h"

#include <cstring>

#include "binding/array.h"
#include "binding/element_types.h"
#include "binding/raise.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

template <typename T>
ScalarValue make_scalar(aclDataType dtype, const T& value) {
  static_assert(sizeof value <= sizeof(ScalarValue::bytes), "every scalar fits");
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = dtype;
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

ScalarValue scalar_from_int(nb::handle object, const char* parameter) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return make_scalar<int64_t>(ACL_INT64, value);
  const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_OverflowError, "%s: %S fits no 64-bit integer", parameter, object.ptr());
  }
  return make_scalar<uint64_t>(ACL_UINT64, large);
}

ScalarValue scalar_from_array(nb::handle object, const char* parameter) {
  const Array array(object, parameter, Access::kRead);
  const TensorView& view = array.view();
  if (view.rank != 0) {
    raise(PyExc_ValueError, "%s: expected a number, got an array of %d dimensions", parameter,
          view.rank);
  }
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = view.dtype;
  std::memcpy(scalar.bytes, view.data, find_element_type(view.dtype)->size);
  return scalar;
}

bool looks_like_array(nb::handle object) {
  return nb::hasattr(object, "__dlpack__") || PyObject_CheckBuffer(object.ptr()) ||
         nb::hasattr(object, "__array_interface__");
}

int64_t to_int64(nb::handle object, const char* parameter) {
  nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  if (!integer) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a sequence of integers, got an element of type %s",
          parameter, Py_TYPE(object.ptr())->tp_name);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0) {
    raise(PyExc_OverflowError, "%s: %S fits no 64-bit integer", parameter, integer.ptr());
  }
  return value;
}

}  // namespace

ScalarValue scalar_from_python(nb::handle object, const char* parameter) {
  PyObject* value = object.ptr();
  if (PyFloat_Check(value)) return make_scalar(ACL_DOUBLE, PyFloat_AS_DOUBLE(value));
  if (PyBool_Check(value)) return make_scalar(ACL_BOOL, value == Py_True);
  if (PyLong_Check(value)) return scalar_from_int(object, parameter);
  if (PyComplex_Check(value)) return make_scalar(ACL_COMPLEX128, PyComplex_AsCComplex(value));
  if (value == Py_None) return {};
  if (looks_like_array(object)) return scalar_from_array(object, parameter);
  raise(PyExc_TypeError, "%s: expected a number, got %s", parameter, Py_TYPE(value)->tp_name);
}

IntArrayView int_array_from_python(nb::handle object, const char* parameter) {
  IntArrayView view;
  if (object.is_none()) return view;
  // A copy: elements run Python code, which may change the caller's list.
  nb::object sequence = nb::steal(PySequence_Tuple(object.ptr()));
  if (!sequence) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a sequence of integers, got %s", parameter,
          Py_TYPE(object.ptr())->tp_name);
  }
  view.present = true;
  view.size = static_cast<uint64_t>(PyTuple_GET_SIZE(sequence.ptr()));
  for (uint64_t i = 0; i < view.size; ++i) {
    PyObject* element = PyTuple_GET_ITEM(sequence.ptr(), static_cast<Py_ssize_t>(i));
    const int64_t value = to_int64(element, parameter);
    if (i < kMaxArrayValues) view.values[i] = value;
  }
  return view;
}

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
#include "binding/values.h"

#include <algorithm>
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
  Array array;
  TensorView view;
  array.look_at(object, parameter, Access::kRead, &view);
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

int64_t to_int64(PyObject* integer, const char* parameter) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) {
    raise(PyExc_OverflowError, "%s: %S fits no 64-bit integer", parameter, integer);
  }
  return value;
}

int64_t element_to_int64(PyObject* element, const char* parameter) {
  nb::object integer = nb::steal(PyNumber_Index(element));
  if (!integer) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a sequence of integers, got an element of type %s",
          parameter, Py_TYPE(element)->tp_name);
  }
  return to_int64(integer.ptr(), parameter);
}

// What nearly every call passes, a list or tuple of ints, can be read where it is.
bool read_plain_ints(PyObject* object, IntArrayView* view) {
  if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) return false;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  PyObject** elements = PySequence_Fast_ITEMS(object);
  if (size > kMaxArrayValues) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!PyLong_CheckExact(elements[i])) return false;
    int overflow = 0;
    view->values[i] = PyLong_AsLongLongAndOverflow(elements[i], &overflow);
    if (overflow != 0) return false;
  }
  view->present = true;
  view->size = static_cast<uint64_t>(size);
  return true;
}

void read_sequence(PyObject* object, const char* parameter, IntArrayView* view) {
  // A copy: elements run Python code, which may change the caller's list.
  nb::object sequence = nb::steal(PySequence_Tuple(object));
  if (!sequence) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a sequence of integers, got %s", parameter,
          Py_TYPE(object)->tp_name);
  }
  view->present = true;
  view->size = static_cast<uint64_t>(PyTuple_GET_SIZE(sequence.ptr()));
  for (uint64_t i = 0; i < view->size; ++i) {
    PyObject* element = PyTuple_GET_ITEM(sequence.ptr(), static_cast<Py_ssize_t>(i));
    const int64_t value = element_to_int64(element, parameter);
    if (i < kMaxArrayValues) view->values[i] = value;
  }
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

double number_from_python(nb::handle object, const char* parameter) {
  if (PyFloat_Check(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a number, got %s", parameter,
          Py_TYPE(object.ptr())->tp_name);
  }
  return value;
}

void int_array_from_python(nb::handle object, const char* parameter, int length,
                           IntArrayView* view) {
  if (object.is_none() || read_plain_ints(object.ptr(), view)) return;
  if (PyIndex_Check(object.ptr())) {
    nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
    if (integer) {
      view->present = true;
      view->size = static_cast<uint64_t>(length);
      std::fill_n(view->values, length, to_int64(integer.ptr(), parameter));
      return;
    }
    PyErr_Clear();  // arrays have __index__ too, but only those without dimensions answer it
  }
  read_sequence(object.ptr(), parameter, view);
}

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
#include "binding/values.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "binding/array.h"
#include "binding/element_types.h"
#include "binding/numpy.h"
#include "binding/raise.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

template <typename T>
void set_scalar(aclDataType dtype, const T& value, ScalarValue* scalar) {
  static_assert(sizeof value <= sizeof(ScalarValue::bytes), "every scalar fits");
  scalar->present = true;
  scalar->dtype = dtype;
  std::memcpy(scalar->bytes, &value, sizeof value);
}

void scalar_from_int(nb::handle object, const char* parameter, ScalarValue* scalar) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return set_scalar<int64_t>(ACL_INT64, value, scalar);
  const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_OverflowError, "%s: %s fits no 64-bit integer", parameter,
          shown(object.ptr()).c_str());
  }
  set_scalar<uint64_t>(ACL_UINT64, large, scalar);
}

void scalar_from_array(nb::handle object, const char* parameter, ScalarValue* scalar) {
  Array array;
  TensorView view;
  array.look_at(object, parameter, Access::kRead, &view);
  if (view.rank != 0) {
    raise(PyExc_ValueError, "%s: expected a number, got an array of %d dimensions", parameter,
          view.rank);
  }
  scalar->present = true;
  scalar->dtype = view.dtype;
  std::memcpy(scalar->bytes, view.data, find_element_type(view.dtype)->size);
}

bool looks_like_array(nb::handle object) {
  return nb::hasattr(object, "__dlpack__") || PyObject_CheckBuffer(object.ptr()) ||
         nb::hasattr(object, "__array_interface__");
}

int64_t to_int64(PyObject* integer, const char* parameter) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) {
    raise(PyExc_OverflowError, "%s: %s fits no 64-bit integer", parameter, shown(integer).c_str());
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
bool read_plain_ints(PyObject* object, int64_t* values) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  PyObject** elements = PySequence_Fast_ITEMS(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!PyLong_CheckExact(elements[i])) return false;
    int overflow = 0;
    values[i] = PyLong_AsLongLongAndOverflow(elements[i], &overflow);
    if (overflow != 0) return false;
  }
  return true;
}

// A copy: elements run Python code, which may change the caller's list.
nb::object sequence_of(nb::handle object, const char* parameter, const char* what) {
  nb::object sequence = nb::steal(PySequence_Tuple(object.ptr()));
  if (!sequence) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a sequence of %s, got %s", parameter, what,
          Py_TYPE(object.ptr())->tp_name);
  }
  return sequence;
}

// Reads every element of a sequence with `read`, a T(PyObject*).
template <typename T, size_t kInline, typename Read>
void read_sequence(nb::handle object, const char* parameter, const char* what,
                   InlineVector<T, kInline>* pool, Argument* argument, const Read& read) {
  if (object.is_none()) return;
  const nb::object sequence = sequence_of(object, parameter, what);
  const Py_ssize_t size = PyTuple_GET_SIZE(sequence.ptr());
  *argument = {true, static_cast<uint32_t>(pool->size()), static_cast<uint32_t>(size)};
  T* values = pool->extend(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) values[i] = read(PyTuple_GET_ITEM(sequence.ptr(), i));
}

[[noreturn]] void raise_unknown_word(nb::handle object, const char* parameter,
                                     const char* const* words) {
  std::string known;
  for (const char* const* word = words; *word != nullptr; ++word) {
    known += (known.empty() ? "'" : ", '") + std::string(*word) + "'";
  }
  // Another object's repr is code of its own.
  const std::string got =
      PyUnicode_Check(object.ptr()) ? shown(object.ptr()) : Py_TYPE(object.ptr())->tp_name;
  raise(PyExc_ValueError, "%s: expected one of %s or its number, got %s", parameter, known.c_str(),
        got.c_str());
}

}  // namespace

void scalar_from_python(nb::handle object, const char* parameter, ScalarValue* scalar) {
  PyObject* value = object.ptr();
  if (PyFloat_Check(value)) return set_scalar(ACL_DOUBLE, PyFloat_AS_DOUBLE(value), scalar);
  if (PyBool_Check(value)) return set_scalar(ACL_BOOL, value == Py_True, scalar);
  if (PyLong_Check(value)) return scalar_from_int(object, parameter, scalar);
  if (PyComplex_Check(value)) {
    return set_scalar(ACL_COMPLEX128, PyComplex_AsCComplex(value), scalar);
  }
  if (value == Py_None) return;
  if (looks_like_array(object)) return scalar_from_array(object, parameter, scalar);
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

bool flag_from_python(nb::handle object, const char* parameter) {
  if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
  if (!is_numpy_bool(object.ptr())) {
    raise(PyExc_TypeError, "%s: expected a bool, got %s", parameter,
          Py_TYPE(object.ptr())->tp_name);
  }
  return PyObject_IsTrue(object.ptr()) == 1;
}

int64_t integer_from_python(nb::handle object, const char* parameter, const char* const* words) {
  if (PyIndex_Check(object.ptr())) {
    const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
    if (!integer) throw nb::python_error();
    return to_int64(integer.ptr(), parameter);
  }
  if (words == nullptr) {
    raise(PyExc_TypeError, "%s: expected an integer, got %s", parameter,
          Py_TYPE(object.ptr())->tp_name);
  }
  if (PyUnicode_Check(object.ptr())) {
    for (const char* const* word = words; *word != nullptr; ++word) {
      if (PyUnicode_CompareWithASCIIString(object.ptr(), *word) == 0) return word - words;
    }
  }
  raise_unknown_word(object, parameter, words);
}

aclDataType dtype_from_python(nb::handle object, const char* parameter) {
  if (PyLong_Check(object.ptr())) {
    return static_cast<aclDataType>(to_int64(object.ptr(), parameter));
  }
  const nb::object number = nb::module_::import_("aclhost.arrays").attr("acl_dtype")(object);
  return static_cast<aclDataType>(nb::cast<int>(number));
}

void int_array_from_python(nb::handle object, const char* parameter, int length,
                           InlineVector<int64_t, 16>* pool, Argument* argument) {
  if (object.is_none()) return;
  const auto first = static_cast<uint32_t>(pool->size());
  if (PyTuple_CheckExact(object.ptr()) || PyList_CheckExact(object.ptr())) {
    const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(object.ptr()));
    *argument = {true, first, static_cast<uint32_t>(size)};
    if (read_plain_ints(object.ptr(), pool->extend(size))) return;
  } else if (PyIndex_Check(object.ptr())) {
    nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
    if (integer) {
      *argument = {true, first, static_cast<uint32_t>(length)};
      std::fill_n(pool->extend(static_cast<size_t>(length)), length,
                  to_int64(integer.ptr(), parameter));
      return;
    }
    PyErr_Clear();  // arrays have __index__ too, but only those without dimensions answer it
  }
  read_sequence(object, parameter, "integers", pool, argument,
                [&](PyObject* element) { return element_to_int64(element, parameter); });
}

void float_array_from_python(nb::handle object, const char* parameter, InlineVector<float, 4>* pool,
                             Argument* argument) {
  read_sequence(object, parameter, "numbers", pool, argument, [&](PyObject* element) {
    return static_cast<float>(number_from_python(element, parameter));
  });
}

void bool_array_from_python(nb::handle object, const char* parameter, InlineVector<char, 32>* pool,
                            Argument* argument) {
  read_sequence(object, parameter, "bools", pool, argument, [&](PyObject* element) {
    return static_cast<char>(flag_from_python(element, parameter));
  });
}

void text_from_python(nb::handle object, const char* parameter, InlineVector<char, 32>* pool,
                      Argument* argument) {
  if (object.is_none()) return;
  Py_ssize_t size = 0;
  const char* text =
      PyUnicode_Check(object.ptr()) ? PyUnicode_AsUTF8AndSize(object.ptr(), &size) : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    raise(PyExc_TypeError, "%s: expected a text, got %s", parameter,
          Py_TYPE(object.ptr())->tp_name);
  }
  *argument = {true, static_cast<uint32_t>(pool->size()), static_cast<uint32_t>(size)};
  std::memcpy(pool->extend(static_cast<size_t>(size) + 1), text, static_cast<size_t>(size) + 1);
}

}  // namespace aclhost::python

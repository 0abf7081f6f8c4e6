// SPDX-License-Identifier: Apache-2.0
// Python exceptions from C++.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdarg>
#include <string>

namespace aclhost::python {

// Formats like PyErr_Format. Every message about an argument starts with the parameter's name.
[[noreturn]] inline void raise(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  throw nanobind::python_error();
}

// An argument in a message: numbers and words themselves, of others the type. No function of the
// program is called.
inline std::string shown(PyObject* object) {
  if (PyLong_CheckExact(object) || PyUnicode_CheckExact(object)) {
    const nanobind::object text = nanobind::steal(PyObject_Repr(object));
    if (text) return nanobind::str(text).c_str();
    PyErr_Clear();  // a number that is too long to be written
  }
  return std::string("an object of type ") + Py_TYPE(object)->tp_name;
}

}  // namespace aclhost::python

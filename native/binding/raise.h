// SPDX-License-Identifier: Apache-2.0
// Python exceptions from C++.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdarg>

namespace aclhost::python {

// Formats like PyErr_Format. Every message about an argument starts with the parameter's name.
[[noreturn]] inline void raise(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  throw nanobind::python_error();
}

}  // namespace aclhost::python

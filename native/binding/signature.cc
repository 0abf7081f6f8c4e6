// SPDX-License-Identifier: Apache-2.0
#include "binding/signature.h"

#include <new>

#include "binding/raise.h"

namespace aclhost::python {
namespace nb = nanobind;

Signature::Signature(const char* function, int positional, const Parameter* parameters, int count)
    : function_(function), positional_(positional) {
  const nb::dict empty;
  for (int i = 0; i < count; ++i) {
    Known known{parameters[i].name, PyUnicode_InternFromString(parameters[i].name), nullptr};
    if (known.interned == nullptr) throw nb::python_error();
    if (const char* source = parameters[i].fallback) {
      known.fallback = PyRun_String(source, Py_eval_input, empty.ptr(), empty.ptr());
      if (known.fallback == nullptr) throw nb::python_error();
    }
    parameters_.push_back(known);
  }
}

void Signature::bind(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
                     PyObject** values) const {
  const int all = size();
  if (count > positional_) {
    raise(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", function_,
          positional_, count);
  }
  for (int i = 0; i < count; ++i) values[i] = arguments[i];
  for (int i = static_cast<int>(count); i < all; ++i) values[i] = nullptr;
  const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    const int at = find(keyword);
    if (at == all) {
      raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function_, keyword);
    }
    if (values[at] != nullptr) {
      raise(PyExc_TypeError, "%s() got multiple values for argument '%U'", function_, keyword);
    }
    values[at] = arguments[count + i];
  }
  for (int i = static_cast<int>(count); i < all; ++i) {
    if (values[i] == nullptr) values[i] = parameters_[i].fallback;
    if (values[i] == nullptr) {
      raise(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", function_,
            parameters_[i].name, i + 1);
    }
  }
}

int Signature::find(PyObject* keyword) const {
  // From the end: most keywords are "out".
  for (int i = size() - 1; i >= 0; --i) {
    if (parameters_[i].interned == keyword) return i;
  }
  for (int i = 0; i < size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(keyword, parameters_[i].name) == 0) return i;
  }
  return size();
}

PyObject* translate_exception() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an unknown exception");
  }
  return nullptr;
}

}  // namespace aclhost::python

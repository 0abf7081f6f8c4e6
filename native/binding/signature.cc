// SPDX-License-Identifier: Apache-2.0
#include "binding/signature.h"

#include <new>

#include "binding/raise.h"

namespace aclhost::python {
namespace nb = nanobind;

Signature::Signature(const char* function, int positional,
                     std::initializer_list<Parameter> parameters)
    : function_(function), positional_(positional) {
  for (const Parameter& parameter : parameters) parameters_[count_++] = parameter;
}

void Signature::prepare() {
  const nb::dict empty;
  for (int i = 0; i < count_; ++i) {
    names_[i] = PyUnicode_InternFromString(parameters_[i].name);
    if (names_[i] == nullptr) throw nb::python_error();
    if (parameters_[i].fallback == nullptr) continue;
    fallbacks_[i] = PyRun_String(parameters_[i].fallback, Py_eval_input, empty.ptr(), empty.ptr());
    if (fallbacks_[i] == nullptr) throw nb::python_error();
  }
}

void Signature::bind(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
                     PyObject** values) const {
  if (count > positional_) {
    raise(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", function_,
          positional_, count);
  }
  for (int i = 0; i < count; ++i) values[i] = arguments[i];
  for (int i = static_cast<int>(count); i < count_; ++i) values[i] = nullptr;
  const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    const int at = find(keyword);
    if (at == count_) {
      raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function_, keyword);
    }
    if (values[at] != nullptr) {
      raise(PyExc_TypeError, "%s() got multiple values for argument '%U'", function_, keyword);
    }
    values[at] = arguments[count + i];
  }
  for (int i = static_cast<int>(count); i < count_; ++i) {
    if (values[i] == nullptr) values[i] = fallbacks_[i];
    if (values[i] == nullptr) {
      raise(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", function_,
            parameters_[i].name, i + 1);
    }
  }
}

int Signature::find(PyObject* keyword) const {
  for (int i = 0; i < count_; ++i) {
    if (names_[i] == keyword) return i;
  }
  for (int i = 0; i < count_; ++i) {
    if (PyUnicode_CompareWithASCIIString(keyword, parameters_[i].name) == 0) return i;
  }
  return count_;
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

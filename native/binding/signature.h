// SPDX-License-Identifier: Apache-2.0
// How the arguments of a Python function reach its body.
//
// The operators' functions are builtin functions of CPython (METH_FASTCALL) instead of nanobind's:
// half the cost of a call, and inspect.signature and pickle know them.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <vector>

namespace aclhost::python {

struct Parameter {
  const char* name;
  const char* fallback;  // Python source of the default; null: the caller has to pass one
};

class Signature {
 public:
  // The first `positional` parameters can be passed by position, all of them by keyword. To be
  // called when the module is initialised.
  Signature(const char* function, int positional, const Parameter* parameters, int count);

  int size() const { return static_cast<int>(parameters_.size()); }

  // One borrowed object for each parameter, in their order. Raises TypeError.
  void bind(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
            PyObject** values) const;

 private:
  struct Known {
    const char* name;
    PyObject* interned;  // as keywords in source code are
    PyObject* fallback;  // null where the parameter is required
  };

  int find(PyObject* keyword) const;

  const char* function_;
  int positional_;
  std::vector<Known> parameters_;
};

// Turns what the body of a function threw into a Python exception; null, for the interpreter.
PyObject* translate_exception() noexcept;

}  // namespace aclhost::python

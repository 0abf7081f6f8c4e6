// SPDX-License-Identifier: Apache-2.0
// Operators as Python functions.
#pragma once

#include <Python.h>

#include <cstdint>

#include "binding/signature.h"
#include "operator/descriptor.h"

namespace aclhost::python {

struct FunctionInfo {
  const Operator* op;
  const char* name;
  const Parameter* parameters;
  int parameter_count;
  int positional;            // how many of them can be passed by position
  const int16_t* positions;  // of each C parameter among the Python ones; -1 for results
  int result_count;
  bool labelled;  // arrays carry the label of their rank, not ND
};

// Generated: what call_function looks up.
extern const FunctionInfo kFunctions[];
extern const int kFunctionCount;

// To be called when the module is initialised.
void prepare_functions();

// The body of the function with this number.
PyObject* call_function(int number, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords) noexcept;

template <int number>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return call_function(number, arguments, count, keywords);
}

template <int number>
PyMethodDef method(const char* name, const char* doc) {
  // The table has one type for all calling conventions.
  auto* function = reinterpret_cast<void (*)()>(&entry<number>);
  return {name, reinterpret_cast<PyCFunction>(function), METH_FASTCALL | METH_KEYWORDS, doc};
}

}  // namespace aclhost::python

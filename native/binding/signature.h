// SPDX-License-Identifier: Apache-2.0
// How the arguments of a Python function reach its body.
//
// The operators' functions are builtin functions of CPython (METH_FASTCALL) instead of nanobind's:
// half the cost of a call, and inspect.signature and pickle know them.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <initializer_list>

namespace aclhost::python {

struct Parameter {
  const char* name;
  const char* fallback = nullptr;  // Python source of the default; null: the caller has to pass one
};

class Signature {
 public:
  static constexpr int kMost = 16;  // more parameters than any operator has

  // The first `positional` parameters can be passed by position, all of them by keyword.
  Signature(const char* function, int positional, std::initializer_list<Parameter> parameters);

  // Creates the Python objects; to be called when the module is initialised.
  void prepare();

  // One borrowed object for each parameter, in their order. Raises TypeError.
  void bind(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
            PyObject** values) const;

 private:
  int find(PyObject* keyword) const;

  const char* const function_;
  const int positional_;
  int count_ = 0;
  Parameter parameters_[kMost];
  PyObject* names_[kMost] = {};      // interned, as keywords in source code are
  PyObject* fallbacks_[kMost] = {};  // null where the parameter is required
};

// Turns what the body of a function threw into a Python exception; null, for the interpreter.
PyObject* translate_exception() noexcept;

using Body = nanobind::object (*)(PyObject* const* values);

template <const Signature& kSignature, Body kBody>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  try {
    PyObject* values[Signature::kMost];
    kSignature.bind(arguments, count, keywords, values);
    return kBody(values).release().ptr();
  } catch (...) {
    return translate_exception();
  }
}

template <const Signature& kSignature, Body kBody>
PyMethodDef method(const char* name, const char* doc) {
  // The table has one type for all calling conventions.
  auto* function = reinterpret_cast<void (*)()>(&entry<kSignature, kBody>);
  return {name, reinterpret_cast<PyCFunction>(function), METH_FASTCALL | METH_KEYWORDS, doc};
}

}  // namespace aclhost::python

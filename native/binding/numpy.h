// SPDX-License-Identifier: Apache-2.0
// The NumPy C API, kept to one file.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>

#include "operator/views.h"

namespace aclhost::python {

void import_numpy();  // raises ImportError
// Waits until no other thread is importing what a call needs. A child that is forked meanwhile
// would wait for that thread for ever.
void finish_imports();
bool is_numpy_scalar(PyObject* object);  // ml_dtypes scalars too
bool is_numpy_bool(PyObject* object);    // a scalar of NumPy's own bool

// Describes the memory of an array, if it is one: raises TypeError or ValueError where that is no
// tensor's.
enum class NumpyView { kNone, kReadOnly, kWritable };
NumpyView view_if_numpy(PyObject* object, const char* parameter, TensorView* view);

nanobind::object numpy_from_scalar(PyObject* scalar);    // a 0-d array
nanobind::object empty_numpy(const TensorView& wanted);  // uninitialised, row-major

}  // namespace aclhost::python

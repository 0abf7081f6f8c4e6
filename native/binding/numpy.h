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

// The type of the elements of an array that is exactly NumPy's, or null; borrowed.
PyObject* element_type_if_numpy(PyObject* object);
// The first element of such an array if its type is this object and it lies in memory like the
// view, or null.
char* first_element_if_like(PyObject* object, PyObject* element_type, const TensorView& view,
                            bool is_written);
char* first_element(PyObject* array);  // of NumPy's

nanobind::object numpy_from_scalar(PyObject* scalar);    // a 0-d array
nanobind::object empty_numpy(const TensorView& wanted);  // uninitialised, row-major

}  // namespace aclhost::python

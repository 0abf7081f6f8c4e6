// SPDX-License-Identifier: Apache-2.0
// Python numbers and sequences as operator arguments. None gives an absent value.
#pragma once

#include <nanobind/nanobind.h>

#include "operator/views.h"

namespace aclhost::python {

// bool is BOOL, int is INT64 (or UINT64 if it only fits there, else OverflowError), float is
// DOUBLE, complex is COMPLEX128; NumPy scalars and 0-d arrays of any kind keep their own type.
ScalarValue scalar_from_python(nanobind::handle object, const char* parameter);

// For parameters that are plain C numbers.
double number_from_python(nanobind::handle object, const char* parameter);

// Any sequence of integers; one integer, or what has __index__, stands for `length` equal ones.
void int_array_from_python(nanobind::handle object, const char* parameter, int length,
                           IntArrayView* view);

}  // namespace aclhost::python

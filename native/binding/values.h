// SPDX-License-Identifier: Apache-2.0
// Python numbers and sequences as operator arguments. None gives an absent value.
#pragma once

#include <nanobind/nanobind.h>

#include "opbase/views.h"

namespace aclhost::python {

// bool is BOOL, int is INT64 (or UINT64 if it only fits there, else OverflowError), float is
// DOUBLE, complex is COMPLEX128; NumPy scalars and 0-d arrays of any kind keep their own type.
ScalarValue scalar_from_python(nanobind::handle object, const char* parameter);

// For parameters that are plain C numbers.
double number_from_python(nanobind::handle object, const char* parameter);

// Any sequence of integers.
IntArrayView int_array_from_python(nanobind::handle object, const char* parameter);

// The same for what has __index__: one integer stands for `length` equal ones.
IntArrayView int_array_from_index(nanobind::handle object, const char* parameter, int length);

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// Python numbers, texts and sequences as operator arguments. None gives an absent value.
//
// Everything here raises an exception that names the parameter for what it cannot read.
#pragma once

#include <nanobind/nanobind.h>

#include "base/inline_vector.h"
#include "operator/args.h"

namespace aclhost::python {

// bool is BOOL, int is INT64 (or UINT64 if it only fits there, else OverflowError), float is
// DOUBLE, complex is COMPLEX128; NumPy scalars and 0-d arrays of any kind keep their own type. The
// scalar is a new one.
void scalar_from_python(nanobind::handle object, const char* parameter, ScalarValue* scalar);

// For parameters that are plain C numbers.
double number_from_python(nanobind::handle object, const char* parameter);
bool flag_from_python(nanobind::handle object, const char* parameter);  // Python's or NumPy's

// An integer, or one of the words (if there are any) that stands for its position.
int64_t integer_from_python(nanobind::handle object, const char* parameter,
                            const char* const* words);

// A number, or what NumPy or torch call a dtype.
aclDataType dtype_from_python(nanobind::handle object, const char* parameter);

// Any sequence of integers; one integer, or what has __index__, stands for `length` equal ones.
void int_array_from_python(nanobind::handle object, const char* parameter, int length,
                           InlineVector<int64_t, 16>* pool, Argument* argument);
void float_array_from_python(nanobind::handle object, const char* parameter,
                             InlineVector<float, 4>* pool, Argument* argument);
void bool_array_from_python(nanobind::handle object, const char* parameter,
                            InlineVector<char, 32>* pool, Argument* argument);
void text_from_python(nanobind::handle object, const char* parameter, InlineVector<char, 32>* pool,
                      Argument* argument);

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// What torch tensors need beyond DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "binding/foreign.h"
#include "operator/views.h"

namespace aclhost::python {

// Raises ValueError for tensors that torch's own functions would treat differently from their
// memory.
void check_torch(nanobind::handle tensor, const ForeignType& type, const TensorView& view,
                 const char* parameter);

// Without it, torch would compute gradients from values that are no longer there.
void count_change_of_torch(nanobind::handle tensor);

// An uninitialised row-major tensor.
nanobind::object empty_torch(const ForeignType& type, const TensorView& wanted);

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries, by way of DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include "binding/array.h"
#include "binding/dlpack.h"
#include "operator/views.h"

namespace aclhost::python {

// What is known about a Python type.
struct ForeignType {
  ArrayKind kind = ArrayKind::kNone;
  bool exports_dlpack = false;
  const dlpack::ExchangeApi* exchange = nullptr;  // a C function table, where the library has one
  const PyGetSetDef* requires_grad = nullptr;     // of torch tensors: what reads the attribute
};

ForeignType foreign_type(nanobind::handle object);

// Describes the array's memory; true if it can be written to. The capsule owns the memory, and
// stays empty where the array itself does.
bool view_dlpack(nanobind::handle object, const ForeignType& type, const char* parameter,
                 TensorView* view, nanobind::object* capsule);

}  // namespace aclhost::python

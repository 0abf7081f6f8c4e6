// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries, by way of DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include "binding/array.h"
#include "binding/dlpack.h"
#include "opbase/views.h"

namespace aclhost::python {

// What is known about a Python type.
struct ForeignType {
  ArrayKind kind = ArrayKind::kNone;
  bool exports_dlpack = false;
  const dlpack::ExchangeApi* exchange = nullptr;  // a C function table, where the library has one
};

ForeignType foreign_type(nanobind::handle object);

struct Exported {
  TensorView view;
  bool writable = true;
  nanobind::object capsule;  // owns the memory; empty where the array itself does
};

Exported export_dlpack(nanobind::handle object, const ForeignType& type, const char* parameter);

}  // namespace aclhost::python

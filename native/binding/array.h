// SPDX-License-Identifier: Apache-2.0
// Python arrays as tensor views, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "opbase/views.h"

namespace aclhost::python {

// Which library an array belongs to, so that a result can be of the same one.
enum class ArrayKind {
  kNone,    // the argument was None
  kNumpy,   // NumPy, ml_dtypes types included
  kTorch,   //
  kJax,     // immutable
  kDlpack,  // anything else with __dlpack__
  kBuffer,  // anything else with the buffer protocol: memoryview, array.array, bytes
};

enum class Access { kRead, kWrite };

// A view of an argument, and what keeps its memory in place. It lives on the stack of the call that
// received the argument; creating and destroying it needs the GIL, using the view does not.
//
// A Python array always lies inside its own memory. So view.data is the lowest address the array
// reaches, view.offset leads to its first element, and view.storage_elements is what it spans.
class Array {
 public:
  Array() = default;

  // Raises TypeError for what is no array or has a type without an aclDataType, ValueError for
  // arrays that cannot be used as they are; each names the parameter. None gives an absent view.
  Array(nanobind::handle object, const char* parameter, Access access);

  const TensorView& view() const { return view_; }
  ArrayKind kind() const { return kind_; }
  nanobind::handle object() const { return object_; }

 private:
  TensorView view_;
  ArrayKind kind_ = ArrayKind::kNone;
  nanobind::object object_;
  nanobind::object keeper_;  // a DLPack capsule or a memoryview, where the object is not enough
};

// An uninitialised row-major array to compute into: of the kind of `like`, or NumPy where that kind
// has no arrays that can be written to.
nanobind::object empty_result(const Array& like, aclDataType dtype, int rank, const int64_t* shape);

// What the caller gets to see of an array made by empty_result, once it holds the values.
nanobind::object finish_result(const Array& like, nanobind::object result);

// Tells the library of a caller's array that its values are about to change.
void announce_change(nanobind::handle object);

// To be called when the extension module is initialised, before anything else here.
void import_array_libraries();

}  // namespace aclhost::python

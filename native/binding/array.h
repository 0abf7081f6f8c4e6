// SPDX-License-Identifier: Apache-2.0
// Python arrays as tensor views, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "binding/numpy.h"
#include "operator/views.h"

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

// An argument that is an array, and what keeps its memory in place. It lives on the stack of the
// call that received the argument; filling and destroying it needs the GIL, using the view does
// not.
struct Array {
  ArrayKind kind = ArrayKind::kNone;
  nanobind::handle object;  // borrowed from the caller, who keeps it for the length of the call
  nanobind::object keeper;  // a DLPack capsule or a memoryview, where the object is not enough
  bool is_written = false;
  uintptr_t begin = 0, end = 0;  // of its memory

  // Describes the object's memory. Raises TypeError for what is no array or has a type without an
  // aclDataType, ValueError for arrays that cannot be used as they are; each names the parameter.
  // None gives an absent view.
  //
  // A Python array always lies inside its own memory. So view.data is the lowest address the array
  // reaches, view.offset leads to its first element, and view.storage_elements is what it spans.
  void look_at(nanobind::handle given, const char* parameter, Access access, TensorView* view) {
    object = given;
    const NumpyView numpy = view_if_numpy(given.ptr(), parameter, view);
    bool writable = numpy == NumpyView::kWritable;
    if (numpy != NumpyView::kNone) {
      kind = ArrayKind::kNumpy;
    } else if (given.is_none()) {
      return;
    } else {
      writable = look_at_other(parameter, view);
    }
    if (access == Access::kWrite && !writable) raise_read_only(parameter);
  }

 private:
  // What is no NumPy array; returns whether it can be written to.
  bool look_at_other(const char* parameter, TensorView* view);
  [[noreturn]] static void raise_read_only(const char* parameter);
};

// An uninitialised array to compute into, as a row-major view describes it: of the kind of `like`,
// or NumPy where that kind has no arrays that can be written to.
nanobind::object empty_result(const Array& like, const TensorView& wanted);

// What the caller gets to see of an array made by empty_result, once it holds the values.
nanobind::object finish_result(const Array& like, nanobind::object result);

// What the view describes of an array: Note [Results sized by data]. A small part of a new array is
// a copy: a view would keep the rest in memory.
nanobind::object sized_result(nanobind::object array, const TensorView& view, bool is_new);

// Tells the library of a caller's array that its values are about to change.
void announce_change(const Array& array);

// To be called before anything else here. Not when the extension module is imported: the command
// lists operators without NumPy, which takes longer than all the rest.
void import_array_libraries();

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// Calls that a program makes again and again: only the memory of its arrays is another.
//
// Reading and comparing the arguments of such a call takes longer than many a small kernel. So each
// function keeps one call that was made before, with all that its kernel gets to see. A call with
// the same constants, and with NumPy arrays of the same types, shapes and strides, only puts in new
// addresses. Anything else is read in the ordinary way.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "base/inline_vector.h"
#include "binding/functions.h"
#include "operator/args.h"

namespace aclhost::python {

// A call as it was made, and can be made again.
class RepeatedCall {
 public:
  // Null if this call is none that can be repeated: one with lists, with arrays of other libraries
  // or without elements, with constants that may change.
  static std::unique_ptr<RepeatedCall> of(const FunctionInfo& function, const Args& args,
                                          PyObject* const* given);

  // An empty object, without an exception: this is another call.
  nanobind::object repeat(PyObject* const* given);

 private:
  static constexpr int kNone = -1;

  // What was passed for a parameter, or as a member of a tuple of results.
  struct Value {
    nanobind::object object;  // a constant, or the type of an array's elements
    int position;             // among the parameters; members of the tuple come behind them
    int tensor;               // kNone: a constant
    bool is_written;
  };
  struct Result {
    int position;  // kNone: a new array
    int tensor;
  };

  RepeatedCall(const FunctionInfo& function, const Args& args);
  bool read(const FunctionInfo& function, PyObject* const* given);
  bool read_results(const InlineVector<int, 4>& tensors, PyObject* out);
  bool add_constant(PyObject* object, int position, bool may_be_type);
  bool add_tensor(PyObject* object, int position, int tensor, bool is_written);
  PyObject* object_at(PyObject* const* given, int position) const;
  bool has_tuple_as_kept(PyObject* const* given) const;
  bool put_in(PyObject* const* given);
  bool is_disjoint() const;
  nanobind::object run(PyObject* const* given);
  nanobind::object result(const Result& result, PyObject* const* given);

  Args args_;
  std::vector<Value> values_;
  std::vector<Result> results_;
  int parameters_;
  int members_ = 0;  // of the tuple of results, if there is one
  bool writes_given_ = false;
  bool is_brief_;
};

// The one that a function keeps; all of it needs the GIL.
class LastCall {
 public:
  // See RepeatedCall::repeat.
  nanobind::object repeat(PyObject* const* given);

  // A call that the checks accepted now and before. The first is kept, then each eighth.
  void offer(const FunctionInfo& function, const Args& args, PyObject* const* given);

 private:
  std::unique_ptr<RepeatedCall> call_;
  unsigned offers_ = 0;
};

}  // namespace aclhost::python

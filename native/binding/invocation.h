// SPDX-License-Identifier: Apache-2.0
// One call of an operator from Python: arguments in, the operator's own checks, run, results out.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "binding/array.h"
#include "binding/functions.h"
#include "binding/growing.h"
#include "operator/args.h"

namespace aclhost::python {

// Raises AclnnError with the failure's status, parameter, rule and message.
[[noreturn]] void raise_aclnn(const Failure& failure);

// Elements of all tensors together up to which a call keeps the GIL: what is over sooner than
// another thread could make use of it.
constexpr int64_t kBriefElements = 16384;

class LastCall;

class Invocation {
 public:
  explicit Invocation(const FunctionInfo& function);

  // What Python passed, in the order of the function's parameters. The function may keep the call.
  nanobind::object call(PyObject* const* given, LastCall* last);

  // What the operator would be called with.
  const Args& read(PyObject* const* given);

 private:
  struct Result {
    uint32_t tensor = 0;           // among the tensors of the arguments
    const Array* given = nullptr;  // null: a new one
    nanobind::object made;         // empty for one that was given, None for one that is left out
    bool sized = false;            // see Note [Results sized by data]
  };

  void read_arguments(PyObject* const* given);
  void read(const ParamInfo& param, nanobind::handle object, Argument* argument);
  int length_of(const ParamInfo& param) const;
  void read_array(const ParamInfo& param, nanobind::handle object, Argument* argument);
  void read_members(const ParamInfo& param, nanobind::handle object, Argument* argument);
  const Array& hold(nanobind::handle object, const char* name, Access access, uint32_t tensor);
  void read_results(nanobind::handle out);
  bool is_made(const ParamInfo& param) const;
  void read_result(const ParamInfo& param, nanobind::handle given, uint32_t tensor);
  void read_result_list(const ParamInfo& param, nanobind::handle given, Argument* argument);
  void describe_result(const ParamInfo& param, uint32_t tensor, int64_t position = 0);
  void allocate_results();
  void zero_new_results();  // where the operator writes nothing
  void announce_changes();
  bool is_disjoint();
  Status run_unlocked();
  nanobind::object result(Result& result);
  nanobind::object results();
  nanobind::object grouped_results();

  const FunctionInfo& function_;
  Args args_;
  Growing<Array, 4> arrays_;  // the first one decides what kind results are of
  Growing<Result, 2> results_;
  bool has_result_list_ = false;
  bool has_given_result_ = false;            // which inputs may share memory with
  bool is_some_empty_ = false;               // of the arrays
  std::vector<nanobind::object> sequences_;  // keep the members that arrays_ look at
};

}  // namespace aclhost::python

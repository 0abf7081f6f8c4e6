// SPDX-License-Identifier: Apache-2.0
// One call of an operator from Python: arguments in, the operator's own checks, run, results out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <initializer_list>

#include "base/calls.h"
#include "binding/array.h"
#include "binding/values.h"
#include "operator/checks.h"
#include "operator/operator.h"

namespace aclhost::python {

// Raises AclnnError with the failure's status, parameter, rule and message.
[[noreturn]] void raise_aclnn(const Failure& failure);

// The SoC being played; raises AclnnError when ACLHOST_SOC names none.
const Soc& require_soc(const char* op);

// The arguments that are arrays, and the results. What does not depend on the operator.
class Operands {
 public:
  void input(const char* name, nanobind::handle object, TensorView* view);
  void in_out(const char* name, nanobind::handle object, TensorView* view);
  // With None, the result is what `describe`, a TensorView(), says, and is allocated when the
  // checks have passed.
  template <typename Describe>
  void output(nanobind::handle object, TensorView* view, const Describe& describe) {
    if (object.is_none()) {
      *view = describe();
      results_[result_count_++] = {view, nullptr, {}};
    } else {
      given_output(object, view);
    }
  }
  void scalar(const char* name, nanobind::handle object, ScalarValue* value) {
    *value = scalar_from_python(object, name);
  }
  template <typename Number>
  void number(const char* name, nanobind::handle object, Number* value) {
    *value = static_cast<Number>(number_from_python(object, name));
  }
  void flag(const char* name, nanobind::handle object, bool* value);  // Python's or NumPy's
  // One integer stands for `length` equal ones.
  void int_array(const char* name, nanobind::handle object, int length, IntArrayView* view) {
    int_array_from_python(object, name, length, view);
  }
  // A word stands for its position among `words`.
  void choice(const char* name, nanobind::handle object, std::initializer_list<const char*> words,
              int64_t* value);
  // An element of the tuple that receives several results, or None.
  static nanobind::handle member(nanobind::handle out, int index, int count);

 protected:
  static constexpr int kMost = 4;  // arrays of an operator; no more, because each call clears them

  void allocate_results();
  void zero_new_results();  // where the operator writes nothing
  void announce_changes() const;
  nanobind::object results();

 private:
  struct Result {
    TensorView* view;
    const Array* given;     // null: a new one
    nanobind::object made;  // empty for one that was given
  };

  const Array& hold(nanobind::handle object, const char* name, Access access, TensorView* view);
  void given_output(nanobind::handle object, TensorView* view);
  nanobind::object result(Result& result);

  Array arrays_[kMost];  // the first one decides what kind results are of
  int array_count_ = 0;
  Result results_[kMost];
  int result_count_ = 0;
};

// Elements of all tensors together up to which a call keeps the GIL: what is over sooner than
// another thread could make use of it.
constexpr int64_t kBriefElements = 16384;

template <typename Args, int kTensors>
class Invocation : public Operands {
  static_assert(kTensors <= kMost);

 public:
  Args args;

  nanobind::object finish() {
    const Soc& soc = require_soc(Args::kOperator);
    const Verdict verdict = check(args, soc);
    call_counter<Args>().add(!verdict.refused());
    if (verdict.refused()) raise_aclnn(verdict.status().failure());
    if (verdict.idle()) {
      allocate_results();
      zero_new_results();
    } else {
      const Verdict launch = check_launch(args, soc);
      if (launch.refused()) raise_aclnn(launch.status().failure());
      allocate_results();
      announce_changes();
      const Status status = run_unlocked();
      if (!status.ok()) raise_aclnn(status.failure());
    }
    return results();
  }

 private:
  Status run_unlocked() {
    if (total_elements(args) <= kBriefElements) return run(args);
    nanobind::gil_scoped_release unlocked;
    return run(args);
  }
};

}  // namespace aclhost::python

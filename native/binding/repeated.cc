// SPDX-License-Identifier: Apache-2.0
#include "binding/repeated.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/inline_vector.h"
#include "base/soc.h"
#include "binding/array.h"
#include "binding/gil.h"
#include "binding/growing.h"
#include "binding/invocation.h"
#include "binding/numpy.h"
#include "dtypes.h"
#include "operator/accepted.h"
#include "operator/param_kinds.h"
#include "operator/run.h"
#include "operator/traced_run.h"

namespace aclhost::python {
namespace nb = nanobind;

namespace {

// Calls that take turns, and those that cannot be kept, are offered each time. To try takes longer
// than to read a call.
constexpr unsigned kOffersToKeep = 8;

// The members of a list or a tuple.
struct Members {
  explicit Members(PyObject* sequence)
      : first(PySequence_Fast_ITEMS(sequence)), count(PySequence_Fast_GET_SIZE(sequence)) {}

  PyObject** first;
  Py_ssize_t count;
};

bool is_sequence(PyObject* object) {
  return PyTuple_CheckExact(object) || PyList_CheckExact(object);
}

// Objects that mean the same for as long as they live.
bool is_constant(PyObject* object) {
  return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyUnicode_CheckExact(object);
}

// What is_same can be asked about for ever, or an empty object.
nb::object constant_of(PyObject* object) {
  if (!is_sequence(object)) return is_constant(object) ? nb::borrow(object) : nb::object();
  const Members members(object);
  if (!std::all_of(members.first, members.first + members.count, is_constant)) return {};
  if (PyTuple_CheckExact(object)) return nb::borrow(object);
  nb::object copy = nb::steal(PyList_GetSlice(object, 0, members.count));
  if (!copy) PyErr_Clear();
  return copy;
}

// Of objects that are no sequences. Floats by their bits: NaN is like itself, and zeros have signs.
bool is_same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyLong_CheckExact(a)) return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  if (!PyFloat_CheckExact(a)) return false;
  const double first = PyFloat_AS_DOUBLE(a), second = PyFloat_AS_DOUBLE(b);
  return std::memcmp(&first, &second, sizeof first) == 0;
}

bool is_same(PyObject* object, PyObject* constant) {
  if (object == constant) return true;
  if (Py_TYPE(object) != Py_TYPE(constant) || !is_sequence(object)) {
    return is_same_value(object, constant);
  }
  const Members a(object), b(constant);
  if (a.count != b.count) return false;
  for (Py_ssize_t i = 0; i < a.count; ++i) {
    if (!is_same_value(a.first[i], b.first[i])) return false;
  }
  return true;
}

bool is_list(const ParamInfo& param) {
  return param.kind == ParamKind::kTensorList || param.kind == ParamKind::kTensorListOut ||
         param.kind == ParamKind::kScalarList;
}

// Whether it has elements; nothing is known of where others lie.
bool is_solid(const TensorView& view) { return view.present && view.storage_elements > 0; }

int64_t bytes_of(const TensorView& view, int64_t elements) {
  return elements * data_type_bits(view.dtype) / 8;
}

uintptr_t begin_of(const TensorView& view) { return reinterpret_cast<uintptr_t>(view.data); }
uintptr_t end_of(const TensorView& view) {
  return begin_of(view) + bytes_of(view, view.storage_elements);
}

Status run_checked(Args& args, bool is_brief) {
  if (is_brief) return run_plain(args);
  const WithoutGil unlocked;
  return run_plain(args);
}

}  // namespace

RepeatedCall::RepeatedCall(const FunctionInfo& function, const Args& args)
    : args_(args),
      parameters_(function.parameter_count),
      is_brief_(total_elements(args) <= kBriefElements) {}

std::unique_ptr<RepeatedCall> RepeatedCall::of(const FunctionInfo& function, const Args& args,
                                               PyObject* const* given) {
  std::unique_ptr<RepeatedCall> call(new RepeatedCall(function, args));
  if (!call->read(function, given)) return nullptr;
  // Python code that ran while the arguments were read may have changed them since.
  Invocation again(function);
  return is_same_call(again.read(given), args) && call->put_in(given) ? std::move(call) : nullptr;
}

bool RepeatedCall::read(const FunctionInfo& function, PyObject* const* given) {
  const Operator& op = *function.op;
  InlineVector<int, 4> outputs;  // their tensors
  for (int i = 0; i < op.param_count; ++i) {
    const ParamInfo& param = op.params[i];
    if (is_list(param) || param.sized_by_data) return false;
    const int position = function.positions[i];
    const int tensor = static_cast<int>(args_.arguments[i].first);
    if (position == kNone) {
      outputs.add() = tensor;
    } else if (is_tensor(param)) {
      if (!add_tensor(given[position], position, tensor, !is_input(param))) return false;
    } else if (!add_constant(given[position], position, param.kind == ParamKind::kDtype)) {
      return false;
    }
  }
  return outputs.size() == 0 || read_results(outputs, given[parameters_ - 1]);
}

bool RepeatedCall::read_results(const InlineVector<int, 4>& tensors, PyObject* out) {
  const int last = parameters_ - 1;
  if (out == Py_None) {
    for (const int tensor : tensors) {
      if (!is_solid(args_.tensors[tensor])) return false;
      results_.push_back({kNone, tensor});
    }
    return add_constant(out, last, false);
  }
  if (tensors.size() == 1) return add_tensor(out, last, tensors[0], true);
  for (const int tensor : tensors) {
    PyObject* const member = PyTuple_GET_ITEM(out, members_);
    if (!add_tensor(member, parameters_ + members_, tensor, true)) return false;
    ++members_;
  }
  return true;
}

bool RepeatedCall::add_constant(PyObject* object, int position, bool may_be_type) {
  const bool is_type = may_be_type && PyType_Check(object);
  values_.push_back({is_type ? nb::borrow(object) : constant_of(object), position, kNone, false});
  return values_.back().object.is_valid();
}

bool RepeatedCall::add_tensor(PyObject* object, int position, int tensor, bool is_written) {
  PyObject* const type = element_type_if_numpy(object);
  if (type == nullptr) {
    return object == Py_None && !is_written && add_constant(object, position, false);
  }
  if (is_written) results_.push_back({position, tensor});
  writes_given_ |= is_written;
  values_.push_back({nb::borrow(type), position, tensor, is_written});
  return is_solid(args_.tensors[tensor]);
}

nb::object RepeatedCall::repeat(PyObject* const* given) {
  const bool is_same = args_.soc == current_soc() && put_in(given);
  return is_same && (!writes_given_ || is_disjoint()) ? run(given) : nb::object();
}

bool RepeatedCall::has_tuple_as_kept(PyObject* const* given) const {
  PyObject* const out = given[parameters_ - 1];
  return PyTuple_CheckExact(out) && PyTuple_GET_SIZE(out) == members_;
}

PyObject* RepeatedCall::object_at(PyObject* const* given, int position) const {
  const int member = position - parameters_;
  return member < 0 ? given[position] : PyTuple_GET_ITEM(given[parameters_ - 1], member);
}

// False: they are others. The addresses that were put in until then mean nothing to the next call.
bool RepeatedCall::put_in(PyObject* const* given) {
  if (members_ > 0 && !has_tuple_as_kept(given)) return false;
  for (const Value& value : values_) {
    PyObject* const object = object_at(given, value.position);
    if (value.tensor == kNone) {
      if (!is_same(object, value.object.ptr())) return false;
      continue;
    }
    TensorView& view = args_.tensors[value.tensor];
    char* const first = first_element_if_like(object, value.object.ptr(), view, value.is_written);
    if (first == nullptr) return false;
    view.data = first - bytes_of(view, view.offset);
  }
  return true;
}

// Whether no input reaches into the range from the first byte that is written to the last.
bool RepeatedCall::is_disjoint() const {
  uintptr_t first = UINTPTR_MAX, end = 0;
  for (const Value& value : values_) {
    if (!value.is_written) continue;
    const TensorView& view = args_.tensors[value.tensor];
    first = std::min(first, begin_of(view));
    end = std::max(end, end_of(view));
  }
  return std::none_of(values_.begin(), values_.end(), [&](const Value& value) {
    if (value.tensor == kNone || value.is_written) return false;
    const TensorView& view = args_.tensors[value.tensor];
    return begin_of(view) < end && first < end_of(view);
  });
}

// Tuples are made after the kernel: they let the collector of garbage run Python code, which may
// move what was put in.
nb::object RepeatedCall::run(PyObject* const* given) {
  args_.op->counter->add(true);
  Growing<nb::object, 2> made;
  for (const Result& each : results_) made.add() = result(each, given);
  const Status status = run_checked(args_, is_brief_);
  if (!status.ok()) raise_aclnn(status.failure());
  if (results_.size() == 1) return made.first();
  nb::object all = nb::steal(PyTuple_New(made.size()));
  if (!all) throw nb::python_error();
  Py_ssize_t index = 0;
  made.for_each(
      [&](nb::object& each) { PyTuple_SET_ITEM(all.ptr(), index++, each.release().ptr()); });
  return all;
}

nb::object RepeatedCall::result(const Result& result, PyObject* const* given) {
  if (result.position != kNone) return nb::borrow(object_at(given, result.position));
  TensorView& view = args_.tensors[result.tensor];
  nb::object made = empty_result({}, view);
  view.data = first_element(made.ptr());
  return made;
}

nb::object LastCall::repeat(PyObject* const* given) {
  if (call_ == nullptr) return {};
  // Away while it runs: a long kernel lets other threads in.
  std::unique_ptr<RepeatedCall> call = std::move(call_);
  nb::object result = call->repeat(given);
  if (call_ == nullptr) call_ = std::move(call);
  return result;
}

void LastCall::offer(const FunctionInfo& function, const Args& args, PyObject* const* given) {
  if (is_traced() || offers_++ % kOffersToKeep != 0) return;
  try {
    call_ = RepeatedCall::of(function, args, given);
  } catch (const std::bad_alloc&) {
    // This call goes on, and the next one is read anew.
  } catch (const nb::python_error&) {
  }
}

}  // namespace aclhost::python

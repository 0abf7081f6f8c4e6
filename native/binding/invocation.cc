// SPDX-License-Identifier: Apache-2.0
#include "binding/invocation.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "binding/gil.h"
#include "binding/numpy.h"
#include "binding/raise.h"
#include "binding/repeated.h"
#include "binding/values.h"
#include "dtypes.h"
#include "operator/rules.h"
#include "operator/run.h"
#include "operator/terms.h"
#include "operator/traced_run.h"

namespace nb = nanobind;

namespace aclhost::python {

void raise_aclnn(const Failure& failure) {
  const nb::object type = nb::module_::import_("aclhost").attr("AclnnError");
  const nb::object error =
      type(failure.message.c_str(), failure.code, failure.parameter.c_str(), failure.rule.c_str());
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

namespace {

// Of one call: enough for every list, and few enough to be described before anything is checked.
constexpr int64_t kMostResults = 1 << 16;

const Soc* require_soc(const char* op) {
  if (const Soc* soc = current_soc()) return soc;
  constexpr int32_t kInner = 561000;
  raise_aclnn({kInner, "", "known_soc",
               std::string(op) + ": ACLHOST_SOC names no known SoC; known are names like " +
                   example_socs()});
}

// An element of the tuple that receives several results, or None.
nb::handle member(nb::handle out, int index, int count) {
  if (out.is_none() || count == 1) return out;
  if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != count) {
    raise(PyExc_TypeError, "out: expected a tuple of %d arrays, got %s", count,
          Py_TYPE(out.ptr())->tp_name);
  }
  return PyTuple_GET_ITEM(out.ptr(), index);
}

// The members of any sequence. A copy: a list may change while its members are looked at.
nb::object members_of(nb::handle object, const char* name) {
  nb::object members = nb::steal(PySequence_Tuple(object.ptr()));
  if (members) return members;
  PyErr_Clear();
  raise(PyExc_TypeError, "%s: expected a sequence, got %s", name, Py_TYPE(object.ptr())->tp_name);
}

// Operators that insist on a label get the one that clients usually give.
void label_by_rank(Args* args) {
  constexpr aclFormat kLabels[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  for (size_t i = 0; i < args->tensors.size(); ++i) {
    TensorView& view = args->tensors[i];
    if (view.rank >= 3 && view.rank <= 5) view.format = kLabels[view.rank - 3];
  }
}

}  // namespace

Invocation::Invocation(const FunctionInfo& function) : function_(function), args_(*function.op) {}

const Args& Invocation::read(PyObject* const* given) {
  args_.soc = require_soc(function_.op->name);
  read_arguments(given);
  if (function_.labelled) label_by_rank(&args_);
  return args_;
}

nb::object Invocation::call(PyObject* const* given, LastCall* last) {
  const Outcome outcome = check(read(given));
  if (outcome.is_repeated) last->offer(function_, args_, given);
  function_.op->counter->add(outcome.status.ok());
  if (!outcome.status.ok()) raise_aclnn(outcome.status.failure());
  if (outcome.idle) {
    allocate_results();
    zero_new_results();
    return results();
  }
  if (!outcome.launch.ok()) raise_aclnn(outcome.launch.failure());
  allocate_results();
  announce_changes();
  const Status status = run_unlocked();
  if (!status.ok()) raise_aclnn(status.failure());
  return results();
}

void Invocation::read_arguments(PyObject* const* given) {
  const Operator& op = *function_.op;
  Argument* const arguments = args_.arguments.extend(static_cast<size_t>(op.param_count));
  for (int i = 0; i < op.param_count; ++i) {
    Argument* const argument = new (arguments + i) Argument;
    const int position = function_.positions[i];
    if (position >= 0) {
      read(op.params[i], given[position], argument);
    } else if (op.params[i].kind == ParamKind::kTensorOut) {
      *argument = {true, static_cast<uint32_t>(args_.tensors.size()), 1};
      args_.tensors.add();
    }
  }
  if (function_.result_count > 0) read_results(given[function_.parameter_count - 1]);
}

// How many integers one stands for: where the declaration leaves that open, one for each axis of
// the first tensor, which has two dimensions before them.
int Invocation::length_of(const ParamInfo& param) const {
  return param.length > 0 ? param.length : std::max(args_.tensors[0].rank - 2, 1);
}

// Part of the loop over the arguments: a call would save and restore all registers for each.
[[gnu::always_inline]] inline void Invocation::read(const ParamInfo& param, nb::handle object,
                                                    Argument* argument) {
  const char* name = param.python_name;
  switch (param.kind) {
    case ParamKind::kTensorIn:
    case ParamKind::kTensorOut:
    case ParamKind::kTensorInOut:
      return read_array(param, object, argument);
    case ParamKind::kTensorList:
    case ParamKind::kTensorListOut:
    case ParamKind::kScalarList:
      return read_members(param, object, argument);
    case ParamKind::kScalar:
      *argument = {!object.is_none(), static_cast<uint32_t>(args_.scalars.size()), 1};
      return scalar_from_python(object, name, &args_.scalars.add());
    case ParamKind::kIntArray:
      return int_array_from_python(object, name, length_of(param), &args_.integers, argument);
    case ParamKind::kFloatArray:
      return float_array_from_python(object, name, &args_.floats, argument);
    case ParamKind::kBoolArray:
      return bool_array_from_python(object, name, &args_.bytes, argument);
    case ParamKind::kText:
      return text_from_python(object, name, &args_.bytes, argument);
    case ParamKind::kFlag:
      argument->integer = flag_from_python(object, name);
      break;
    case ParamKind::kInt:
      argument->integer = integer_from_python(object, name, param.words);
      break;
    case ParamKind::kDtype:
      argument->integer = dtype_from_python(object, name);
      break;
    case ParamKind::kFloat:
      argument->real = static_cast<float>(number_from_python(object, name));
      break;
    case ParamKind::kDouble:
      argument->real = number_from_python(object, name);
      break;
  }
  argument->present = true;
}

[[gnu::always_inline]] inline const Array& Invocation::hold(nb::handle object, const char* name,
                                                            Access access, uint32_t tensor) {
  Array& array = arrays_.add();
  const TensorView& view = args_.tensors[tensor];
  array.look_at(object, name, access, &args_.tensors[tensor]);
  array.is_written = access == Access::kWrite;
  array.begin = reinterpret_cast<uintptr_t>(view.data);
  array.end = array.begin + view.storage_elements * data_type_bits(view.dtype) / 8;
  is_some_empty_ |= view.present && view.storage_elements == 0;
  return array;
}

[[gnu::always_inline]] inline void Invocation::read_array(const ParamInfo& param, nb::handle object,
                                                          Argument* argument) {
  const auto tensor = static_cast<uint32_t>(args_.tensors.size());
  args_.tensors.add();
  const bool written = param.kind != ParamKind::kTensorIn;
  const Array& array =
      hold(object, param.python_name, written ? Access::kWrite : Access::kRead, tensor);
  *argument = {args_.tensors[tensor].present, tensor, 1};
  if (!written) return;
  results_.add() = {tensor, &array, {}, false};
  has_given_result_ = true;
}

void Invocation::read_members(const ParamInfo& param, nb::handle object, Argument* argument) {
  if (object.is_none()) return;
  sequences_.push_back(members_of(object, param.python_name));
  const nb::handle members = sequences_.back();
  const bool is_written = param.kind == ParamKind::kTensorListOut;
  const bool is_tensors = is_written || param.kind == ParamKind::kTensorList;
  has_result_list_ |= is_written;
  has_given_result_ |= is_written;
  const size_t first = is_tensors ? args_.tensors.size() : args_.scalars.size();
  const Py_ssize_t count = PyTuple_GET_SIZE(members.ptr());
  *argument = {true, static_cast<uint32_t>(first), static_cast<uint32_t>(count)};
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::handle each = PyTuple_GET_ITEM(members.ptr(), i);
    if (is_tensors) {
      const auto tensor = static_cast<uint32_t>(args_.tensors.size());
      args_.tensors.add();
      const Access access = is_written ? Access::kWrite : Access::kRead;
      const Array& array = hold(each, param.python_name, access, tensor);
      if (is_written) results_.add() = {tensor, &array, {}, false};
    } else {
      scalar_from_python(each, param.python_name, &args_.scalars.add());
    }
  }
}

void Invocation::read_results(nb::handle out) {
  const Operator& op = *function_.op;
  for (int i = 0, index = 0; index < function_.result_count; ++i) {
    if (function_.positions[i] >= 0) continue;
    const nb::handle given = member(out, index++, function_.result_count);
    if (op.params[i].kind == ParamKind::kTensorListOut) {
      read_result_list(op.params[i], given, &args_.arguments[i]);
    } else {
      args_.arguments[i].present = !given.is_none() || is_made(op.params[i]);
      if (args_.arguments[i].present) {
        read_result(op.params[i], given, args_.arguments[i].first);
      } else {
        results_.add().made = nb::none();
      }
    }
  }
}

bool Invocation::is_made(const ParamInfo& param) const {
  return param.count < 0 || evaluate(Frame{args_}, param.count) != 0;
}

void Invocation::read_result(const ParamInfo& param, nb::handle given, uint32_t tensor) {
  if (given.is_none()) {
    describe_result(param, tensor);
    results_.add() = {tensor, nullptr, {}, param.sized_by_data};
    return;
  }
  has_given_result_ = true;
  results_.add() = {tensor, &hold(given, "out", Access::kWrite, tensor), {}, param.sized_by_data};
}

void Invocation::read_result_list(const ParamInfo& param, nb::handle given, Argument* argument) {
  has_result_list_ = true;
  const auto first = static_cast<uint32_t>(args_.tensors.size());
  if (!given.is_none()) {
    sequences_.push_back(members_of(given, "out"));
    const nb::handle members = sequences_.back();
    const auto count = static_cast<uint32_t>(PyTuple_GET_SIZE(members.ptr()));
    *argument = {true, first, count};
    for (uint32_t i = 0; i < count; ++i) {
      args_.tensors.add();
      read_result(param, PyTuple_GET_ITEM(members.ptr(), i), first + i);
    }
    return;
  }
  const int64_t count = param.count < 0 ? 0 : evaluate(Frame{args_}, param.count);
  if (count > kMostResults)
    raise(PyExc_MemoryError, "out: %lld results are too many", static_cast<long long>(count));
  *argument = {true, first, static_cast<uint32_t>(std::max<int64_t>(count, 0))};
  for (uint32_t i = 0; i < argument->count; ++i) {
    args_.tensors.add();
    describe_result(param, first + i, i);
    results_.add().tensor = first + i;
  }
}

void Invocation::describe_result(const ParamInfo& param, uint32_t tensor, int64_t position) {
  if (param.shape < 0) {
    raise(PyExc_TypeError, "%s() needs out: nothing else tells the shape of %s", function_.name,
          param.name);
  }
  const Frame frame{args_, nullptr, position};
  const auto dtype = static_cast<aclDataType>(evaluate(frame, param.dtype));
  const TensorView view = row_major_view(evaluate_shape(frame, param.shape), dtype);
  copy_view(view, &args_.tensors[tensor]);
}

void Invocation::allocate_results() {
  const Array none;
  results_.for_each([&](Result& result) {
    if (result.given != nullptr || result.made.is_valid()) return;
    const Array& like = arrays_.size() > 0 ? arrays_.first() : none;
    result.made = empty_result(like, args_.tensors[result.tensor]);
    hold(result.made, "out", Access::kWrite, result.tensor);
  });
}

void Invocation::announce_changes() {
  results_.for_each([](Result& result) {
    if (result.given != nullptr) announce_change(*result.given);
  });
}

void Invocation::zero_new_results() {
  results_.for_each([this](Result& result) {
    const TensorView& view = args_.tensors[result.tensor];
    if (result.given != nullptr || result.made.is_none() || view.empty()) return;
    std::memset(view.data, 0, view.elements() * data_type_bits(view.dtype) / 8);
  });
}

// Whether no input reaches into the range from the first byte that is written to the last: so for
// nearly all calls, and cheaper than the exact look of run_whole.
bool Invocation::is_disjoint() {
  uintptr_t first = UINTPTR_MAX, end = 0;
  arrays_.for_each([&](const Array& array) {
    if (!array.is_written) return;
    first = std::min(first, array.begin);
    end = std::max(end, array.end);
  });
  bool overlaps = false;
  arrays_.for_each([&](const Array& array) {
    overlaps |= !array.is_written && array.begin < end && first < array.end;
  });
  return !overlaps;
}

Status Invocation::run_unlocked() {
  const bool is_plain = !is_some_empty_ && (!has_given_result_ || is_disjoint());
  const auto start = is_plain ? run_plain : run_whole;
  if (total_elements(args_) <= kBriefElements && !is_traced()) return start(args_);
  const WithoutGil unlocked;
  return is_traced() ? run_traced(args_) : start(args_);
}

nb::object Invocation::result(Result& result) {
  const TensorView& view = args_.tensors[result.tensor];
  if (result.given != nullptr) {
    nb::object given = nb::borrow(result.given->object);
    return result.sized ? sized_result(std::move(given), view, false) : given;
  }
  if (result.made.is_none()) return result.made;
  if (result.sized) result.made = sized_result(result.made, view, true);
  return finish_result(arrays_.first(), std::move(result.made));
}

nb::object Invocation::results() {
  if (has_result_list_) return grouped_results();
  if (results_.size() == 1) return result(results_.first());
  nb::object tuple = nb::steal(PyTuple_New(results_.size()));
  int index = 0;
  results_.for_each(
      [&](Result& each) { PyTuple_SET_ITEM(tuple.ptr(), index++, result(each).release().ptr()); });
  return tuple;
}

// A tuple for each list; what is overwritten comes before what is only written.
nb::object Invocation::grouped_results() {
  std::vector<nb::object> all;
  results_.for_each([&](Result& each) { all.push_back(result(each)); });
  const Operator& op = *function_.op;
  auto next = all.begin();
  nb::list groups;
  for (const bool is_overwritten : {true, false}) {
    for (int i = 0; i < op.param_count; ++i) {
      const ParamKind kind = op.params[i].kind;
      if ((function_.positions[i] >= 0) != is_overwritten) continue;
      if (kind == ParamKind::kTensorInOut || kind == ParamKind::kTensorOut) groups.append(*next++);
      if (kind != ParamKind::kTensorListOut) continue;
      nb::list members;
      for (uint32_t k = 0; k < args_.arguments[i].count; ++k) members.append(*next++);
      groups.append(nb::tuple(members));
    }
  }
  return groups.size() == 1 ? nb::object(groups[0]) : nb::object(nb::tuple(groups));
}

}  // namespace aclhost::python

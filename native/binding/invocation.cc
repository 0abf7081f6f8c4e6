// SPDX-License-Identifier: Apache-2.0
#include "binding/invocation.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "binding/numpy.h"
#include "binding/raise.h"
#include "dtypes.h"

namespace nb = nanobind;

namespace aclhost::python {

void raise_aclnn(const Failure& failure) {
  const nb::object type = nb::module_::import_("aclhost._errors").attr("AclnnError");
  const nb::object error =
      type(failure.message.c_str(), failure.code, failure.parameter.c_str(), failure.rule.c_str());
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

const Soc& require_soc(const char* op) {
  if (const Soc* soc = current_soc()) return *soc;
  constexpr int32_t kInner = 561000;
  raise_aclnn({kInner, "", "known_soc",
               std::string(op) + ": ACLHOST_SOC names no known SoC; known are names like " +
                   example_socs()});
}

const Array& Operands::hold(nb::handle object, const char* name, Access access, TensorView* view) {
  Array& array = arrays_[array_count_++];
  array.look_at(object, name, access, view);
  return array;
}

void Operands::input(const char* name, nb::handle object, TensorView* view) {
  hold(object, name, Access::kRead, view);
}

void Operands::in_out(const char* name, nb::handle object, TensorView* view) {
  results_[result_count_++] = {view, &hold(object, name, Access::kWrite, view), {}};
}

void Operands::given_output(nb::handle object, TensorView* view) {
  results_[result_count_++] = {view, &hold(object, "out", Access::kWrite, view), {}};
}

void Operands::flag(const char* name, nb::handle object, bool* value) {
  *value = object.ptr() == Py_True;
  if (PyBool_Check(object.ptr())) return;
  if (!is_numpy_bool(object.ptr())) {
    raise(PyExc_TypeError, "%s: expected a bool, got %s", name, Py_TYPE(object.ptr())->tp_name);
  }
  *value = PyObject_IsTrue(object.ptr()) == 1;
}

void Operands::choice(const char* name, nb::handle object, std::initializer_list<const char*> words,
                      int64_t* value) {
  if (PyIndex_Check(object.ptr())) {
    if (!nb::try_cast(object, *value)) {
      raise(PyExc_OverflowError, "%s: %S fits no 64-bit integer", name, object.ptr());
    }
    return;
  }
  *value = 0;
  const bool is_word = PyUnicode_Check(object.ptr());
  for (const char* word : words) {
    if (is_word && PyUnicode_CompareWithASCIIString(object.ptr(), word) == 0) return;
    ++*value;
  }
  std::string known;
  for (const char* word : words) known += (known.empty() ? "'" : ", '") + std::string(word) + "'";
  raise(PyExc_ValueError, "%s: expected one of %s or its number, got %R", name, known.c_str(),
        object.ptr());
}

nb::handle Operands::member(nb::handle out, int index, int count) {
  if (out.is_none()) return out;
  if (!PyTuple_Check(out.ptr()) || PyTuple_GET_SIZE(out.ptr()) != count) {
    raise(PyExc_TypeError, "out: expected a tuple of %d arrays, got %R", count, out.ptr());
  }
  return PyTuple_GET_ITEM(out.ptr(), index);
}

void Operands::allocate_results() {
  for (int i = 0; i < result_count_; ++i) {
    Result& result = results_[i];
    if (result.given != nullptr) continue;
    result.made = empty_result(arrays_[0], *result.view);
    hold(result.made, "out", Access::kWrite, result.view);
  }
}

void Operands::announce_changes() const {
  for (int i = 0; i < result_count_; ++i) {
    if (results_[i].given != nullptr) announce_change(*results_[i].given);
  }
}

void Operands::zero_new_results() {
  for (int i = 0; i < result_count_; ++i) {
    const TensorView& view = *results_[i].view;
    if (results_[i].given != nullptr || view.empty()) continue;
    std::memset(view.data, 0, view.elements() * data_type_bits(view.dtype) / 8);
  }
}

nb::object Operands::result(Result& result) {
  if (result.given != nullptr) return nb::borrow(result.given->object);
  return finish_result(arrays_[0], std::move(result.made));
}

nb::object Operands::results() {
  if (result_count_ == 1) return result(results_[0]);
  nb::object tuple = nb::steal(PyTuple_New(result_count_));
  for (int i = 0; i < result_count_; ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), i, result(results_[i]).release().ptr());
  }
  return tuple;
}

}  // namespace aclhost::python

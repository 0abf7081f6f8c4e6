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

const Array& Operands::hold(nb::handle object, const char* name, Access access) {
  return arrays_[array_count_++] = Array(object, name, access);
}

void Operands::input(const char* name, nb::handle object, TensorView* view) {
  *view = hold(object, name, Access::kRead).view();
}

void Operands::in_out(const char* name, nb::handle object, TensorView* view) {
  *view = hold(object, name, Access::kWrite).view();
  results_[result_count_++] = {view, nb::borrow(object), false};
}

void Operands::output(nb::handle object, TensorView* view, const Shape& shape, aclDataType dtype) {
  results_[result_count_++] = {view, nb::borrow(object), object.is_none()};
  if (!object.is_none()) {
    *view = hold(object, "out", Access::kWrite).view();
    return;
  }
  *view = row_major_view(shape, dtype);
}

void Operands::flag(const char* name, nb::handle object, bool* value) {
  *value = object.ptr() == Py_True;
  if (PyBool_Check(object.ptr())) return;
  if (!is_numpy_bool(object.ptr())) {
    raise(PyExc_TypeError, "%s: expected a bool, got %s", name, Py_TYPE(object.ptr())->tp_name);
  }
  *value = PyObject_IsTrue(object.ptr()) == 1;
}

void Operands::int_array(const char* name, nb::handle object, int length, IntArrayView* view) {
  // Arrays have __index__ too, but only those without dimensions answer it.
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number) {
    PyErr_Clear();
    *view = int_array_from_python(object, name);
    return;
  }
  const nb::object one = nb::steal(PyTuple_Pack(1, number.ptr()));
  *view = int_array_from_python(one, name);
  view->size = static_cast<uint64_t>(length);
  std::fill_n(view->values, length, view->values[0]);
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
  std::string known;
  for (const char* word : words) {
    if (nb::isinstance<nb::str>(object) && nb::cast<std::string>(object) == word) return;
    known += (known.empty() ? "'" : ", '") + std::string(word) + "'";
    ++*value;
  }
  raise(PyExc_ValueError, "%s: expected one of %s or its number, got %R", name, known.c_str(),
        object.ptr());
}

nb::object Operands::member(nb::handle out, int index, int count) {
  if (out.is_none()) return nb::none();
  if (!nb::isinstance<nb::tuple>(out) || static_cast<int>(nb::len(out)) != count) {
    raise(PyExc_TypeError, "out: expected a tuple of %d arrays, got %R", count, out.ptr());
  }
  return out[index];
}

void Operands::allocate_results() {
  for (int i = 0; i < result_count_; ++i) {
    Result& result = results_[i];
    if (!result.is_new) continue;
    const TensorView& wanted = *result.view;
    result.object = empty_result(like(), wanted.dtype, wanted.rank, wanted.shape);
    *result.view = hold(result.object, "out", Access::kWrite).view();
  }
}

void Operands::announce_changes() const {
  for (int i = 0; i < result_count_; ++i) {
    if (!results_[i].is_new) announce_change(results_[i].object);
  }
}

void Operands::zero_new_results() {
  for (int i = 0; i < result_count_; ++i) {
    const TensorView& view = *results_[i].view;
    if (!results_[i].is_new || view.empty()) continue;
    std::memset(view.data, 0, view.elements() * data_type_bits(view.dtype) / 8);
  }
}

nb::object Operands::results() {
  for (int i = 0; i < result_count_; ++i) {
    Result& result = results_[i];
    if (result.is_new) result.object = finish_result(like(), std::move(result.object));
  }
  if (result_count_ == 1) return std::move(results_[0].object);
  nb::object tuple = nb::steal(PyTuple_New(result_count_));
  for (int i = 0; i < result_count_; ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), i, results_[i].object.release().ptr());
  }
  return tuple;
}

}  // namespace aclhost::python

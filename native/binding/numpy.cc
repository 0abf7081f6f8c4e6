// SPDX-License-Identifier: Apache-2.0
#include "binding/numpy.h"

#include <cstring>

#define NPY_NO_DEPRECATED_API NPY_1_25_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "binding/element_types.h"
#include "binding/layout.h"
#include "binding/raise.h"
#include "binding/result_memory.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

// Indexed by aclDataType; the numbers of ml_dtypes' types are given out at run time.
struct TypeNumbers {
  static constexpr int kNone = -1;
  static constexpr int kCount = 64;
  int of[kCount];
};

// Whether a thread has begun to import; guarded by the GIL.
bool numpy_asked = false;
bool types_asked = false;

int number_of(const ElementType& type) {
  const bool from_ml_dtypes =
      type.dlpack_code == dlpack::kBfloat || type.dlpack_code >= dlpack::kFloat8E4M3fn;
  nb::object name = nb::str(type.name);
  if (from_ml_dtypes) {
    name = nb::getattr(nb::module_::import_("ml_dtypes"), type.name, nb::none());
    if (name.is_none()) return TypeNumbers::kNone;
  } else if (type.dtype == ACL_COMPLEX32) {
    return TypeNumbers::kNone;
  }
  PyArray_Descr* descr = nullptr;
  if (!PyArray_DescrConverter(name.ptr(), &descr)) throw nb::python_error();
  const int number = descr->type_num;
  Py_DECREF(descr);
  return number;
}

// Not a static with an initialiser: importing can release the GIL, and a thread that waits for the
// initialiser while it holds the GIL would wait for ever. Built twice does no harm.
const TypeNumbers& type_numbers() {
  static const TypeNumbers* numbers = nullptr;
  types_asked = true;
  if (!numbers) {
    auto* made = new TypeNumbers;
    for (int& number : made->of) number = TypeNumbers::kNone;
    for (const ElementType& type : kElementTypes) made->of[type.dtype] = number_of(type);
    numbers = made;
  }
  return *numbers;
}

aclDataType user_defined_type(int number) {
  const TypeNumbers& numbers = type_numbers();
  for (const ElementType& type : kElementTypes) {
    if (numbers.of[type.dtype] == number) return type.dtype;
  }
  return ACL_DT_UNDEFINED;
}

// Of NumPy's own types. Two of them are 64 bits wide.
struct OwnTypes {
  aclDataType of[NPY_NTYPES_LEGACY];
};
constexpr OwnTypes own_types() {
  OwnTypes types = {};
  for (aclDataType& type : types.of) type = ACL_DT_UNDEFINED;
  types.of[NPY_FLOAT32] = ACL_FLOAT;
  types.of[NPY_FLOAT16] = ACL_FLOAT16;
  types.of[NPY_FLOAT64] = ACL_DOUBLE;
  types.of[NPY_BOOL] = ACL_BOOL;
  types.of[NPY_INT8] = ACL_INT8;
  types.of[NPY_UINT8] = ACL_UINT8;
  types.of[NPY_INT16] = ACL_INT16;
  types.of[NPY_UINT16] = ACL_UINT16;
  types.of[NPY_INT32] = ACL_INT32;
  types.of[NPY_UINT32] = ACL_UINT32;
  types.of[NPY_LONG] = types.of[NPY_LONGLONG] = ACL_INT64;
  types.of[NPY_ULONG] = types.of[NPY_ULONGLONG] = ACL_UINT64;
  types.of[NPY_COMPLEX64] = ACL_COMPLEX64;
  types.of[NPY_COMPLEX128] = ACL_COMPLEX128;
  return types;
}

aclDataType dtype_of(int number) {
  static constexpr OwnTypes kOwnTypes = own_types();
  if (number < NPY_NTYPES_LEGACY) return kOwnTypes.of[number];
  return PyTypeNum_ISUSERDEF(number) ? user_defined_type(number) : ACL_DT_UNDEFINED;
}

void* handler_malloc(void*, size_t size) { return take_result_memory(size); }
void* handler_calloc(void*, size_t count, size_t size) {
  void* memory = take_result_memory(count * size);
  return memory ? std::memset(memory, 0, count * size) : nullptr;
}
void* handler_realloc(void*, void* memory, size_t size) {
  return resize_result_memory(memory, size);
}
void handler_free(void*, void* memory, size_t) {
  if (memory != nullptr) give_result_memory(memory);
}

PyObject* recycling_handler() {
  static PyDataMem_Handler handler = {
      "aclhost results",
      1,
      {nullptr, handler_malloc, handler_calloc, handler_realloc, handler_free}};
  static PyObject* capsule = nullptr;
  if (!capsule) capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
  return capsule;
}

// The handler that was there.
nb::object swap_handler(PyObject* handler) {
  nb::object before = nb::steal(PyDataMem_SetHandler(handler));
  if (!before) throw nb::python_error();
  return before;
}

PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

}  // namespace

void finish_imports() {
  if (numpy_asked) import_numpy();
  if (types_asked) type_numbers();
}

void import_numpy() {
  numpy_asked = true;
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

bool is_numpy_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic); }

bool is_numpy_bool(PyObject* object) { return PyArray_IsScalar(object, Bool); }

NumpyView view_if_numpy(PyObject* object, const char* parameter, TensorView* view) {
  if (!PyArray_Check(object)) return NumpyView::kNone;
  PyArrayObject* array = as_array(object);
  view->dtype = dtype_of(PyArray_TYPE(array));
  if (view->dtype == ACL_DT_UNDEFINED) {
    raise(PyExc_TypeError, "%s: the operators know no type like %R", parameter,
          reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
  }
  if (!PyArray_ISNOTSWAPPED(array)) {
    raise(PyExc_ValueError, "%s: %R is not in native byte order; pass a copy that is", parameter,
          reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
  }
  const int64_t item_size = PyArray_ITEMSIZE(array);
  check_rank(PyArray_NDIM(array), parameter);
  view->rank = PyArray_NDIM(array);
  Reach reach;
  for (int i = 0; i < view->rank; ++i) {
    const int64_t size = view->shape[i] = PyArray_DIM(array, i);
    view->strides[i] = stride_in_elements(PyArray_STRIDE(array, i), size, item_size, parameter);
    reach.add(size, view->strides[i]);
  }
  place_view(*view, reach, PyArray_DATA(array), item_size);
  return PyArray_ISWRITEABLE(array) ? NumpyView::kWritable : NumpyView::kReadOnly;
}

PyObject* element_type_if_numpy(PyObject* object) {
  if (!PyArray_CheckExact(object)) return nullptr;
  return reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(object)));
}

char* first_element_if_like(PyObject* object, PyObject* element_type, const TensorView& view,
                            bool is_written) {
  if (element_type_if_numpy(object) != element_type) return nullptr;
  PyArrayObject* const array = as_array(object);
  const int rank = view.rank;
  if (PyArray_NDIM(array) != rank || (is_written && !PyArray_ISWRITEABLE(array))) return nullptr;
  const npy_intp *const shape = PyArray_DIMS(array), *const strides = PyArray_STRIDES(array);
  const int64_t item_size = PyArray_ITEMSIZE(array);
  for (int i = 0; i < rank; ++i) {
    if (shape[i] != view.shape[i] || strides[i] != view.strides[i] * item_size) return nullptr;
  }
  return PyArray_BYTES(array);
}

char* first_element(PyObject* array) { return PyArray_BYTES(as_array(array)); }

nb::object numpy_from_scalar(PyObject* scalar) {
  PyObject* array = PyArray_FromScalar(scalar, nullptr);
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

nb::object empty_numpy(const TensorView& wanted) {
  const ElementType* type = find_element_type(wanted.dtype);
  const int number = type ? type_numbers().of[wanted.dtype] : TypeNumbers::kNone;
  if (number == TypeNumbers::kNone) {
    raise(PyExc_TypeError, "NumPy has no type for the result's data type %d", int{wanted.dtype});
  }
  npy_intp dimensions[kMaxRank];
  for (int i = 0; i < wanted.rank; ++i) dimensions[i] = wanted.shape[i];
  const size_t size = static_cast<size_t>(wanted.elements()) * type->size;
  const bool recycled = recycles_results(size);
  // An array owns its memory by way of the handler that was there when it was made.
  nb::object before;
  if (recycled) before = swap_handler(recycling_handler());
  nb::object array = nb::steal(PyArray_SimpleNew(wanted.rank, dimensions, number));
  if (recycled) swap_handler(before.ptr());
  if (!array) throw nb::python_error();
  return array;
}

}  // namespace aclhost::python

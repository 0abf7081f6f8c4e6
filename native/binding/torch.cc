// SPDX-License-Identifier: Apache-2.0
#include "binding/torch.h"

#include <algorithm>
#include <iterator>

#include "binding/element_types.h"
#include "binding/raise.h"
#include "binding/result_memory.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

// True if torch says so about the tensor: an attribute or the answer of a method.
bool torch_says(PyObject* answer) {
  if (answer == nullptr) throw nb::python_error();
  Py_DECREF(answer);  // True and False stay
  return answer == Py_True;
}

PyObject* requires_grad(nb::handle tensor, const ForeignType& type) {
  if (const PyGetSetDef* getter = type.requires_grad) {
    return getter->get(tensor.ptr(), getter->closure);
  }
  return PyObject_GetAttrString(tensor.ptr(), "requires_grad");
}

// Not a static with an initialiser: importing can release the GIL, and a thread that waits for the
// initialiser while it holds the GIL would wait for ever. Made twice does no harm.
template <typename Make>
PyObject* made_once(PyObject*& kept, const Make& make) {
  if (kept == nullptr) kept = make().release().ptr();
  return kept;
}

nb::object torch_attribute(const char* module, const char* name) {
  return nb::module_::import_(module).attr(name);
}

// torch.empty(shape, dtype=..., device="cpu"). The device is named because
// torch.set_default_device changes the default.
nb::object ordinary_torch(const ElementType& type, const TensorView& wanted) {
  static PyObject* empty = nullptr;
  static PyObject* cpu = nullptr;
  static PyObject* keywords = nullptr;
  static PyObject* types[std::size(kElementTypes)] = {};
  PyObject* dtype = made_once(types[&type - kElementTypes], [&] {
    return nb::getattr(nb::module_::import_("torch"), type.name, nb::none());
  });
  if (dtype == Py_None) {
    raise(PyExc_TypeError, "torch has no type for the result's data type %d", int{type.dtype});
  }
  nb::object sizes = nb::steal(PyTuple_New(wanted.rank));
  for (int i = 0; i < wanted.rank; ++i) {
    PyTuple_SET_ITEM(sizes.ptr(), i, PyLong_FromLongLong(wanted.shape[i]));
  }
  PyObject* arguments[] = {
      sizes.ptr(), dtype, made_once(cpu, [] { return torch_attribute("torch", "device")("cpu"); })};
  made_once(empty, [] { return torch_attribute("torch", "empty"); });
  made_once(keywords, [] { return nb::make_tuple("dtype", "device"); });
  nb::object result = nb::steal(PyObject_Vectorcall(empty, arguments, 1, keywords));
  if (!result) throw nb::python_error();
  return result;
}

// A tensor over memory of ours, and the arrays that its description points to.
struct OwnTensor {
  dlpack::VersionedTensor managed;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];
};

void release_own(dlpack::VersionedTensor* managed) {
  give_result_memory(managed->tensor.data);
  delete static_cast<OwnTensor*>(managed->manager_context);
}

nb::object recycled_torch(const dlpack::ExchangeApi& exchange, const ElementType& type,
                          const TensorView& wanted, void* memory) {
  auto* own = new OwnTensor;
  const dlpack::DataType dtype{type.dlpack_code, static_cast<uint8_t>(type.size * 8), 1};
  own->managed = {{dlpack::kMajorVersion, 0},
                  own,
                  release_own,
                  0,
                  {memory, {dlpack::kCpu, 0}, wanted.rank, dtype, own->shape, own->strides, 0}};
  std::copy_n(wanted.shape, wanted.rank, own->shape);
  std::copy_n(wanted.strides, wanted.rank, own->strides);
  void* object = nullptr;
  if (exchange.import_managed(&own->managed, &object) != 0) {
    release_own(&own->managed);
    throw nb::python_error();
  }
  return nb::steal(static_cast<PyObject*>(object));
}

}  // namespace

void check_torch(nb::handle tensor, const ForeignType& type, const TensorView& view,
                 const char* parameter) {
  static PyObject* const is_neg = PyUnicode_InternFromString("is_neg");
  static PyObject* const is_conj = PyUnicode_InternFromString("is_conj");
  if (torch_says(requires_grad(tensor, type))) {
    raise(PyExc_ValueError,
          "%s: the tensor requires grad, and the operators record no gradients; pass .detach()",
          parameter);
  }
  if (torch_says(PyObject_CallMethodNoArgs(tensor.ptr(), is_neg))) {
    raise(PyExc_ValueError, "%s: the tensor is a lazy negation; pass .resolve_neg()", parameter);
  }
  const bool complex = view.dtype == ACL_COMPLEX64 || view.dtype == ACL_COMPLEX128;
  if (complex && torch_says(PyObject_CallMethodNoArgs(tensor.ptr(), is_conj))) {
    raise(PyExc_ValueError, "%s: the tensor is a lazy conjugate; pass .resolve_conj()", parameter);
  }
}

void count_change_of_torch(nb::handle tensor) {
  static PyObject* of_many = nullptr;
  static PyObject* of_one = nullptr;
  if (of_one == nullptr) {
    // The public function only wraps the other one, and takes three times as long.
    made_once(of_many, [] {
      return nb::getattr(nb::module_::import_("torch._C"), "_increment_version", nb::none());
    });
    PyObject* tensors = PyTuple_Pack(1, tensor.ptr());
    nb::object done = nb::steal(PyObject_CallOneArg(of_many, tensors));
    Py_XDECREF(tensors);
    if (done) return;
    PyErr_Clear();  // other releases have another function there
  }
  made_once(of_one, [] { return torch_attribute("torch.autograd.graph", "increment_version"); });
  if (!nb::steal(PyObject_CallOneArg(of_one, tensor.ptr()))) throw nb::python_error();
}

nb::object empty_torch(const ForeignType& type, const TensorView& wanted) {
  const ElementType* element = find_element_type(wanted.dtype);
  if (element == nullptr) {
    raise(PyExc_TypeError, "torch has no type for the result's data type %d", int{wanted.dtype});
  }
  const size_t size = static_cast<size_t>(wanted.elements()) * element->size;
  const bool importable = type.exchange != nullptr && type.exchange->import_managed != nullptr;
  if (importable && recycles_results(size)) {
    if (void* memory = take_result_memory(size)) {
      return recycled_torch(*type.exchange, *element, wanted, memory);
    }
  }
  return ordinary_torch(*element, wanted);
}

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
#include "binding/foreign.h"

#include "binding/element_types.h"
#include "binding/layout.h"
#include "binding/raise.h"
#include "binding/torch.h"

namespace aclhost::python {
namespace {

namespace nb = nanobind;

// An attribute of a module that the program has imported already; null otherwise. An argument of a
// library's type cannot exist before the library is loaded.
nb::object loaded_attribute(const char* module, const char* name) {
  nb::handle modules = PyImport_GetModuleDict();
  nb::handle loaded = PyDict_GetItemString(modules.ptr(), module);
  if (!loaded) return {};
  PyObject* attribute = PyObject_GetAttrString(loaded.ptr(), name);
  if (!attribute) PyErr_Clear();
  return nb::steal(attribute);
}

bool is_instance(nb::handle object, const char* module, const char* name) {
  nb::object type = loaded_attribute(module, name);
  if (!type) return false;
  const int answer = PyObject_IsInstance(object.ptr(), type.ptr());
  if (answer < 0) throw nb::python_error();
  return answer != 0;
}

const dlpack::ExchangeApi* exchange_api(nb::handle type) {
  nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  auto* api = static_cast<const dlpack::ExchangeApi*>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api && api->version.major != dlpack::kMajorVersion) api = api->previous;
  return api && api->borrow ? api : nullptr;
}

// A descriptor found on the type wins over what an instance holds, so it can be asked directly.
const PyGetSetDef* getter_of(nb::handle type, const char* name) {
  nb::object descriptor = nb::getattr(type, name, nb::none());
  if (Py_TYPE(descriptor.ptr()) != &PyGetSetDescr_Type) return nullptr;
  return reinterpret_cast<PyGetSetDescrObject*>(descriptor.ptr())->d_getset;
}

ForeignType look_up(nb::handle object) {
  ForeignType type;
  nb::handle python_type = object.type();
  type.exports_dlpack = nb::hasattr(python_type, "__dlpack__");
  if (!type.exports_dlpack) return type;
  type.exchange = exchange_api(python_type);
  if (is_instance(object, "torch", "Tensor")) {
    type.kind = ArrayKind::kTorch;
    type.requires_grad = getter_of(python_type, "requires_grad");
  } else if (is_instance(object, "jax", "Array")) {
    type.kind = ArrayKind::kJax;
  } else {
    type.kind = ArrayKind::kDlpack;
  }
  return type;
}

struct CachedType {
  PyObject* python_type;  // owned for ever, so that no other type takes its address
  ForeignType type;
};
constexpr int kCachedTypes = 8;  // a program has one or two; the others are looked up each time
// Guarded by the GIL.
CachedType cached_types[kCachedTypes];
int cached_count = 0;

void view_tensor(const dlpack::Tensor& tensor, const char* parameter, TensorView* view) {
  if (tensor.device.type != dlpack::kCpu) {
    raise(PyExc_ValueError,
          "%s: the array is on another device (DLPack device type %d); pass it "
          "in CPU memory",
          parameter, int{tensor.device.type});
  }
  const ElementType* type = nullptr;
  if (tensor.dtype.lanes == 1) {
    type = find_element_type(tensor.dtype.code, tensor.dtype.bits / 8);
  }
  if (!type) {
    raise(PyExc_TypeError, "%s: the operators know no type like DLPack's code %d with %d bits",
          parameter, int{tensor.dtype.code}, int{tensor.dtype.bits});
  }
  check_rank(tensor.rank, parameter);
  view->dtype = type->dtype;
  view->rank = tensor.rank;
  Reach reach;
  int64_t row_major = 1;
  for (int i = view->rank - 1; i >= 0; --i) {
    view->shape[i] = tensor.shape[i];
    view->strides[i] = tensor.strides ? tensor.strides[i] : row_major;
    row_major *= view->shape[i];
    reach.add(view->shape[i], view->strides[i]);
  }
  if (!tensor.data && !reach.empty) {
    raise(PyExc_ValueError, "%s: the array has no memory", parameter);
  }
  place_view(*view, reach, static_cast<char*>(tensor.data) + tensor.byte_offset, type->size);
}

// Libraries older than DLPack 1.0 know no parameter for the version.
nb::object call_dlpack(nb::handle object) {
  nb::object method = object.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(dlpack::kMajorVersion, 0));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method();
}

nb::object make_capsule(nb::handle object, const char* parameter) {
  try {
    return call_dlpack(object);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C is no verdict on the argument
    nb::raise_from(error, PyExc_ValueError, "%s: %s", parameter, nb::str(error.value()).c_str());
  }
}

// The capsule stays unconsumed: when it goes, it tells the library that we are done.
bool view_by_capsule(nb::handle object, const char* parameter, TensorView* view,
                     nb::object* keeper) {
  *keeper = make_capsule(object, parameter);
  PyObject* capsule = keeper->ptr();
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    const auto* versioned = static_cast<const dlpack::VersionedTensor*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (versioned->version.major != dlpack::kMajorVersion) {
      raise(PyExc_ValueError, "%s: DLPack %u is not supported", parameter,
            static_cast<unsigned>(versioned->version.major));
    }
    view_tensor(versioned->tensor, parameter, view);
    return !(versioned->flags & dlpack::kReadOnly);
  }
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    const void* tensor = PyCapsule_GetPointer(capsule, "dltensor");
    view_tensor(*static_cast<const dlpack::Tensor*>(tensor), parameter, view);
    return true;
  }
  raise(PyExc_TypeError, "%s: __dlpack__ returned no DLPack capsule", parameter);
}

}  // namespace

ForeignType foreign_type(nb::handle object) {
  PyObject* python_type = object.type().ptr();
  for (int i = 0; i < cached_count; ++i) {
    if (cached_types[i].python_type == python_type) return cached_types[i].type;
  }
  const ForeignType type = look_up(object);
  if (type.exports_dlpack && cached_count < kCachedTypes) {
    Py_INCREF(python_type);
    cached_types[cached_count++] = {python_type, type};
  }
  return type;
}

bool view_dlpack(nb::handle object, const ForeignType& type, const char* parameter,
                 TensorView* view, nb::object* capsule) {
  bool writable = true;
  dlpack::Tensor tensor;
  if (type.exchange && type.exchange->borrow(object.ptr(), &tensor) == 0) {
    view_tensor(tensor, parameter, view);
  } else {
    PyErr_Clear();  // the method explains better than the function table why it refuses
    writable = view_by_capsule(object, parameter, view, capsule);
  }
  if (type.kind == ArrayKind::kTorch) check_torch(object, type, *view, parameter);
  return writable && type.kind != ArrayKind::kJax;
}

}  // namespace aclhost::python

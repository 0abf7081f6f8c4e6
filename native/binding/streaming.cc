// SPDX-License-Identifier: Apache-2.0
// The benchmark's streaming loop as a Python function.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "base/isa.h"
#include "binding/array.h"
#include "binding/gil.h"
#include "binding/raise.h"

namespace nb = nanobind;

namespace aclhost {

// The loop is compiled for each instruction set, like the operators.
namespace baseline {
void stream_add(const float* a, const float* b, float* c, int64_t count);
}
#if defined(__x86_64__)
namespace avx2 {
void stream_add(const float* a, const float* b, float* c, int64_t count);
}
namespace avx512 {
void stream_add(const float* a, const float* b, float* c, int64_t count);
}
#endif

namespace python {
namespace {

// The elements of a contiguous, aligned line of floats.
float* line(const TensorView& view, const char* parameter, int64_t* length) {
  const bool is_line = view.present && view.dtype == ACL_FLOAT && view.rank == 1 &&
                       (view.shape[0] <= 1 || view.strides[0] == 1);
  float* const elements = static_cast<float*>(view.data) + view.offset;
  if (!is_line || reinterpret_cast<uintptr_t>(elements) % alignof(float) != 0) {
    raise(PyExc_ValueError, "%s must be a contiguous line of float32", parameter);
  }
  *length = view.shape[0];
  return elements;
}

void stream_add(nb::handle a, nb::handle b, nb::handle c) {
  Array arrays[3];
  TensorView views[3];
  import_array_libraries();
  arrays[0].look_at(a, "a", Access::kRead, &views[0]);
  arrays[1].look_at(b, "b", Access::kRead, &views[1]);
  arrays[2].look_at(c, "c", Access::kWrite, &views[2]);
  int64_t lengths[3];
  const float* const from_a = line(views[0], "a", &lengths[0]);
  const float* const from_b = line(views[1], "b", &lengths[1]);
  float* const to = line(views[2], "c", &lengths[2]);
  if (lengths[0] != lengths[2] || lengths[1] != lengths[2]) {
    raise(PyExc_ValueError, "a, b and c must be equally long");
  }
  const WithoutGil unlocked;
#if defined(__x86_64__)
  if (current_isa() == Isa::kAvx512) return avx512::stream_add(from_a, from_b, to, lengths[2]);
  if (current_isa() == Isa::kAvx2) return avx2::stream_add(from_a, from_b, to, lengths[2]);
#endif
  baseline::stream_add(from_a, from_b, to, lengths[2]);
}

}  // namespace

void bind_streaming(nb::module_& module) {
  module.def("stream_add", &stream_add, nb::arg("a"), nb::arg("b"), nb::arg("c"));
}

}  // namespace python
}  // namespace aclhost

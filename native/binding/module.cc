// SPDX-License-Identifier: Apache-2.0
// The native Python module. The operators' functions are generated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "base/calls.h"
#include "base/isa.h"
#include "base/openblas.h"
#include "base/parallel.h"
#include "binding/array.h"
#include "binding/numpy.h"
#include "binding/raise.h"
#include "binding/result_memory.h"
#include "observe/python_frames.h"
#include "operator/launch.h"
#include "operator/objects.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace nb = nanobind;

namespace aclhost::python {

void bind_operators(nb::module_& module);  // generated
void bind_c_loop(nb::module_& module);
void bind_compare(nb::module_& module);
void bind_streaming(nb::module_& module);

namespace {

void select(const char* name) {
  if (!select_soc(name)) {
    raise(PyExc_ValueError, "unknown SoC '%s'; known are names like %s", name,
          example_socs().c_str());
  }
}

std::string soc_name() {
  const Soc* soc = current_soc();
  if (soc == nullptr) raise(PyExc_ValueError, "ACLHOST_SOC names no known SoC");
  return soc->name;
}

const char* instruction_set() {
  switch (current_isa()) {
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx2:
      return "avx2";
    default:
      return "baseline";
  }
}

nb::dict live_objects() {
  nb::dict counts;
  counts["tensor"] = tensors().live();
  counts["scalar"] = scalars().live();
  counts["int_array"] = int_arrays().live();
  counts["float_array"] = float_arrays().live();
  counts["bool_array"] = bool_arrays().live();
  counts["tensor_list"] = tensor_lists().live();
  counts["scalar_list"] = scalar_lists().live();
  counts["executor"] = executors().live();
  counts["allocation"] = live_allocations();
  return counts;
}

nb::dict result_memory_state() {
  const ResultMemory memory = result_memory();
  nb::dict state;
  state["kept"] = memory.kept;
  state["buffers"] = memory.buffers;
  state["limit"] = memory.limit;
  return state;
}

nb::dict python_call_counts() {
  nb::dict counts;
  for (const CallCount& count : call_counts()) {
    counts[count.op.c_str()] = nb::make_tuple(count.calls, count.refused);
  }
  return counts;
}

}  // namespace
}  // namespace aclhost::python

NB_MODULE(_native, module) {
  module.def("select_soc", &aclhost::python::select, nb::arg("name").none());
  module.def("soc_name", &aclhost::python::soc_name);
  module.def("live_objects", &aclhost::python::live_objects);
  module.def("instruction_set", &aclhost::python::instruction_set);
  module.def("thread_count", &aclhost::thread_count);
  module.def("describe_blas", &aclhost::describe_blas);
  module.def("result_memory", &aclhost::python::result_memory_state);
  module.def("finish_imports", &aclhost::python::finish_imports);
  module.def("note_python_frames", &aclhost::note_python_frames);
  module.def("forget_python_frames", &aclhost::forget_python_frames);
  module.def("call_counts", &aclhost::python::python_call_counts);
  aclhost::python::bind_c_loop(module);
  aclhost::python::bind_compare(module);
  aclhost::python::bind_streaming(module);
  aclhost::python::bind_operators(module);
}

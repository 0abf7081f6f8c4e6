// SPDX-License-Identifier: Apache-2.0
// Makes the loops of generated kernels callable one by one, without the engine.
#include "kernels.cc"  // generated

namespace aclhost {
inline namespace ACLHOST_ISA {

static const PointwiseKernel* asked_for;

Status run_pointwise(const Args&, const PointwiseKernel& kernel) {
  asked_for = &kernel;
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

using aclhost::Args;
using aclhost::PointwiseKernel;

struct Case {
  const char* name;
  aclhost::Status (*kernel)(const Args& args);
};
static const Case kCases[] = {
#include "cases.inc"
};

// The tables of a kernel, which never looks at its arguments here.
static const PointwiseKernel& tables_of(const char* name) {
  alignas(Args) static char no_arguments[sizeof(Args)];
  for (const Case& each : kCases) {
    if (std::strcmp(each.name, name) != 0) continue;
    if (!each.kernel(reinterpret_cast<const Args&>(no_arguments)).ok()) break;
    return *aclhost::asked_for;
  }
  static const PointwiseKernel nothing = {};
  return nothing;
}

extern "C" void* find_loop(const char* name, int variant, int dtype) {
  const PointwiseKernel& kernel = tables_of(name);
  for (int i = 0; i < kernel.dtypes; ++i) {
    const auto& row = kernel.loops.rows[variant * kernel.dtypes + i];
    if (row.dtype == dtype) return reinterpret_cast<void*>(row.loop);
  }
  return nullptr;
}

// All numbers of a kernel's tables in a row, -9 between the tables; returns how many.
extern "C" int table_values(const char* name, int* values) {
  const PointwiseKernel& kernel = tables_of(name);
  int* next = values;
  *next++ = kernel.computed;
  *next++ = kernel.variant;
  for (const auto& table : {kernel.inputs, kernel.outputs}) {
    *next++ = -9;
    for (int i = 0; i < table.count; ++i) {
      *next++ = table.rows[i].param;
      *next++ = table.rows[i].dtype;
    }
  }
  *next++ = -9;
  for (int i = 0; i < kernel.numbers.count; ++i) {
    *next++ = kernel.numbers.rows[i].param;
    *next++ = kernel.numbers.rows[i].dtype;
    *next++ = static_cast<int>(kernel.numbers.rows[i].absent);
  }
  return static_cast<int>(next - values);
}

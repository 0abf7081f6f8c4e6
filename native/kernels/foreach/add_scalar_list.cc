// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise.h"
#include "ops/foreach_add_scalar_list.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void add_float(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] + numbers[0].f;
}

// It wraps.
void add_integer(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const uint32_t* const from = static_cast<const uint32_t*>(in[0]);
  uint32_t* const to = static_cast<uint32_t*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] + numbers[0].u32;
}

}  // namespace

Status run(const ForeachAddScalarListArgs& args) {
  for (uint64_t i = 0; i < args.x.size; ++i) {
    const TensorView &from = args.x.values[i], &to = args.out.values[i];
    if (from.empty()) continue;
    const bool whole = from.dtype == ACL_INT32;
    const Operand in = {&from, from.dtype}, out = {&to, from.dtype};
    const Number number = number_of(args.scalars.values[i], whole ? ACL_INT32 : ACL_FLOAT);
    const Status status = pointwise(whole ? add_integer : add_float, &out, 1, &in, 1, &number);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

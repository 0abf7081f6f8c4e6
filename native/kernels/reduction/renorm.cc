// SPDX-License-Identifier: Apache-2.0
#include "ops/renorm.h"

#include <algorithm>
#include <memory>
#include <new>

#include "engines/block_loop.h"
#include "kernels/reduction/norms.h"
#include "ops/inplace_renorm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr double kLeastNorm = 1e-12;

struct Limit {
  float order;
  int64_t dim;
  float most;
};

void products(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const x = static_cast<const float*>(in[0]);
  const float* const factor = static_cast<const float*>(in[1]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = x[i] * factor[i];
}

Status renorm(const TensorView& self, const Limit& limit, const TensorView& out) {
  if (self.empty()) return {};
  const uint32_t own = mask_of(limit.dim, self.rank), others = ((1u << self.rank) - 1) & ~own;
  Shape slices = shape_of(self);
  for (int i = 0; i < slices.rank; ++i)
    slices.dims[i] = (others >> i & 1) != 0 ? 1 : slices.dims[i];
  TensorView factors = row_major_view(slices, ACL_FLOAT);
  const int64_t count = factors.elements();
  const std::unique_ptr<float[]> memory(new (std::nothrow) float[count]);
  if (memory == nullptr) return no_memory_for_blocks();
  factors.data = memory.get();
  const Status status = compute_norm(limit.order, self, others, factors);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < count; ++i) {
    const double norm = memory[i], most = limit.most;
    memory[i] = norm > most ? static_cast<float>(most / std::max(norm, kLeastNorm)) : 1.0f;
  }
  const Operand outs[] = {{&out, self.dtype}};
  const Operand ins[] = {{&self, self.dtype}, {&factors, ACL_FLOAT}};
  return pointwise(products, outs, 1, ins, 2, nullptr);
}

}  // namespace

Status run(const RenormArgs& args) {
  return renorm(args.self, {args.p.to_float(), args.dim, args.maxNorm.to_float()}, args.out);
}

Status run(const InplaceRenormArgs& args) {
  return renorm(args.selfRef, {args.p.to_float(), args.dim, args.maxNorm.to_float()}, args.selfRef);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

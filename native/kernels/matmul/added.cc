// SPDX-License-Identifier: Apache-2.0
#include "engines/gemm.h"
#include "ops/addbmm.h"
#include "ops/addmm.h"
#include "ops/baddbmm.h"
#include "ops/inplace_addbmm.h"
#include "ops/inplace_addmm.h"
#include "ops/inplace_baddbmm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status add(const TensorView& out, const TensorView& addend, const TensorView& a,
           const TensorView& b, const ScalarValue& beta, const ScalarValue& alpha,
           bool sums_batches = false) {
  return gemm({out, a, b, &addend, alpha.to_float(), beta.to_float(), sums_batches});
}

}  // namespace

Status run(const AddmmArgs& args) {
  return add(args.out, args.self, args.mat1, args.mat2, args.beta, args.alpha);
}

Status run(const InplaceAddmmArgs& args) {
  return add(args.selfRef, args.selfRef, args.mat1, args.mat2, args.beta, args.alpha);
}

Status run(const BaddbmmArgs& args) {
  return add(args.out, args.self, args.batch1, args.batch2, args.beta, args.alpha);
}

Status run(const InplaceBaddbmmArgs& args) {
  return add(args.selfRef, args.selfRef, args.batch1, args.batch2, args.beta, args.alpha);
}

Status run(const AddbmmArgs& args) {
  return add(args.out, args.self, args.batch1, args.batch2, args.beta, args.alpha, true);
}

Status run(const InplaceAddbmmArgs& args) {
  return add(args.selfRef, args.selfRef, args.batch1, args.batch2, args.beta, args.alpha, true);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

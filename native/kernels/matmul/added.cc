// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engines/gemm.h"
#include "ops/addbmm.h"
#include "ops/addmm.h"
#include "ops/baddbmm.h"
#include "ops/gemm.h"
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

TensorView turned(const TensorView& matrix, bool is_turned) {
  TensorView view = matrix;
  if (is_turned) {
    std::swap(view.shape[0], view.shape[1]);
    std::swap(view.strides[0], view.strides[1]);
  }
  return view;
}

}  // namespace

Status run(const GemmArgs& args) {
  const TensorView a = turned(args.A, args.transA != 0), b = turned(args.B, args.transB != 0);
  return gemm({args.out, a, b, &args.C, args.alpha, args.beta});
}

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

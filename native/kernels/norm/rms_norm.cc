// SPDX-License-Identifier: Apache-2.0
// Norms by the root of the mean square, with sums before them.
#include "ops/rms_norm.h"

#include "kernels/creation/fill.h"
#include "kernels/norm/row_norm.h"
#include "ops/add_rms_norm.h"
#include "ops/gemma_rms_norm.h"
#include "ops/inplace_add_rms_norm.h"
#include "ops/rms_norm_grad.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

RowNorm rms_norm(const TensorView& x, const TensorView& gamma, double epsilon, const TensorView& y,
                 const TensorView& rstd) {
  RowNorm norm;
  norm.split = x.rank - gamma.rank;
  norm.epsilon = epsilon;
  norm.centred = false;
  norm.x = &x;
  norm.weight = &gamma;
  norm.y = &y;
  norm.rstd = &rstd;
  return norm;
}

}  // namespace

Status run(const RmsNormArgs& args) {
  return normalize(rms_norm(args.x, args.gamma, args.epsilon, args.yOut, args.rstdOut));
}

Status run(const GemmaRmsNormArgs& args) {
  RowNorm norm = rms_norm(args.x, args.gamma, args.epsilon, args.yOut, args.rstdOut);
  norm.weight_offset = 1;
  return normalize(norm);
}

Status run(const AddRmsNormArgs& args) {
  RowNorm norm = rms_norm(args.x1, args.gamma, args.epsilon, args.yOut, args.rstdOut);
  norm.addend = &args.x2;
  norm.sum = &args.xOut;
  return normalize(norm);
}

Status run(const InplaceAddRmsNormArgs& args) {
  RowNorm norm = rms_norm(args.x1Ref, args.gamma, args.epsilon, args.x1Ref, args.rstdOut);
  norm.addend = &args.x2Ref;
  norm.sum = &args.x2Ref;
  return normalize(norm);
}

Status run(const RmsNormGradArgs& args) {
  RowNormGradient norm;
  norm.split = args.x.rank - args.gamma.rank;
  norm.gradient = &args.dy;
  norm.x = &args.x;
  norm.rstd = &args.rstd;
  norm.weight = &args.gamma;
  norm.of_x = &args.dxOut;
  norm.of_weight = &args.dgammaOut;
  return args.x.empty() ? fill_with_zero(args.dgammaOut) : differentiate(norm);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Layer norm.
#include "ops/layer_norm.h"

#include <cmath>

#include "kernels/norm/parameters.h"
#include "kernels/norm/row_norm.h"
#include "ops/layer_norm_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

int split_of(const TensorView& x, const IntArrayView& normalized) {
  return x.rank - static_cast<int>(normalized.size);
}

}  // namespace

Status run(const LayerNormArgs& args) {
  if (args.input.empty()) {  // of nothing
    const Status status = fill_with(0, args.meanOutOptional);
    return status.ok() ? fill_with(std::nan(""), args.rstdOutOptional) : status;
  }
  RowNorm norm;
  norm.split = split_of(args.input, args.normalizedShape);
  norm.epsilon = args.eps;
  norm.centred = true;
  norm.x = &args.input;
  norm.weight = &args.weightOptional;
  norm.bias = &args.biasOptional;
  norm.y = &args.out;
  norm.mean = &args.meanOutOptional;
  norm.rstd = &args.rstdOutOptional;
  return normalize(norm);
}

Status run(const LayerNormBackwardArgs& args) {
  RowNormGradient norm;
  norm.split = split_of(args.input, args.normalizedShape);
  norm.gradient = &args.gradOut;
  norm.x = &args.input;
  norm.mean = &args.mean;
  norm.rstd = &args.rstd;
  norm.weight = &args.weightOptional;
  norm.of_x = wanted(args.outputMask, 0, args.gradInputOut);
  norm.of_weight = wanted(args.outputMask, 1, args.gradWeightOut);
  norm.of_bias = wanted(args.outputMask, 2, args.gradBiasOut);
  if (!args.input.empty()) return differentiate(norm);
  const Status status = fill_with(0, or_absent(norm.of_weight));
  return status.ok() ? fill_with(0, or_absent(norm.of_bias)) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

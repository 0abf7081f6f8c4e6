// SPDX-License-Identifier: Apache-2.0
#include "engines/copy.h"
#include "kernels/convolution/convolution.h"
#include "kernels/reduction/one_tensor.h"
#include "ops/convolution_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status clear(const TensorView& out) {
  if (!out.present || out.empty()) return {};
  ScalarValue zero;
  zero.present = true;
  zero.dtype = ACL_FLOAT;
  return fill(out, zero);
}

// Sums over all dimensions but the channels.
Status sum_channels(const TensorView& gradient, const TensorView& out) {
  const OneTensor in = {gradient, ((1U << gradient.rank) - 1) & ~2U, gradient.dtype};
  return reduce_tensor({Reduce::kSum, loop_type(gradient.dtype)}, in, out.dtype, out);
}

}  // namespace

Status run(const ConvolutionBackwardArgs& args) {
  const TensorView &slope = args.gradOutput, &input = args.input, &weight = args.weight;
  const bool of_input = args.outputMask.at(0), of_weight = args.outputMask.at(1),
             of_bias = args.outputMask.at(2);
  if (input.empty() || weight.empty() || slope.empty()) {
    const Status status = of_weight ? clear(args.gradWeight) : Status{};
    return status.ok() && of_bias ? clear(args.gradBias) : status;
  }
  const Windows windows(input.rank - 2, args.stride, args.padding, args.dilation, args.groups);
  Status status;
  if (of_input) {
    const TensorView no_bias;
    const auto compute = args.transposed ? convolve : convolve_transposed;
    status = compute(args.gradInput, slope, weight, no_bias, windows);
  }
  if (status.ok() && of_weight) {
    status = weigh(args.gradWeight, args.transposed ? slope : input,
                   args.transposed ? input : slope, windows);
  }
  return status.ok() && of_bias ? sum_channels(slope, args.gradBias) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

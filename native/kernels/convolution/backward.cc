// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/gradients.h"
#include "ops/convolution_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
Status run(const ConvolutionBackwardArgs& args) {
  const TensorView &slope = args.gradOutput, &input = args.input, &weight = args.weight;
  const bool of_input = args.outputMask.at(0), of_weight = args.outputMask.at(1),
             of_bias = args.outputMask.at(2);
  if (input.empty() || weight.empty() || slope.empty()) {
    const Status status = of_weight ? clear_gradient(args.gradWeight) : Status{};
    return status.ok() && of_bias ? clear_gradient(args.gradBias) : status;
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
  return status.ok() && of_bias ? sum_all_but(1, slope, args.gradBias) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/convolution.h"
#include "ops/convolution.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const ConvolutionArgs& args) {
  const Windows windows(args.input.rank - 2, args.stride, args.padding, args.dilation, args.groups);
  const auto compute = args.transposed ? convolve_transposed : convolve;
  return compute(args.output, args.input, args.weight, args.bias, windows);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

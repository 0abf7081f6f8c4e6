// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/convolution.h"
#include "ops/conv_depthwise2d.h"
#include "ops/convolution.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const ConvolutionArgs& args) {
  const Windows windows(args.input.rank - 2, args.stride, args.padding, args.dilation, args.groups);
  const auto compute = args.transposed ? convolve_transposed : convolve;
  return compute(args.output, args.input, args.weight, args.bias, windows);
}

Status run(const ConvDepthwise2dArgs& args) {
  const Windows windows(2, args.stride, args.padding, args.dilation, args.self.shape[1]);
  return convolve(args.out, args.self, args.weight, args.bias, windows);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

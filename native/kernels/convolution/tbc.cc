// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/gradients.h"
#include "ops/conv_tbc.h"
#include "ops/conv_tbc_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

TensorView permuted(const TensorView& view, int first, int second, int third) {
  TensorView moved = view;
  const int from[] = {first, second, third};
  for (int i = 0; i < 3; ++i) {
    moved.shape[i] = view.shape[from[i]];
    moved.strides[i] = view.strides[from[i]];
  }
  return moved;
}

// Time, batch, channels as batch, channels, time.
TensorView sequence(const TensorView& view) { return permuted(view, 1, 2, 0); }

// Kernel, channels of the image and of the map as the opposite.
TensorView kernel(const TensorView& view) { return permuted(view, 2, 1, 0); }

Windows padded(const int64_t& pad) {
  static constexpr int64_t kOne = 1;
  const IntArrayView one = {true, 1, &kOne};
  return {1, one, {true, 1, &pad}, one, 1};
}

// Every place holds the bias.
Status fill_with_bias(const TensorView& out, const TensorView& bias) {
  TensorView spread = out;
  spread.data = bias.data;
  spread.dtype = bias.dtype;
  spread.offset = bias.offset;
  spread.strides[0] = spread.strides[1] = 0;
  spread.strides[2] = bias.strides[0];
  return copy(out, spread);
}

}  // namespace

Status run(const ConvTbcArgs& args) {
  if (args.self.empty() || args.weight.empty()) return fill_with_bias(args.output, args.bias);
  return convolve(sequence(args.output), sequence(args.self), kernel(args.weight), args.bias,
                  padded(args.pad));
}

Status run(const ConvTbcBackwardArgs& args) {
  const TensorView slope = sequence(args.self), no_bias;
  const Windows windows = padded(args.pad);
  Status status;
  if (args.input.empty() || args.weight.empty()) {
    status = clear_gradient(args.gradInput);
    if (status.ok()) status = clear_gradient(args.gradWeight);
  } else {
    status =
        convolve_transposed(sequence(args.gradInput), slope, kernel(args.weight), no_bias, windows);
    if (status.ok()) {
      status = weigh(kernel(args.gradWeight), sequence(args.input), slope, windows);
    }
  }
  return status.ok() ? sum_all_but(2, args.self, args.gradBias) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

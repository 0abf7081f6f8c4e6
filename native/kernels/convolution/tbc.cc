// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/cast.h"
#include "engines/gemm.h"
#include "engines/matrix.h"
#include "engines/overlap.h"
#include "kernels/convolution/gradients.h"
#include "kernels/convolution/tbc_weights.h"
#include "kernels/shape/views.h"
#include "ops/conv_tbc.h"
#include "ops/conv_tbc_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Time comes first, so what one element of the kernel meets is a matrix as it lies in memory: a
// convolution is a sum of products of matrices, one for each element.

// 8-bit floats go through FLOAT.
aclDataType factor_type(const TensorView& view) {
  return find_cast(view.dtype, ACL_FLOAT) != nullptr ? view.dtype : ACL_FLOAT;
}

Status as_factor(const TensorView& view, CopiedView* factor) {
  return dense_as(view, factor_type(view), *factor);
}

// Steps of a dense sequence from one on, with zeros where it has none.
Status take_steps(const TensorView& sequence, int64_t first, int64_t count, CopiedView* taken) {
  if (first >= 0 && count <= sequence.shape[0] - first) {
    taken->view = sequence;
    narrow(taken->view, 0, first, count);
    return {};
  }
  Shape shape = shape_of(sequence);
  shape.dims[0] = count;
  Status status = make_dense(shape, sequence.dtype, *taken);
  const int64_t begin = std::clamp<int64_t>(-first, 0, count);
  const int64_t end = std::clamp(sequence.shape[0] - first, begin, count);
  const auto part = [&](const TensorView& of, int64_t from, int64_t length) {
    TensorView view = of;
    narrow(view, 0, from, length);
    return view;
  };
  if (status.ok()) status = clear_gradient(part(taken->view, 0, begin));
  if (status.ok()) status = clear_gradient(part(taken->view, end, count - end));
  if (!status.ok() || begin == end) return status;
  return copy(part(taken->view, begin, end - begin), part(sequence, first + begin, end - begin));
}

// A matrix for each element of the kernel, of `windows` steps, the next one a step further.
TensorView met_by(const TensorView& dense, int64_t kernel, int64_t windows) {
  const int64_t batch = dense.shape[1], channels = dense.shape[2];
  TensorView view = matrix_view(dense, windows * batch, channels, channels);
  insert_axis(view, 0, kernel, batch * channels);
  return view;
}

struct Steps {
  const TensorView& out;  // rows of a matrix, some for each step
  const TensorView& sequence;
  int64_t first;
  const TensorView& weight;
  const TensorView* bias;
};

// Those of the result's steps that lie in [begin, end).
Status convolve_range(const Steps& work, int64_t begin, int64_t end) {
  if (begin == end) return {};
  const int64_t kernel = work.weight.shape[0], batch = work.sequence.shape[1];
  CopiedView steps;
  const Status status =
      take_steps(work.sequence, work.first + begin, end - begin + kernel - 1, &steps);
  if (!status.ok()) return status;
  TensorView rows = work.out;
  narrow(rows, 0, begin * batch, (end - begin) * batch);
  return gemm({rows, met_by(steps.view, kernel, end - begin), work.weight, work.bias, 1, 1, true});
}

// Steps of a long result that meet no padding, apart from those at its ends: they read the sequence
// where it is. Those of a short one all count as an end.
struct Middle {
  Middle(int64_t length, int64_t first, int64_t kernel, int64_t windows) {
    constexpr int64_t kLong = 16;  // times the steps at the ends
    begin = std::clamp<int64_t>(-first, 0, windows);
    end = std::clamp(length - first - kernel + 1, begin, windows);
    if (end - begin < kLong * (windows - (end - begin))) begin = end = windows;
  }

  int64_t begin, end;
};

Status convolve_apart(const Steps& work, int64_t windows) {
  const Middle middle(work.sequence.shape[0], work.first, work.weight.shape[0], windows);
  Status status = convolve_range(work, 0, middle.begin);
  if (status.ok()) status = convolve_range(work, middle.begin, middle.end);
  return status.ok() ? convolve_range(work, middle.end, windows) : status;
}

// out[t] = the sum of sequence[t + first + k] times weight[k], and the bias.
Status convolve_steps(const TensorView& out, const TensorView& sequence, int64_t first,
                      const TensorView& weight, const TensorView* bias) {
  CopiedView dense, factor, added;
  MatrixOutput rows;
  Status status = as_factor(sequence, &dense);
  if (status.ok()) status = as_factor(weight, &factor);
  if (status.ok() && bias != nullptr) status = as_factor(*bias, &added);
  if (status.ok()) status = rows.open(out, factor_type(out), 2);
  if (!status.ok()) return status;
  const TensorView* const addend = bias == nullptr ? nullptr : &added.view;
  status = convolve_apart({rows.view(), dense.view, first, factor.view, addend}, out.shape[0]);
  return status.ok() ? rows.close() : status;
}

// What steps [begin, end) of the slope, which meet no padding, add to each element of the kernel.
Status weigh_range(const TensorView& out, const TensorView& input, const TensorView& slope,
                   int64_t pad, int64_t begin, int64_t end, const TensorView* addend) {
  const int64_t kernel = out.shape[0], windows = std::max<int64_t>(end - begin, 0);
  TensorView steps = input, slopes = slope;
  if (windows > 0) {
    narrow(steps, 0, begin - pad, windows + kernel - 1);
    narrow(slopes, 0, begin, windows);
  } else {
    narrow(slopes, 0, 0, 0);
  }
  TensorView a = met_by(steps, kernel, windows);
  if (weighs_in_place(a, slopes)) return weigh_in_place(out, a, slopes, addend);
  swap_axes(a, 1, 2);
  return gemm({out, a, met_by(slopes, 1, windows), addend});
}

// out[k] = the sum of input[t - pad + k], transposed, times slope[t]. Where all elements of the
// kernel meet the input, they are weighed together; at the ends, each where it meets the input: an
// infinite slope times padding would be NaN.
Status weigh_steps(const TensorView& out, const TensorView& input, const TensorView& slope,
                   int64_t pad) {
  const int64_t windows = slope.shape[0], length = input.shape[0];
  const Middle middle(length, -pad, out.shape[0], windows);
  CopiedView dense, map, ends;
  Status status = as_factor(input, &dense);
  if (status.ok()) status = as_factor(slope, &map);
  if (!status.ok()) return status;
  if (middle.begin == 0 && middle.end == windows) {
    return weigh_range(out, dense.view, map.view, pad, 0, windows, nullptr);
  }
  const bool all_end = middle.begin == windows;
  if (!all_end) status = make_dense(shape_of(out), ACL_FLOAT, ends);
  for (int64_t tap = 0; status.ok() && tap < out.shape[0]; ++tap) {
    TensorView to = all_end ? out : ends.view;
    narrow(to, 0, tap, 1);
    const int64_t begin = std::max<int64_t>(pad - tap, 0);
    const int64_t end = std::min(length + pad - tap, windows);
    const auto weigh = [&](int64_t from, int64_t until, const TensorView* addend) {
      return weigh_range(to, dense.view, map.view, pad - tap, from, until, addend);
    };
    status = weigh(begin, std::min(middle.begin, end), nullptr);
    if (status.ok() && !all_end) status = weigh(middle.end, end, &to);
  }
  if (!status.ok() || all_end) return status;
  return weigh_range(out, dense.view, map.view, pad, middle.begin, middle.end, &ends.view);
}

// The kernel from its end on, from channels of the map to those of the image.
TensorView turned(const TensorView& weight) {
  TensorView view = weight;
  view.offset += (weight.shape[0] - 1) * weight.strides[0];
  view.strides[0] = -weight.strides[0];
  swap_axes(view, 1, 2);
  return view;
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
  return convolve_steps(args.output, args.self, -args.pad, args.weight, &args.bias);
}

Status run(const ConvTbcBackwardArgs& args) {
  Status status;
  if (args.input.empty() || args.weight.empty()) {
    status = clear_gradient(args.gradInput);
    if (status.ok()) status = clear_gradient(args.gradWeight);
  } else {
    const int64_t first = args.pad + 1 - args.weight.shape[0];
    status = convolve_steps(args.gradInput, args.self, first, turned(args.weight), nullptr);
    if (status.ok()) status = weigh_steps(args.gradWeight, args.input, args.self, args.pad);
  }
  return status.ok() ? sum_all_but(2, args.self, args.gradBias) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

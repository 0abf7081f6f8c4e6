// SPDX-License-Identifier: Apache-2.0
// Gradients of PReLU: with respect to its input point by point, with respect to its weight as sums.
//
// Note [Sums of channels]
// What is summed comes as a dense tensor of floats, seen as batch x channels x row. A row is cut in
// parts; a part is summed in double (sums.h). Parts in the order of positions are
// added to groups of some kGroup elements, and groups in their order to the result. All of it
// follows from the shape.
#include "ops/prelu_backward.h"

#include <algorithm>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/pointwise.h"
#include "engines/sums.h"
#include "engines/view_terms.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kPart = 4096;    // elements of a row
constexpr int64_t kGroup = 65536;  // elements of all channels

// The first output may lie where an input does.
void gradient_loop(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* gradient = static_cast<const float*>(in[0]);
  const float* x = static_cast<const float*>(in[1]);
  const float* weight = static_cast<const float*>(in[2]);
  float* of_input = static_cast<float*>(out[0]);
  float* of_weight = static_cast<float*>(out[1]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const bool positive = x[i] > 0;
    const float g = gradient[i], below = g * x[i];
    of_weight[i] = positive ? 0.0f : below;
    of_input[i] = positive ? g : g * weight[i];
  }
}

struct Channels {
  int64_t batch = 1, channels = 1, row = 1;

  Channels(const TensorView& self, int64_t weights) {
    if (weights == 1) {
      row = self.elements();
      return;
    }
    batch = self.shape[0];
    channels = self.shape[1];
    row = self.elements() / (batch * channels);
  }

  int64_t parts() const { return (row + kPart - 1) / kPart; }
  int64_t units() const { return batch * parts(); }
  int64_t units_in_group() const {
    return std::max<int64_t>(1, kGroup / (channels * std::min(row, kPart)));
  }
  int64_t groups() const { return (units() + units_in_group() - 1) / units_in_group(); }
};

// Adds a part of every row of one element of the batch.
void add_unit(const float* values, const Channels& shape, int64_t unit, double* sums) {
  const int64_t part = unit % shape.parts(), begin = part * kPart;
  const int64_t count = std::min(kPart, shape.row - begin);
  const float* first = values + unit / shape.parts() * shape.channels * shape.row + begin;
  if (shape.row == 1) {
    for (int64_t c = 0; c < shape.channels; ++c) sums[c] += first[c];
    return;
  }
  for (int64_t c = 0; c < shape.channels; ++c) sums[c] += sum_of(first + c * shape.row, count);
}

// One array of sums for each group, the first one then for all.
void sum_channels(const float* values, const Channels& shape, double* sums) {
  const int64_t channels = shape.channels, step = shape.units_in_group();
  parallel_for(shape.groups(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      double* const own = sums + group * channels;
      std::fill_n(own, channels, 0.0);
      const int64_t last = std::min(shape.units(), (group + 1) * step);
      for (int64_t unit = group * step; unit < last; ++unit) add_unit(values, shape, unit, own);
    }
  });
  for (int64_t group = 1; group < shape.groups(); ++group) {
    for (int64_t c = 0; c < channels; ++c) sums[c] += sums[group * channels + c];
  }
}

}  // namespace

Status run(const PreluBackwardArgs& args) {
  CopiedView weight, terms, sums;
  weight.view = args.weight;
  Status status = along_channels(args.self.rank, weight);
  if (status.ok()) status = make_dense(shape_of(args.self), ACL_FLOAT, terms);
  if (!status.ok()) return status;
  const aclDataType dtype = args.self.dtype;
  const Operand ins[] = {{&args.gradOutput, dtype}, {&args.self, dtype}, {&weight.view, dtype}};
  const Operand outs[] = {{&args.gradInput, dtype}, {&terms.view, ACL_FLOAT}};
  status = pointwise(gradient_loop, outs, 2, ins, 3, nullptr);
  if (!status.ok()) return status;

  const Channels shape(args.self, args.weight.elements());
  Shape kept;
  kept.rank = 2;
  kept.dims[0] = shape.groups();
  kept.dims[1] = shape.channels;
  status = make_dense(kept, ACL_DOUBLE, sums);
  if (!status.ok()) return status;
  sum_channels(static_cast<float*>(terms.view.data), shape, static_cast<double*>(sums.view.data));
  TensorView result = row_major_view(shape_of(args.gradWeight), ACL_DOUBLE);
  result.data = sums.view.data;
  return copy(args.gradWeight, result);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

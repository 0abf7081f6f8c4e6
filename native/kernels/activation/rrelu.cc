// SPDX-License-Identifier: Apache-2.0
// Leaky units whose slope below 0 is random in training and the mean of its bounds otherwise.
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "engines/pointwise.h"
#include "engines/random.h"
#include "ops/inplace_rrelu_with_noise.h"
#include "ops/rrelu_with_noise.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void leaky_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const float* x = static_cast<const float*>(in[0]);
  float* result = static_cast<float*>(out[0]);
  const float slope = numbers[0].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) result[i] = x[i] > 0 ? x[i] : x[i] * slope;
}

// The slopes are the first output: the second may lie where x does.
void random_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const float* x = static_cast<const float*>(in[0]);
  const float* uniform = static_cast<const float*>(in[1]);
  float* slopes = static_cast<float*>(out[0]);
  float* result = static_cast<float*>(out[1]);
  const float least = numbers[0].f, range = numbers[1].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float value = x[i], slope = value < 0 ? least + uniform[i] * range : 1.0f;
    slopes[i] = slope;
    result[i] = value * slope;
  }
}

Number number(float value) {
  Number result = {};
  result.f = value;
  return result;
}

Status make_uniform(const Shape& shape, int64_t seed, int64_t offset, CopiedView& made) {
  constexpr int64_t kGrain = 8192;
  Status status = make_dense(shape, ACL_FLOAT, made);
  if (!status.ok()) return status;
  const RandomWords random(static_cast<uint64_t>(seed), static_cast<uint64_t>(offset));
  float* const numbers = static_cast<float*>(made.view.data);
  parallel_for(made.view.storage_elements, kGrain, [&](int64_t begin, int64_t end) {
    fill_uniform(random, numbers + begin, begin, end - begin);
  });
  return {};
}

// Replaces the first elements of a tensor, in row-major order.
Status replace_first(const TensorView& tensor, const CopiedView& elements) {
  CopiedView all;
  Status status = copy_of(tensor, all);
  if (!status.ok()) return status;
  const int64_t bytes = elements.view.storage_elements * (data_type_bits(tensor.dtype) / 8);
  std::memcpy(all.memory.get(), elements.memory.get(), bytes);
  return copy(tensor, all.view);
}

struct Slopes {
  float least, most;
};

Status train(const TensorView& self, const TensorView& noise, const Slopes& slopes, int64_t seed,
             int64_t offset, const TensorView& out) {
  CopiedView uniform, used;  // used: where noise has another shape
  Status status = make_uniform(shape_of(self), seed, offset, uniform);
  if (!status.ok()) return status;
  const bool same = same_shape(self, noise);
  if (!same) status = make_dense(shape_of(self), noise.dtype, used);
  if (!status.ok()) return status;
  const Number numbers[] = {number(slopes.least), number(slopes.most - slopes.least)};
  const Operand ins[] = {{&self, self.dtype}, {&uniform.view, ACL_FLOAT}};
  const Operand outs[] = {{same ? &noise : &used.view, self.dtype}, {&out, self.dtype}};
  status = pointwise(random_loop, outs, 2, ins, 2, numbers);
  return same || !status.ok() ? status : replace_first(noise, used);
}

template <typename RReluArgs>
Status compute(const RReluArgs& args, const TensorView& out) {
  const Slopes slopes = {args.lower.to_float(), args.upper.to_float()};
  if (args.training) return train(args.self, args.noise, slopes, args.seed, args.offset, out);
  const Number mean = number((slopes.least + slopes.most) / 2);
  const Operand in = {&args.self, args.self.dtype}, result = {&out, args.self.dtype};
  return pointwise(leaky_loop, &result, 1, &in, 1, &mean);
}

}  // namespace

Status run(const RReluWithNoiseArgs& args) { return compute(args, args.out); }
Status run(const InplaceRReluWithNoiseArgs& args) { return compute(args, args.self); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

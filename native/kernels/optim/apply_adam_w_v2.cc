// SPDX-License-Identifier: Apache-2.0
#include "ops/apply_adam_w_v2.h"

#include <cmath>

#include "base/inline_vector.h"
#include "engines/loops_halves.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// What the loop is told.
enum Factor {
  kSign,
  kDecay,
  kOneLessBeta1,
  kBeta2,
  kOneLessBeta2,
  kRootScale,
  kEps,
  kStep,
  kCount
};

const float* floats(const void* array) { return static_cast<const float*>(array); }
float* floats(void* array) { return static_cast<float*>(array); }

// In: variable, both moments, gradient, largest second moment; out: those without the gradient.
template <bool has_largest>
void update(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const float *variables = floats(in[0]), *firsts = floats(in[1]), *seconds = floats(in[2]);
  const float *gradients = floats(in[3]), *largests = has_largest ? floats(in[4]) : nullptr;
  float* const to[] = {floats(out[0]), floats(out[1]), floats(out[2]),
                       has_largest ? floats(out[3]) : nullptr};
  float factors[kCount];
  for (int f = 0; f < kCount; ++f) factors[f] = numbers[f].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float gradient = gradients[i] * factors[kSign];
    const float first = firsts[i] + factors[kOneLessBeta1] * (gradient - firsts[i]);
    const float second =
        factors[kBeta2] * seconds[i] + factors[kOneLessBeta2] * (gradient * gradient);
    float largest = second;
    if constexpr (has_largest) {
      largest = second > largests[i] || second != second ? second : largests[i];
    }
    const float divisor = std::sqrt(largest) * factors[kRootScale] + factors[kEps];
    const float variable = variables[i] * factors[kDecay] - factors[kStep] * (first / divisor);
    to[0][i] = variable;
    to[1][i] = first;
    to[2][i] = second;
    if constexpr (has_largest) to[3][i] = largest;
  }
}

// The step that this call makes: one more than were made.
double step_of(const TensorView& view) {
  const char* const data = static_cast<const char*>(view.data);
  if (view.dtype == ACL_INT64)
    return static_cast<double>(load<int64_t>(data + 8 * view.offset)) + 1;
  return static_cast<double>(load<float>(data + 4 * view.offset)) + 1;
}

void find_factors(const ApplyAdamWV2Args& args, Number* numbers) {
  const double beta1 = args.beta1, beta2 = args.beta2, lr = args.lr, step = step_of(args.step);
  const auto set = [&](Factor f, double value) {
    numbers[f].f = without_nan_bits(static_cast<float>(value));
  };
  set(kSign, args.maximize ? -1 : 1);
  set(kDecay, 1 - lr * static_cast<double>(args.weightDecay));
  set(kOneLessBeta1, 1 - beta1);
  set(kBeta2, beta2);
  set(kOneLessBeta2, 1 - beta2);
  set(kRootScale, 1 / std::sqrt(1 - std::pow(beta2, step)));
  set(kEps, static_cast<double>(args.eps));
  set(kStep, lr / (1 - std::pow(beta1, step)));
}

// Of 16-bit floats that are all of one type.
Loop narrow_loop(const Operand* ins, int in_count) {
  for (int i = 1; i < in_count; ++i) {
    if (ins[i].dtype != ins[0].dtype) return nullptr;
  }
  const bool largest = in_count == 5;
  using loops::HalfLoop;
  if (ins[0].dtype == ACL_FLOAT16) {
    return largest ? HalfLoop<Half, update<true>, 5, 4>::run
                   : HalfLoop<Half, update<false>, 4, 3>::run;
  }
  if (ins[0].dtype != ACL_BF16) return nullptr;
  return largest ? HalfLoop<BFloat16, update<true>, 5, 4>::run
                 : HalfLoop<BFloat16, update<false>, 4, 3>::run;
}

}  // namespace

Status run(const ApplyAdamWV2Args& args) {
  Number numbers[kCount];
  find_factors(args, numbers);
  const TensorView* const all[] = {&args.varRef, &args.mRef, &args.vRef, &args.grad,
                                   &args.maxGradNormOptionalRef};
  const int in_count = args.amsgrad ? 5 : 4;
  InlineVector<Operand, 5> ins, outs;
  for (int i = 0; i < in_count; ++i) {
    ins.add() = {all[i], all[i]->dtype};
    if (all[i] != &args.grad) outs.add() = ins[i];
  }
  const Loop narrow = narrow_loop(ins.data(), in_count);
  const Loop wide = args.amsgrad ? update<true> : update<false>;
  return pointwise(narrow != nullptr ? narrow : wide, outs.data(), in_count - 1, ins.data(),
                   in_count, numbers, narrow != nullptr);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

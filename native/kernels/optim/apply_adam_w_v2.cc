// SPDX-License-Identifier: Apache-2.0
#include "ops/apply_adam_w_v2.h"

#include <cmath>

#include "base/inline_vector.h"
#include "engines/pointwise.h"
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

// In: variable, both moments, gradient, largest second moment; out: those without the gradient.
template <bool has_largest>
void update(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const auto from = [&](int k, int64_t i) { return static_cast<const float*>(in[k])[i]; };
  const auto to = [&](int k) { return static_cast<float*>(out[k]); };
  const auto factor = [&](Factor f) { return numbers[f].f; };
  for (int64_t i = 0; i < n; ++i) {
    const float gradient = from(3, i) * factor(kSign);
    const float first = from(1, i) + factor(kOneLessBeta1) * (gradient - from(1, i));
    const float second =
        factor(kBeta2) * from(2, i) + factor(kOneLessBeta2) * (gradient * gradient);
    float largest = second;
    if constexpr (has_largest) {
      largest = second > from(4, i) || second != second ? second : from(4, i);
    }
    const float divisor = std::sqrt(largest) * factor(kRootScale) + factor(kEps);
    const float variable = from(0, i) * factor(kDecay) - factor(kStep) * (first / divisor);
    to(0)[i] = variable;
    to(1)[i] = first;
    to(2)[i] = second;
    if constexpr (has_largest) to(3)[i] = largest;
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
  const auto set = [&](Factor f, double value) { numbers[f].f = static_cast<float>(value); };
  set(kSign, args.maximize ? -1 : 1);
  set(kDecay, 1 - lr * static_cast<double>(args.weightDecay));
  set(kOneLessBeta1, 1 - beta1);
  set(kBeta2, beta2);
  set(kOneLessBeta2, 1 - beta2);
  set(kRootScale, 1 / std::sqrt(1 - std::pow(beta2, step)));
  set(kEps, static_cast<double>(args.eps));
  set(kStep, lr / (1 - std::pow(beta1, step)));
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
  return pointwise(args.amsgrad ? update<true> : update<false>, outs.data(), in_count - 1,
                   ins.data(), in_count, numbers);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

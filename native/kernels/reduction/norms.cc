// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/norms.h"

#include <cmath>

#include "ops/linalg_vector_norm.h"
#include "ops/norm.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Point>
void map(const void* const* in, void* const* out, int64_t n, const Point& point) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = point(from[i]);
}

void magnitudes(const void* const* in, void* const* out, int64_t n, const Number*) {
  map(in, out, n, [](float x) { return math::magnitude_of(x); });
}

void not_zero(const void* const* in, void* const* out, int64_t n, const Number*) {
  map(in, out, n, [](float x) { return x != 0 ? 1.0f : 0.0f; });
}

void powers(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  map(in, out, n,
      [order = numbers[0].f](float x) { return math::pow(math::magnitude_of(x), order); });
}

void square_root(char* states, int64_t count, int64_t, double) {
  auto* const sums = reinterpret_cast<double*>(states);
  for (int64_t i = 0; i < count; ++i) sums[i] = std::sqrt(sums[i]);
}

void root(char* states, int64_t count, int64_t, double order) {
  auto* const sums = reinterpret_cast<double*>(states);
  for (int64_t i = 0; i < count; ++i) sums[i] = std::pow(sums[i], 1 / order);
}

Reduction norm_of(const Number& order) {
  constexpr float kLarge = 0x1p31f;
  if (order.f == 2) return {Reduce::kSumOfSquares, ACL_FLOAT, nullptr, nullptr, square_root};
  if (order.f == 1) return {Reduce::kSum, ACL_FLOAT, magnitudes};
  if (order.f == 0) return {Reduce::kSum, ACL_FLOAT, not_zero};
  if (std::isinf(order.f) || std::fabs(order.f) == kLarge) {
    return {order.f > 0 ? Reduce::kMaximum : Reduce::kMinimum, ACL_FLOAT, magnitudes};
  }
  return {Reduce::kSum, ACL_FLOAT, powers, &order, root, order.f};
}

}  // namespace

Status compute_norm(float order, const TensorView& self, uint32_t mask, const TensorView& out) {
  if (self.empty()) return fill(out, double_value(0.0));
  Number number;
  number.f = order;
  return reduce_tensor(norm_of(number), {self, mask, ACL_FLOAT}, ACL_FLOAT, out);
}

Status run(const NormArgs& args) {
  return compute_norm(args.pScalar.to_float(), args.self, mask_of(args.dim, args.self.rank),
                      args.out);
}

Status run(const LinalgVectorNormArgs& args) {
  return compute_norm(args.ord.to_float(), args.self, mask_of(args.dims, args.self.rank), args.out);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Gated units with SiLU on the first rows of a tensor: clipped, weighted, and their gradients.
#include <cmath>
#include <limits>
#include <memory>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/pointwise.h"
#include "engines/sums.h"
#include "kernels/activation/rows.h"
#include "ops/clipped_swiglu.h"
#include "ops/clipped_swiglu_grad.h"
#include "ops/clipped_swiglu_v2.h"
#include "ops/swiglu_group.h"
#include "ops/swiglu_group_quant_grad.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

enum : int { kAlpha, kLimit, kBias, kOpen, kNumbers };

struct Unit {
  Number numbers[kNumbers] = {};

  // `open`: the limit itself is outside, for the gradient.
  Unit(double alpha, double limit, double bias, bool open = false) {
    numbers[kAlpha].f = static_cast<float>(alpha);
    numbers[kLimit].f = static_cast<float>(limit);
    numbers[kBias].f = static_cast<float>(bias);
    numbers[kOpen].b = open;
  }
};

// Without a limit nothing is clipped.
double limit_of(double clamp) {
  return clamp > 0 ? clamp : std::numeric_limits<double>::infinity();
}

// NaN stays.
inline float at_most(float x, float limit) { return x > limit ? limit : x; }
inline float clipped(float x, float limit) { return at_most(x < -limit ? -limit : x, limit); }

void unit_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  const auto* weight = static_cast<const float*>(in[2]);
  auto* result = static_cast<float*>(out[0]);
  const float alpha = numbers[kAlpha].f, limit = numbers[kLimit].f, bias = numbers[kBias].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float gate = at_most(a[i], limit), up = clipped(b[i], limit) + bias;
    result[i] = gate * math::sigmoid(alpha * gate) * up * weight[i];
  }
}

// SiLU is clipped, not what it is of.
void late_unit_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  auto* result = static_cast<float*>(out[0]);
  const float limit = numbers[kLimit].f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float gate = a[i];
    result[i] = at_most(gate * math::sigmoid(gate), limit) * clipped(b[i], limit);
  }
}

void gradient_loop(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
  const auto* gradient = static_cast<const float*>(in[0]);
  const auto* a = static_cast<const float*>(in[1]);
  const auto* b = static_cast<const float*>(in[2]);
  const auto* weight = static_cast<const float*>(in[3]);
  auto* of_a = static_cast<float*>(out[0]);
  auto* of_b = static_cast<float*>(out[1]);
  const float alpha = numbers[kAlpha].f, limit = numbers[kLimit].f, bias = numbers[kBias].f;
  const float edge = numbers[kOpen].b ? std::nextafter(limit, 0.0f) : limit;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float x = a[i], y = b[i];
    const float gate = at_most(x, limit), up = clipped(y, limit) + bias;
    const float scaled = alpha * gate, s = math::sigmoid(scaled), g = gradient[i] * weight[i] * s;
    const float slope = 1 + scaled * math::sigmoid(-scaled);
    of_a[i] = x > edge ? 0.0f : g * up * slope;
    of_b[i] = y > edge || y < -edge ? 0.0f : g * gate;
  }
}

void product_loop(const void* const* in, void* const* out, int64_t n, const Number*) {
  const auto* x = static_cast<const float*>(in[0]);
  const auto* y = static_cast<const float*>(in[1]);
  auto* result = static_cast<float*>(out[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) result[i] = x[i] * y[i];
}

// A weight for each row, or 1 for all.
class Weights {
 public:
  Status open(const TensorView& weight, int64_t rows) {
    present_ = weight.present;
    return present_ ? tensor_.open(weight, rows) : Status{};
  }
  TensorView first(int64_t rows) {
    if (present_) return tensor_.first(rows);
    TensorView view = row_major_view(Shape{}, ACL_FLOAT);
    view.data = &one_;
    return view;
  }

 private:
  bool present_ = false;
  RowTensor tensor_;
  float one_ = 1;
};

struct Rows {
  int64_t all, used;
  bool alternating;
};

Rows rows_of(const TensorView& x, int64_t dim, const TensorView& groups, bool alternating) {
  const int64_t all = rows_before(x, dim);
  return {all, rows_in_groups(groups, all), alternating};
}

Status compute(Loop loop, const TensorView& x, const TensorView& weight, const Rows& rows,
               const Unit& unit, const TensorView& out) {
  RowTensor input, result;
  Weights weights;
  Status status = input.open(x, rows.all);
  if (status.ok()) status = weights.open(weight, rows.all);
  if (status.ok()) status = result.open(out, rows.all);
  if (!status.ok()) return status;
  const TensorView a = input.half(rows.used, 0, rows.alternating);
  const TensorView b = input.half(rows.used, 1, rows.alternating);
  const TensorView factors = weights.first(rows.used), written = result.first(rows.used);
  const Operand ins[] = {{&a, x.dtype}, {&b, x.dtype}, {&factors, ACL_FLOAT}};
  const Operand to = {&written, x.dtype};
  status = pointwise(loop, &to, 1, ins, 3, unit.numbers);
  return status.ok() ? result.close() : status;
}

Status fill_with_zero(const TensorView& view) {
  ScalarValue zero;
  zero.present = true;
  zero.dtype = ACL_FLOAT;
  return fill(view, zero);
}

// Rows that are not used get 0.
Status differentiate(const TensorView& grad, const TensorView& x, const TensorView& weight,
                     const Rows& rows, const Unit& unit, const TensorView& out) {
  RowTensor gradient, input, result;
  Weights weights;
  Status status = gradient.open(grad, rows.all);
  if (status.ok()) status = input.open(x, rows.all);
  if (status.ok()) status = weights.open(weight, rows.all);
  if (status.ok()) status = result.open(out, rows.all);
  if (!status.ok()) return status;
  const TensorView g = gradient.first(rows.used), factors = weights.first(rows.used);
  const TensorView a = input.half(rows.used, 0, rows.alternating);
  const TensorView b = input.half(rows.used, 1, rows.alternating);
  const TensorView of_a = result.half(rows.used, 0, rows.alternating);
  const TensorView of_b = result.half(rows.used, 1, rows.alternating);
  const Operand ins[] = {{&g, x.dtype}, {&a, x.dtype}, {&b, x.dtype}, {&factors, ACL_FLOAT}};
  const Operand outs[] = {{&of_a, x.dtype}, {&of_b, x.dtype}};
  status = pointwise(gradient_loop, outs, 2, ins, 4, unit.numbers);
  if (status.ok()) status = fill_with_zero(result.rest(rows.used));
  return status.ok() ? result.close() : status;
}

// A row's weight gets the sum of the row's products.
Status sum_products(const TensorView& x, const TensorView& y, const Rows& rows,
                    const TensorView& out) {
  RowTensor first, second, result;
  CopiedView products;
  Status status = first.open(x, rows.all);
  if (status.ok()) status = second.open(y, rows.all);
  if (status.ok()) status = result.open(out, rows.all);
  if (!status.ok()) return status;
  const TensorView one = first.first(rows.used), other = second.first(rows.used);
  status = make_dense(shape_of(one), ACL_FLOAT, products);
  if (!status.ok()) return status;
  const Operand ins[] = {{&one, x.dtype}, {&other, x.dtype}}, to = {&products.view, ACL_FLOAT};
  status = pointwise(product_loop, &to, 1, ins, 2, nullptr);
  if (status.ok()) status = fill_with_zero(result.rest(rows.used));
  if (!status.ok()) return status;
  const TensorView written = result.first(rows.used);
  const auto* from = static_cast<const float*>(products.view.data);
  auto* sums = static_cast<float*>(written.data) + written.offset;
  const int64_t length = one.shape[1];
  parallel_for(rows.used, 1 + 16384 / (length + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sums[i] = static_cast<float>(sum_of(from + i * length, length));
    }
  });
  return result.close();
}

const TensorView& no_tensor() {
  static const TensorView absent;
  return absent;
}

}  // namespace

Status run(const ClippedSwigluArgs& args) {
  const Rows rows = rows_of(args.x, args.dim, args.groupIndexOptional, args.interleaved);
  const Unit unit(args.alpha, args.limit, args.bias);
  return compute(unit_loop, args.x, no_tensor(), rows, unit, args.out);
}

Status run(const ClippedSwigluV2Args& args) {
  const Rows rows = rows_of(args.x, args.dim, args.groupIndexOptional, args.interleaved);
  const Unit unit(args.alpha, args.limit, args.bias);
  const Loop loop = args.clampMode == 1 ? late_unit_loop : unit_loop;
  return compute(loop, args.x, no_tensor(), rows, unit, args.out);
}

Status run(const ClippedSwigluGradArgs& args) {
  const Rows rows = rows_of(args.x, args.dim, args.groupIndexOptional, args.interleaved);
  const Unit unit(args.alpha, args.limit, args.bias);
  return differentiate(args.gradY, args.x, no_tensor(), rows, unit, args.gradXOut);
}

Status run(const SwigluGroupArgs& args) {
  const Rows rows = rows_of(args.x, -1, args.groupIndexOptional, false);
  const Unit unit(1, limit_of(args.clampLimit), 0);
  return compute(unit_loop, args.x, args.weightOptional, rows, unit, args.out);
}

Status run(const SwigluGroupQuantGradArgs& args) {
  const Rows rows = rows_of(args.x, -1, args.groupIndexOptional, false);
  const Unit unit(1, limit_of(args.clampLimit), 0, args.clampLimit > 0);
  const Status status =
      differentiate(args.gradY, args.x, args.weightOptional, rows, unit, args.gradXOut);
  if (!status.ok() || !args.gradWeightOutOptional.present) return status;
  if (!args.weightOptional.present) return fill_with_zero(args.gradWeightOutOptional);
  return sum_products(args.gradY, args.yOriginOptional, rows, args.gradWeightOutOptional);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

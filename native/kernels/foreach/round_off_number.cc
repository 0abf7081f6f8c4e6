// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engines/pointwise.h"
#include "ops/foreach_round_off_number.h"
#include "ops/foreach_round_off_number_v2.h"
#include "simd/math_rounding.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The whole number next to x that is odd; x itself if it is whole.
float odd(float x) {
  const float below = math::floor(x);
  if (below == x) return x;
  return std::fmod(below, 2.0f) == 0 ? below + 1 : below;
}

template <float (*round)(float)>
void each(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const from = static_cast<const float*>(in[0]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = round(from[i]);
}

float same(float x) { return x; }
float to_even(float x) { return math::round(x); }
float down(float x) { return math::floor(x); }
float up(float x) { return math::ceil(x); }
float away_from_zero(float x) { return std::round(x); }
float to_zero(float x) { return math::trunc(x); }
float fraction(float x) { return x - math::trunc(x); }

// By mode; whatever else there is changes nothing.
constexpr Loop kLoops[] = {each<same>,           each<to_even>, each<down>, each<up>,
                           each<away_from_zero>, each<to_zero>, each<odd>,  each<fraction>};
constexpr int64_t kModes = sizeof kLoops / sizeof *kLoops;

// INT16 goes through float, which holds all of its values.
Status round_members(ListView<TensorView> x, ListView<TensorView> out, int64_t mode) {
  const Loop loop = kLoops[mode >= 0 && mode < kModes ? mode : 0];
  for (uint64_t i = 0; i < x.size; ++i) {
    if (x.values[i].empty()) continue;
    const Operand from = {&x.values[i], ACL_FLOAT}, to = {&out.values[i], ACL_FLOAT};
    Status status = pointwise(loop, &to, 1, &from, 1, nullptr);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status run(const ForeachRoundOffNumberArgs& args) {
  const TensorView& mode = args.roundMode;
  const char* const data = static_cast<const char*>(mode.data) + mode.offset;
  return round_members(args.x, args.out, load<int8_t>(data));
}

// As upstream hands it on: in eight bits.
Status run(const ForeachRoundOffNumberV2Args& args) {
  return round_members(args.x, args.out, number_of(args.roundMode, ACL_INT8).i8);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

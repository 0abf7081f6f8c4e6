// SPDX-License-Identifier: Apache-2.0
#include "ops/log_sum_exp.h"

#include <cmath>
#include <memory>
#include <new>

#include "engines/block_loop.h"
#include "kernels/reduction/one_tensor.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Of a value and what is taken from it.
void exponentials(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const x = static_cast<const float*>(in[0]);
  const float* const largest = static_cast<const float*>(in[1]);
  float* const to = static_cast<float*>(out[0]);
  for (int64_t i = 0; i < n; ++i) to[i] = math::exp(x[i] - largest[i]);
}

// For each result the largest value, then the sum.
struct Scratch {
  explicit Scratch(int64_t results)
      : largest(new (std::nothrow) float[results]), sums(new (std::nothrow) double[results]) {}
  std::unique_ptr<float[]> largest;
  std::unique_ptr<double[]> sums;
};

TensorView scratch_view(const TensorView& result, aclDataType dtype, void* data) {
  TensorView view = row_major_view(shape_of(result), dtype);
  view.data = data;
  return view;
}

}  // namespace

Status run(const LogSumExpArgs& args) {
  if (args.self.empty()) return fill(args.out, double_value(-HUGE_VAL));
  const TensorView result = with_reduced(args.out, args.self, mask_of(args.dim, args.self.rank));
  const int64_t results = result.elements();
  const Scratch scratch(results);
  if (scratch.largest == nullptr || scratch.sums == nullptr) return no_memory_for_blocks();
  float* const largest = scratch.largest.get();
  const TensorView largest_view = scratch_view(result, ACL_FLOAT, largest);
  const TensorView sums_view = scratch_view(result, ACL_DOUBLE, scratch.sums.get());

  const Operand ins[] = {{&args.self, ACL_FLOAT}, {&largest_view, ACL_FLOAT}};
  const Operand largest_out[] = {{&largest_view, ACL_FLOAT}};
  Status status = reduce({Reduce::kMaximum, ACL_FLOAT}, largest_out, 1, ins, 1);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < results; ++i) largest[i] = std::isinf(largest[i]) ? 0 : largest[i];
  const Operand sums_out[] = {{&sums_view, ACL_DOUBLE}};
  status = reduce({Reduce::kSum, ACL_FLOAT, exponentials}, sums_out, 1, ins, 2);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < results; ++i) {
    largest[i] = static_cast<float>(math::log(scratch.sums[i]) + double{largest[i]});
  }
  return copy(result, largest_view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

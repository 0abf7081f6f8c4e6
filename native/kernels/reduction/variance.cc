// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/reduction/one_tensor.h"
#include "ops/std.h"
#include "ops/std_mean_correction.h"
#include "ops/var.h"
#include "ops/var_correction.h"
#include "ops/var_mean.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The variance of so many values by the sum of squares.
double variance_of(double squares, int64_t values, double correction) {
  const auto count = static_cast<double>(values);
  if (count > correction) return squares / (count - correction);
  return correction > 1 && values > 1 ? HUGE_VAL : std::nan("");
}

template <bool root>
void finish(char* states, int64_t count, int64_t values, double correction) {
  auto* const moments = reinterpret_cast<MomentState*>(states);
  for (int64_t i = 0; i < count; ++i) {
    moments[i].center();
    const double variance = variance_of(moments[i].squares, values, correction);
    moments[i].squares = root ? std::sqrt(variance) : variance;
  }
}

struct Moments {
  const TensorView& self;
  const IntArrayView& dims;
  double correction;
  Finish finish;
};

// The mean may be left out.
Status compute(const Moments& moments, const TensorView& out, const TensorView* mean = nullptr) {
  const TensorView& self = moments.self;
  if (self.empty()) {
    const ScalarValue nan = double_value(std::nan(""));
    const Status status = fill(out, nan);
    return status.ok() && mean != nullptr ? fill(*mean, nan) : status;
  }
  const uint32_t mask = mask_of(moments.dims, self.rank);
  const TensorView spread = with_reduced(out, self, mask);
  const TensorView center = mean != nullptr ? with_reduced(*mean, self, mask) : TensorView();
  const Operand outs[] = {{&spread, self.dtype}, {&center, self.dtype}};
  const Operand ins[] = {{&self, self.dtype}};
  return reduce({Reduce::kMoments, ACL_FLOAT, nullptr, nullptr, moments.finish, moments.correction},
                outs, mean != nullptr ? 2 : 1, ins, 1);
}

}  // namespace

Status run(const VarArgs& args) {
  return compute({args.self, args.dim, args.unbiased ? 1.0 : 0.0, finish<false>}, args.out);
}

Status run(const VarCorrectionArgs& args) {
  const auto correction = static_cast<double>(args.correction);
  return compute({args.self, args.dim, correction, finish<false>}, args.out);
}

Status run(const VarMeanArgs& args) {
  const auto correction = static_cast<double>(args.correction);
  return compute({args.self, args.dim, correction, finish<false>}, args.varOut, &args.meanOut);
}

Status run(const StdArgs& args) {
  const auto correction = static_cast<double>(args.correction);
  return compute({args.self, args.dim, correction, finish<true>}, args.out);
}

Status run(const StdMeanCorrectionArgs& args) {
  const auto correction = static_cast<double>(args.correction);
  return compute({args.self, args.dim, correction, finish<true>}, args.stdOut, &args.meanOut);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

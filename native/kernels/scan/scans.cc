// SPDX-License-Identifier: Apache-2.0
#include "engines/copy.h"
#include "engines/overlap.h"
#include "engines/scan.h"
#include "ops/cummax.h"
#include "ops/cummin.h"
#include "ops/cumprod.h"
#include "ops/cumsum.h"
#include "ops/inplace_cumprod.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Values keep self's type until the end.
template <typename Args>
Status run_extremes(Scan kind, const Args& args) {
  if (args.self.dtype == args.valuesOut.dtype) {
    return scan(kind, args.self, args.dim, args.valuesOut, &args.indicesOut);
  }
  CopiedView values;
  Status status = make_dense(shape_of(args.self), args.self.dtype, values);
  if (status.ok()) status = scan(kind, args.self, args.dim, values.view, &args.indicesOut);
  return status.ok() ? copy(args.valuesOut, values.view) : status;
}

int64_t axis_of(const ScalarValue& dim) { return static_cast<int64_t>(dim.to_double()); }

}  // namespace

Status run(const CumsumArgs& args) {
  return scan(Scan::kSum, args.self, args.dim, args.out, nullptr);
}

Status run(const CumprodArgs& args) {
  return scan(Scan::kProduct, args.input, axis_of(args.dim), args.out, nullptr);
}

Status run(const InplaceCumprodArgs& args) {
  return scan(Scan::kProduct, args.input, axis_of(args.dim), args.input, nullptr);
}

Status run(const CummaxArgs& args) { return run_extremes(Scan::kMaximum, args); }
Status run(const CumminArgs& args) { return run_extremes(Scan::kMinimum, args); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

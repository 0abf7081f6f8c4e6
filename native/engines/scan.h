// SPDX-License-Identifier: Apache-2.0
// Note [Scans]
// Running results along an axis. Values are widened in blocks, to DOUBLE, COMPLEX128 or INT64, so
// every result is rounded once; for extremes to FLOAT, unless they are integers. The order of
// additions follows from the shape: a row is added up in segments, and a block of it in four parts,
// each with what came before added afterwards.
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class Scan { kSum, kProduct, kMaximum, kMinimum };

// out has the shape of self, which is cast to out's type first. `places`, of INT32 or INT64, get
// the place of the extreme along the axis, the last of equal ones; NaN is more extreme than any
// number. Null for sums and products.
Status scan(Scan kind, const TensorView& self, int64_t dim, const TensorView& out,
            const TensorView* places);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// What operators on indices share.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/index.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// An index tensor as messages name it, with the length of the axis that it points into.
struct NamedIndex {
  const char* parameter;
  const TensorView* view;
  int64_t limit;
  bool wraps;
};

// What a launch reports: the first index that is out of range, where there is one.
Status index_outcome(const char* op, bool good, const NamedIndex* indices, int count);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

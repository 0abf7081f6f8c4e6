// SPDX-License-Identifier: Apache-2.0
// Operators on lists whose members go one by one through the kernel of another operator.
#pragma once

#include <cstdint>

#include "engines/pointwise_operator.h"
#include "operator/descriptor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

enum class From : uint8_t {
  kArgument,  // the same for all members
  kMember,    // of the same place: a list's member, a tensor's element
  kFirst,
  kNumber,  // a constant; an array is empty
};

// Where an argument of the other operator comes from.
struct EachSource {
  From from;
  int32_t param;
  double number;
};

// `sources` has one for each parameter of `base`, whose kernel `kernel` is. Scalars reach it as
// FLOAT, beside integers as INT64: their dtype must not change what is computed in.
Status run_each(const Args& args, const Operator& base, Kernel kernel,
                const Table<EachSource>& sources);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

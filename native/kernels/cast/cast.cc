// SPDX-License-Identifier: Apache-2.0
#include "ops/cast.h"

#include "engines/copy.h"
#include "ops/inplace_copy.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status run(const CastArgs& args) { return copy(args.out, args.self); }

Status run(const InplaceCopyArgs& args) { return copy(args.selfRef, args.src); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Norms of groups of an image's channels, followed by SiLU.
#include "ops/group_norm_silu.h"

#include <cmath>

#include "kernels/norm/channel_norm.h"
#include "kernels/norm/parameters.h"
#include "ops/group_norm_silu_v2.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
Status normalize_groups(const Args& args, bool activate) {
  if (args.self.empty()) {
    const Status status = fill_with(0, args.meanOut);
    return status.ok() ? fill_with(std::nan(""), args.rstdOut) : status;
  }
  GroupNorm norm;
  norm.shape = channels_of(args.self);
  norm.groups = args.group;
  norm.epsilon = args.eps;
  norm.x = &args.self;
  norm.weight = &args.gamma;
  norm.bias = &args.beta;
  norm.y = &args.out;
  norm.mean = &args.meanOut;
  norm.rstd = &args.rstdOut;
  norm.swish = activate ? 1 : 0;
  return normalize(norm);
}

}  // namespace

Status run(const GroupNormSiluArgs& args) { return normalize_groups(args, true); }

Status run(const GroupNormSiluV2Args& args) { return normalize_groups(args, args.activateSilu); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost

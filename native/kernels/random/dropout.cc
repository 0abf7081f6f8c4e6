// SPDX-License-Identifier: Apache-2.0
#include "ops/dropout.h"

#include "kernels/random/mask.h"
#include "ops/dropout_backward.h"
#include "ops/dropout_do_mask.h"
#include "ops/dropout_gen_mask.h"
#include "ops/dropout_gen_mask_v2.h"
#include "ops/dropout_gen_mask_v2_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
Status make(const Args& args, const Seed& seed) {
  int64_t elements = 1;
  for (const int64_t length : args.shape) elements *= length;
  return make_mask(args.out, elements, args.prob, seed);
}

}  // namespace

Status run(const DropoutGenMaskArgs& args) { return make(args, seed_of(args)); }
Status run(const DropoutGenMaskV2Args& args) { return make(args, seed_of(args)); }
Status run(const DropoutGenMaskV2TensorArgs& args) { return make(args, seed_in_tensors(args)); }

Status run(const DropoutDoMaskArgs& args) {
  return drop(args.self, args.mask, args.prob, args.out);
}

Status run(const DropoutBackwardArgs& args) {
  const double dropped = is_certainly(args.scale, 0) ? 1 : 1 - 1 / args.scale;
  return drop(args.gradOutput, args.mask, dropped, args.out);
}

Status run(const DropoutArgs& args) {
  const double dropped = args.train ? args.p : 0;
  const Status made = make_mask(args.maskOut, args.input.elements(), dropped, seed_of(args));
  return made.ok() ? drop(args.input, args.maskOut, dropped, args.out) : made;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

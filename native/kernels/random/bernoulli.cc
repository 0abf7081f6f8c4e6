// SPDX-License-Identifier: Apache-2.0
#include "ops/bernoulli.h"

#include "engines/dense.h"
#include "engines/in_order.h"
#include "kernels/random/seed.h"
#include "ops/bernoulli_tensor.h"
#include "ops/inplace_bernoulli.h"
#include "ops/inplace_bernoulli_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

Status fill_with_one_chance(const TensorView& out, float chance, const Seed& seed) {
  const RandomWords random = words_of_sequences(seed);
  const uint64_t ones = words_up_to(chance);
  const uint32_t last = static_cast<uint32_t>(ones - 1);  // ones may be 2^32, and 0 is looked at
  return write_blocks_in_order(out, ACL_BOOL, [&](char* elements, int64_t place, int64_t count) {
    uint32_t words[kOrderedBlock];
    random.fill(words, place, count);
    for (int64_t i = 0; i < count; ++i) {
      elements[i] = static_cast<char>(ones != 0 && words[i] <= last);
    }
  });
}

Status fill_with_chances(const TensorView& out, const float* chances, const Seed& seed) {
  const RandomWords random = words_of_sequences(seed);
  return write_blocks_in_order(out, ACL_BOOL, [&](char* elements, int64_t place, int64_t count) {
    uint32_t words[kOrderedBlock];
    random.fill(words, place, count);
    for (int64_t i = 0; i < count; ++i) {
      elements[i] = static_cast<char>(positive_unit_float(words[i]) <= chances[place + i]);
    }
  });
}

Status fill_by(const TensorView& out, const TensorView& prob, const Seed& seed) {
  DenseArray chances;
  const Status status = chances.take(prob, ACL_FLOAT);
  if (!status.ok()) return status;
  if (prob.elements() == 1) return fill_with_one_chance(out, *chances.as<float>(), seed);
  return fill_with_chances(out, chances.as<float>(), seed);
}

}  // namespace

Status run(const BernoulliArgs& args) {
  return fill_with_one_chance(args.out, static_cast<float>(args.prob.to_double()), seed_of(args));
}
Status run(const InplaceBernoulliArgs& args) {
  const float chance = static_cast<float>(args.prob.to_double());
  return fill_with_one_chance(args.selfRef, chance, seed_of(args));
}
Status run(const BernoulliTensorArgs& args) { return fill_by(args.out, args.prob, seed_of(args)); }
Status run(const InplaceBernoulliTensorArgs& args) {
  return fill_by(args.selfRef, args.prob, seed_of(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Attention for training, with positional shifts, masks and dropout, and its gradients.
#include "kernels/attention/training.h"
#include "ops/flash_attention_score.h"
#include "ops/flash_attention_score_grad.h"
#include "ops/flash_attention_score_grad_v2.h"
#include "ops/flash_attention_score_v2.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// What the versions of forward and backward call differently.
struct Names {
  const TensorView &key, &shift;
  int64_t shift_type;
  int64_t key_start;  // counted from the start of queries
};

Shift shift_of(const Names& names, int64_t queries) {
  Shift shift;
  if (names.shift_type == kSlope || names.shift_type == kRootSlope) {
    if (names.shift.present) shift.slopes = numbers_of_heads(names.shift);
    shift.root = names.shift_type == kRootSlope;
    shift.start = names.key_start;
    return shift;
  }
  shift.values = repeated_heads(names.shift);
  shift.last_rows = shift.values.rows > 1 && shift.values.rows < queries;
  shift.before_scale = names.shift_type == kShiftThenScale;
  return shift;
}

// The parts of an attention that have to stay.
struct Parts {
  Heads keys, values;
  CopiedView dropped;  // a dense copy of bits
};

template <typename Args>
Status make_attention(const Args& args, const Names& names, Parts* parts, Attention* attention) {
  attention->query = heads_of(args.query, args.inputLayout, args.headNum);
  // In flat layouts the width of a head tells how many there are.
  const int64_t key_heads = names.key.rank == 3 ? names.key.shape[2] / attention->query.width : 0;
  parts->keys = heads_of(names.key, args.inputLayout, key_heads);
  parts->values = heads_of(args.value, args.inputLayout, key_heads);
  attention->keys = {&parts->keys, 1, nullptr, 0};
  attention->values = {&parts->values, 1, nullptr, 0};
  attention->key_rows = parts->keys.rows;
  attention->scale = static_cast<float>(args.scaleValue);
  attention->shift = shift_of(names, attention->query.rows);
  set_mask(attention, args.attenMaskOptional, args.sparseMode, args.preTokens, args.nextTokens,
           args.prefixOptional);
  return set_dropout(args.dropMaskOptional, args.keepProb, &parts->dropped, &attention->dropout);
}

template <typename Args>
Status attend_as(const Args& args, int64_t shift_type, int64_t key_start) {
  Parts parts;
  Attention attention;
  const Names names = {args.key, args.realShiftOptional, shift_type, key_start};
  const Status status = make_attention(args, names, &parts, &attention);
  if (!status.ok()) return status;
  AttentionResults results;
  results.out = heads_of(args.attentionOutOut, args.inputLayout, args.headNum);
  results.largest = repeated_heads(args.softmaxMaxOut);
  results.sums = repeated_heads(args.softmaxSumOut);
  return attend(attention, results);
}

template <typename Args>
Status differentiate_as(const Args& args, int64_t shift_type, int64_t key_start) {
  Parts parts;
  Attention attention;
  const Names names = {args.keyIn, args.pseShiftOptional, shift_type, key_start};
  const Status status = make_attention(args, names, &parts, &attention);
  if (!status.ok()) return status;
  const auto by_query = [&](const TensorView& tensor) {
    return heads_of(tensor, args.inputLayout, args.headNum);
  };
  const auto by_key = [&](const TensorView& tensor) {
    return heads_of(tensor, args.inputLayout, parts.keys.heads);
  };
  return differentiate(
      attention, {by_query(args.attentionInOptional), by_query(args.dy),
                  repeated_heads(args.softmaxMaxOptional), repeated_heads(args.softmaxSumOptional),
                  by_query(args.dqOut), by_key(args.dkOut), by_key(args.dvOut)});
}

}  // namespace

Status run(const FlashAttentionScoreArgs& args) { return attend_as(args, kShiftThenScale, 0); }
Status run(const FlashAttentionScoreV2Args& args) {
  return attend_as(args, args.pseType,
                   key_start_of(args.qStartIdxOptional, args.kvStartIdxOptional));
}
Status run(const FlashAttentionScoreGradArgs& args) {
  return differentiate_as(args, kShiftThenScale, 0);
}
Status run(const FlashAttentionScoreGradV2Args& args) {
  return differentiate_as(args, args.pseType,
                          key_start_of(args.qStartIdxOptional, args.kvStartIdxOptional));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Attention for training over sequences that lie one after the other, each of them by itself.
#include <algorithm>
#include <cstring>

#include "engines/dense_target.h"
#include "kernels/attention/training.h"
#include "kernels/creation/fill.h"
#include "ops/flash_attention_unpadding_score_grad.h"
#include "ops/flash_attention_unpadding_score_grad_v2.h"
#include "ops/flash_attention_unpadding_score_grad_v4.h"
#include "ops/flash_attention_var_len_score.h"
#include "ops/flash_attention_var_len_score_v2.h"
#include "ops/flash_attention_var_len_score_v4.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kCausalThenBand = 7, kBandThenCausal = 8;

struct Sequence {
  int64_t number = 0, query = 0, key = 0;  // where it lies
  int64_t queries = 0, keys = 0;
  int64_t pairs = 0;  // of queries and keys before it

  bool filled() const { return queries > 0 && keys > 0; }
};

// Ends that lie before the last one make empty sequences.
struct Sequences {
  Sequences(const IntArrayView& query_ends, const IntArrayView& key_ends)
      : query_ends_(query_ends), key_ends_(key_ends), count(static_cast<int64_t>(query_ends.size)) {
    Sequence each = first();
    for (; each.number < count; each = next(each)) {
      longest_queries = std::max(longest_queries, each.queries);
      longest_keys = std::max(longest_keys, each.keys);
      if (each.queries == 0) continue;
      if (first_filled < 0) first_filled = each.number;
      last_filled = each.number;
    }
    pairs = each.pairs;
  }

  Sequence first() const { return with_lengths({}); }
  Sequence next(const Sequence& before) const {
    Sequence each;
    each.number = before.number + 1;
    each.query = before.query + before.queries;
    each.key = before.key + before.keys;
    each.pairs = before.pairs + before.queries * before.keys;
    return with_lengths(each);
  }

 private:
  IntArrayView query_ends_, key_ends_;

  static int64_t length(const IntArrayView& ends, int64_t number) {
    const int64_t start = number == 0 ? 0 : ends.values[number - 1];
    return ends.values[number] > start ? ends.values[number] - start : 0;
  }
  Sequence with_lengths(Sequence each) const {
    if (each.number >= count) return each;
    each.queries = length(query_ends_, each.number);
    each.keys = length(key_ends_, each.number);
    return each;
  }

 public:
  int64_t count;
  int64_t longest_queries = 0, longest_keys = 0, pairs = 0;
  int64_t first_filled = -1, last_filled = -1;  // that have queries
};

// [T, N, D] as one batch.
Heads rows_of(const TensorView& tensor) {
  TensorView batch;
  copy_view(tensor, &batch);
  batch.rank = 4;
  batch.shape[0] = 1;
  batch.strides[0] = 0;
  for (int i = 0; i < 3; ++i) {
    batch.shape[i + 1] = tensor.shape[i];
    batch.strides[i + 1] = tensor.strides[i];
  }
  return heads_of(batch, "BSND", 0);
}

Heads some_rows(Heads heads, int64_t first, int64_t count) {
  heads.data += first * heads.row_stride;
  heads.rows = count;
  return heads;
}

// What the versions of forward and backward call differently.
struct Call {
  const TensorView &query, &key, &value, &shift, &drop, &mask;
  const IntArrayView &prefix, &query_ends, &key_ends;
  double scale, keep;
  int64_t before, after, mode, shift_type;
  int64_t key_start;   // counted from the start of queries
  bool same_as_input;  // statistics are [T, N, 8], not [N, S, 8] of each sequence
};

// Everything that the sequences of a call share.
class Training {
 public:
  explicit Training(const Call& call)
      : sequences(call.query_ends, call.key_ends),
        query(rows_of(call.query)),
        key(rows_of(call.key)),
        value(rows_of(call.value)),
        call_(call) {}

  Status prepare() {
    const Status status = set_dropout(call_.drop, call_.keep, &dropped_, &dropout_);
    if (!status.ok() || !call_.shift.present || is_sloping() || has_last_rows()) return status;
    const TensorView* dense = nullptr;
    const Status copied = make_dense(call_.shift, &shifts_, &dense);
    if (copied.ok()) shift_ = rows_of_numbers(*dense);
    return copied;
  }

  // `keys` and `values` have to stay.
  Attention attention_of(const Sequence& each, Heads* keys, Heads* values) const {
    Attention attention;
    attention.query = some_rows(query, each.query, each.queries);
    *keys = some_rows(key, each.key, each.keys);
    *values = some_rows(value, each.key, each.keys);
    attention.keys = {keys, 1, nullptr, 0};
    attention.values = {values, 1, nullptr, 0};
    attention.key_rows = each.keys;
    attention.scale = static_cast<float>(call_.scale);
    attention.shift = shift_of(each);
    attention.dropout = dropout_;
    attention.dropout.first = query.heads * each.pairs;
    set_mask_of(each, &attention);
    return attention;
  }

  // Statistics of a sequence in a dense tensor.
  Heads statistics_of(const Sequence& each, char* dense, int64_t copies) const {
    constexpr int64_t kSize = sizeof(float);
    const int64_t row = copies * kSize;
    Heads heads;
    heads.data = dense + each.query * query.heads * row;
    heads.batches = 1;
    heads.heads = query.heads;
    heads.rows = each.queries;
    heads.width = copies;
    heads.head_stride = call_.same_as_input ? row : each.queries * row;
    heads.row_stride = call_.same_as_input ? query.heads * row : row;
    heads.column_stride = heads.size = kSize;
    return heads;
  }

  Sequences sequences;
  Heads query, key, value;

 private:
  bool is_sloping() const { return call_.shift_type == kSlope || call_.shift_type == kRootSlope; }

  // Others have all numbers in their first dimension.
  bool has_last_rows() const {
    return call_.shift.rank == 4 && call_.shift.elements() != call_.shift.shape[0];
  }

  // Without its lengths.
  static Heads rows_of_numbers(const TensorView& dense) {
    TensorView row;
    copy_view(dense, &row);
    row.rank = 2;
    row.shape[0] = 1;
    row.shape[1] = dense.elements();
    row.strides[0] = 0;
    row.strides[1] = 1;
    return repeated_heads(row);
  }

  Shift shift_of(const Sequence& each) const {
    Shift shift;
    if (!call_.shift.present) return shift;
    if (is_sloping()) {
      shift.slopes = numbers_of_heads(call_.shift);
      shift.slopes.data += each.number * shift.slopes.batch_stride;
      shift.root = call_.shift_type == kRootSlope;
      // Only the first sequence of this mode is a part of one.
      shift.start = call_.mode == kBandThenCausal && each.number > 0 ? 0 : call_.key_start;
      return shift;
    }
    shift.before_scale = call_.shift_type == kShiftThenScale;
    if (has_last_rows()) {
      shift.values = repeated_heads(call_.shift);
      shift.values.data += each.number * shift.values.batch_stride;
      shift.last_rows = true;
      return shift;
    }
    const bool full = call_.shift.shape[0] == query.heads * sequences.pairs;
    shift.values = shift_;
    shift.values.data += query.heads * (full ? each.pairs : each.key) * shift_.size;
    shift.values.row_stride = full ? each.keys * shift_.size : 0;
    shift.values.head_stride = (full ? each.queries : 1) * each.keys * shift_.size;
    return shift;
  }

  // The sequence that was cut has a band.
  int64_t mode_of(const Sequence& each) const {
    if (call_.mode == kCausalThenBand) {
      return each.number == sequences.last_filled ? kBandFromEnd : kCausalFromEnd;
    }
    if (call_.mode == kBandThenCausal) {
      return each.number == sequences.first_filled ? kBandFromEnd : kCausal;
    }
    return call_.mode;
  }

  void set_mask_of(const Sequence& each, Attention* attention) const {
    IntArrayView prefix = call_.prefix;
    if (prefix.present && each.number < static_cast<int64_t>(prefix.size)) {
      prefix.values += each.number;
      prefix.size = 1;
    }
    set_mask(attention, call_.mask, mode_of(each), call_.before, call_.after, prefix);
    Heads& mask = attention->mask;
    if (mask.data == nullptr) return;
    mask.data += each.number * mask.batch_stride;
    const bool shared =
        mask.rows == sequences.longest_queries && mask.width == sequences.longest_keys;
    if (!shared) mask.data += each.query * mask.row_stride + each.key * mask.column_stride;
  }

  const Call& call_;
  CopiedView dropped_, shifts_;
  Dropout dropout_;
  Heads shift_;
};

Status attend_as(const Call& call, const TensorView& largest, const TensorView& sums,
                 const TensorView& out) {
  Training training(call);
  DenseTarget most, totals;
  for (const Status& status :
       {training.prepare(), most.prepare(largest), totals.prepare(sums), fill_with_zero(out)}) {
    if (!status.ok()) return status;
  }
  const int64_t copies = largest.shape[2];
  const auto bytes = static_cast<size_t>(largest.elements()) * sizeof(float);
  std::memset(most.data(), 0, bytes);
  std::memset(totals.data(), 0, bytes);
  const Heads outs = rows_of(out);
  Sequence each = training.sequences.first();
  for (; each.number < training.sequences.count; each = training.sequences.next(each)) {
    if (!each.filled()) continue;
    Heads keys, values;
    AttentionResults results;
    results.out = some_rows(outs, each.query, each.queries);
    results.largest = training.statistics_of(each, most.data(), copies);
    results.sums = training.statistics_of(each, totals.data(), copies);
    const Status status = attend(training.attention_of(each, &keys, &values), results);
    if (!status.ok()) return status;
  }
  const Status status = most.deliver();
  return status.ok() ? totals.deliver() : status;
}

struct Gradients {
  const TensorView &out, &gradient, &largest, &sums, &of_query, &of_key, &of_value;
};

Status differentiate_as(const Call& call, const Gradients& given) {
  Training training(call);
  CopiedView copied[2];
  const TensorView *largest = nullptr, *sums = nullptr;
  for (const Status& status :
       {training.prepare(), make_dense(given.largest, copied, &largest),
        make_dense(given.sums, copied + 1, &sums), fill_with_zero(given.of_query),
        fill_with_zero(given.of_key), fill_with_zero(given.of_value)}) {
    if (!status.ok()) return status;
  }
  const int64_t copies = largest->shape[2];
  Sequence each = training.sequences.first();
  for (; each.number < training.sequences.count; each = training.sequences.next(each)) {
    if (!each.filled()) continue;
    const auto by_query = [&](const TensorView& tensor) {
      return some_rows(rows_of(tensor), each.query, each.queries);
    };
    const auto by_key = [&](const TensorView& tensor) {
      return some_rows(rows_of(tensor), each.key, each.keys);
    };
    Heads keys, values;
    const Status status =
        differentiate(training.attention_of(each, &keys, &values),
                      {by_query(given.out), by_query(given.gradient),
                       training.statistics_of(each, start_of(*largest), copies),
                       training.statistics_of(each, start_of(*sums), copies),
                       by_query(given.of_query), by_key(given.of_key), by_key(given.of_value)});
    if (!status.ok()) return status;
  }
  return {};
}

bool is_same_as_input(const char* layout) { return std::strcmp(layout, "same_as_input") == 0; }

template <typename Args>
Call call_of(const Args& args, const TensorView& key, const TensorView& shift) {
  return {args.query,
          key,
          args.value,
          shift,
          args.dropMaskOptional,
          args.attenMaskOptional,
          args.prefixOptional,
          args.actualSeqQLenOptional,
          args.actualSeqKvLenOptional,
          args.scaleValue,
          args.keepProb,
          args.preTokens,
          args.nextTokens,
          args.sparseMode,
          kShiftThenScale,
          0,
          false};
}

template <typename Args>
Status attend_as(const Args& args, const Call& call) {
  return attend_as(call, args.softmaxMaxOut, args.softmaxSumOut, args.attentionOutOut);
}

template <typename Args>
Status differentiate_as(const Args& args, const Call& call) {
  return differentiate_as(call, {args.attentionInOptional, args.dy, args.softmaxMaxOptional,
                                 args.softmaxSumOptional, args.dqOut, args.dkOut, args.dvOut});
}

template <typename Args>
void set_type(const Args& args, Call* call) {
  call->shift_type = args.pseType;
  call->key_start = key_start_of(args.qStartIdxOptional, args.kvStartIdxOptional);
}

}  // namespace

Status run(const FlashAttentionVarLenScoreArgs& args) {
  return attend_as(args, call_of(args, args.key, args.realShiftOptional));
}
Status run(const FlashAttentionVarLenScoreV2Args& args) {
  Call call = call_of(args, args.key, args.realShiftOptional);
  set_type(args, &call);
  return attend_as(args, call);
}
Status run(const FlashAttentionVarLenScoreV4Args& args) {
  Call call = call_of(args, args.key, args.realShiftOptional);
  call.same_as_input = is_same_as_input(args.softmaxOutLayout);
  return attend_as(args, call);
}
Status run(const FlashAttentionUnpaddingScoreGradArgs& args) {
  return differentiate_as(args, call_of(args, args.keyIn, args.pseShiftOptional));
}
Status run(const FlashAttentionUnpaddingScoreGradV2Args& args) {
  Call call = call_of(args, args.keyIn, args.pseShiftOptional);
  set_type(args, &call);
  return differentiate_as(args, call);
}
Status run(const FlashAttentionUnpaddingScoreGradV4Args& args) {
  Call call = call_of(args, args.keyIn, args.pseShiftOptional);
  call.same_as_input = is_same_as_input(args.softmaxInLayout);
  return differentiate_as(args, call);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

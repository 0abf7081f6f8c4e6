// SPDX-License-Identifier: Apache-2.0
// Attention for inference: keys and values in lists or blocks, lengths by batch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "kernels/attention/sparse.h"
#include "operator/index_error.h"
#include "ops/fused_infer_attention_score_v2.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using Args = FusedInferAttentionScoreV2Args;

// Keys, then values, and how many keys each batch has.
struct Members {
  std::unique_ptr<Heads[]> heads;
  std::unique_ptr<int64_t[]> rows;
};

bool make_members(const Args& args, int64_t key_heads, Members* members) {
  const auto count = static_cast<int64_t>(args.key.size);
  members->heads.reset(new (std::nothrow) Heads[2 * count]);
  members->rows.reset(new (std::nothrow) int64_t[count]);
  if (members->heads == nullptr || members->rows == nullptr) return false;
  const bool in_blocks = args.blockTableOptional.present;
  for (int64_t i = 0; i < count; ++i) {
    const TensorView& key = args.key.values[i];
    const char* layout = args.inputLayout;
    if (in_blocks) layout = key.rank == 3 ? "BSH" : "BNSD";
    members->heads[i] = heads_of(key, layout, key_heads);
    members->heads[count + i] = heads_of(args.value.values[i], layout, key_heads);
    members->rows[i] = members->heads[i].rows;
  }
  return true;
}

// The rows of a list's members bound those that are given.
void set_lengths(const Args& args, Members* members, Attention* attention) {
  const int64_t count = attention->keys.count;
  attention->key_lengths = args.actualSeqLengthsKvOptional;
  if (count == 1) return;
  for (int64_t i = 0; i < count; ++i) {
    attention->key_rows = members->rows[i];
    members->rows[i] = attention->keys_of(i);
  }
  attention->key_rows = *std::max_element(members->rows.get(), members->rows.get() + count);
  attention->key_lengths = {true, static_cast<uint64_t>(count), members->rows.get()};
}

// The first number of a table that names no block.
BadIndex find_bad_block(const Attention& attention) {
  const TensorView& table = *attention.keys.blocks;
  const int64_t rows = attention.keys.block_rows, blocks = attention.keys.members[0].batches;
  for (int64_t batch = 0; batch < attention.query.batches; ++batch) {
    const int64_t used = (attention.keys_of(batch) + rows - 1) / rows;
    for (int64_t i = 0; i < used; ++i) {
      const int64_t block = block_at(table, batch, i);
      if (block < 0 || block >= blocks) return {batch * table.shape[1] + i, block};
    }
  }
  return {};
}

// With one query, rows of a matrix are batches.
Heads mask_of(const TensorView& mask, const Heads& query) {
  Heads heads = repeated_heads(mask);
  if (mask.rank == 2 && query.rows == 1) std::swap(heads.batch_stride, heads.row_stride);
  return heads;
}

void set_scores(const Args& args, Attention* attention) {
  const TensorView& mask = args.attenMaskOptional;
  attention->scale = static_cast<float>(args.scaleValue);
  attention->shift.values = repeated_heads(args.pseShiftOptional);
  attention->shift.before_scale = false;
  if (attention->query.rows == 1) {
    if (mask.present) attention->mask = mask_of(mask, attention->query);
    return;
  }
  attention->query_lengths = args.actualSeqLengthsOptional;
  set_mask(attention, mask, args.sparseMode, args.preTokens, args.nextTokens, {});
}

AttentionResults results_of(const Args& args) {
  AttentionResults results;
  const char* const other = std::strchr(args.inputLayout, '_');
  const char* const layout = other == nullptr ? args.inputLayout : other + 1;
  results.out = heads_of(args.attentionOut, layout, args.numHeads);
  if (args.softmaxLseFlag) results.log_sums = repeated_heads(args.softmaxLse);
  return results;
}

}  // namespace

Status run(const FusedInferAttentionScoreV2Args& args) {
  const int64_t key_heads = args.numKeyValueHeads > 0 ? args.numKeyValueHeads : args.numHeads;
  const TensorView& blocks = args.blockTableOptional;
  Members members;
  if (!make_members(args, key_heads, &members)) return Status::out_of_memory();
  const auto count = static_cast<int64_t>(args.key.size);
  Attention attention;
  attention.query = heads_of(args.query, args.inputLayout, args.numHeads);
  attention.keys = {members.heads.get(), count, blocks.present ? &blocks : nullptr, args.blockSize};
  attention.values = attention.keys;
  attention.values.members += count;
  attention.key_rows =
      blocks.present ? blocks.shape[1] * args.blockSize : attention.keys.members[0].rows;
  set_lengths(args, &members, &attention);
  set_scores(args, &attention);
  if (blocks.present) {
    const BadIndex bad = find_bad_block(attention);
    if (bad.position >= 0) {
      return axis_index_out_of_range("aclnnFusedInferAttentionScoreV2", "blockTableOptional",
                                     blocks, bad, attention.keys.members[0].batches, false);
    }
  }
  return attend(attention, results_of(args));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

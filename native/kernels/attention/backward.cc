// SPDX-License-Identifier: Apache-2.0
// The gradients of attention. Scores are made again, once for the gradients of queries, which are
// sums over keys, and once for those of keys and values, which are sums over queries: no sum has
// two threads.
#include "engines/multiply.h"
#include "engines/rows.h"
#include "kernels/attention/scores.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The memory of a thread.
struct Scratch {
  Scratch(const Attention& attention, float* memory) {
    const int64_t width = attention.query.width, value_width = attention.values.width();
    float* next = memory;
    const auto take = [&](int64_t count) {
      float* const taken = next;
      next += count;
      return taken;
    };
    queries = take(kTileQueries * width);
    gradients = take(kTileQueries * value_width);
    outs = take(kTileQueries * value_width);
    keys = take(kTileKeys * width);
    values = take(kTileKeys * value_width);
    powers = take(kTileQueries * kTileKeys);
    slopes = take(kTileQueries * kTileKeys);
    of_first = take(kTileKeys * width);  // keys or, fewer, queries
    of_values = take(kTileKeys * value_width);
  }
  static int64_t size(const Attention& attention) {
    return (kTileQueries + 2 * kTileKeys) * (attention.query.width + attention.values.width()) +
           kTileQueries * (attention.values.width() + 2 * kTileKeys);
  }

  float *queries, *gradients, *outs, *keys, *values, *powers, *slopes, *of_first, *of_values;
};

void read_queries(const Attention& attention, const AttentionGradients& gradients,
                  const QueryBlock& block, const Scratch& scratch) {
  read_block(attention, block, attention.query, scratch.queries);
  read_block(attention, block, gradients.gradient, scratch.gradients);
  read_block(attention, block, gradients.out, scratch.outs);
}

void read_keys(const Attention& attention, const QueryBlock& block, Span which,
               const Scratch& scratch) {
  const int64_t n = which.end - which.begin;
  attention.keys.read(block.batch, block.key_head, which.begin, n, scratch.keys);
  attention.values.read(block.batch, block.key_head, which.begin, n, scratch.values);
}

// The shares of a row: what the forward multiplied values by before dropout.
void share_row(const AttentionGradients& gradients, int64_t batch, const QueryRow& at, float* row) {
  const auto read = [&](const Heads& from) {
    return *reinterpret_cast<const float*>(from.at(batch, at.head, at.query));
  };
  const float sum = read(gradients.sums), largest = read(gradients.largest);
  const float share = sum == 0 ? 0 : 1 / sum, most = sum == 0 ? 0 : largest;
#pragma GCC ivdep
  for (int64_t j = 0; j < kTileKeys; ++j) row[j] = math::exp(row[j] - most) * share;
}

double product(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += double{a[i]} * b[i];
  return sum;
}

// Leaves what values were multiplied by in `powers`, and the gradients of unscaled scores in
// `slopes`.
void slope(const Attention& attention, const AttentionGradients& gradients, const QueryBlock& block,
           Span which, const Scratch& scratch) {
  const int64_t n = which.end - which.begin, width = attention.values.width();
  score(attention, block, scratch.queries, scratch.keys, which, scratch.powers);
  multiply<float>(block.count, n, width, {scratch.gradients, width, 1}, {scratch.values, 1, width},
                  scratch.slopes, kTileKeys, false);
  drop(attention, block, which, scratch.slopes);
  for (int64_t i = 0; i < block.count; ++i) {
    const QueryRow at = row_of(attention, block, i);
    float *const shares = scratch.powers + i * kTileKeys, *const to =
                                                              scratch.slopes + i * kTileKeys;
    share_row(gradients, block.batch, at, shares);
    const auto mean =
        static_cast<float>(product(scratch.gradients + i * width, scratch.outs + i * width, width));
    for (int64_t j = 0; j < n; ++j) to[j] = shares[j] * (to[j] - mean) * attention.scale;
  }
  drop(attention, block, which, scratch.powers);
}

void write_queries(const Attention& attention, const QueryBlock& block, const Heads& to,
                   const float* from) {
  for (int64_t i = 0; i < block.count; ++i) {
    const QueryRow at = row_of(attention, block, i);
    to.write(block.batch, at.head, at.query, from + i * to.width);
  }
}

void for_queries(const Attention& attention, const AttentionGradients& gradients,
                 const QueryBlock& block, const Scratch& scratch) {
  const int64_t width = attention.query.width, keys = attention.keys_of(block.batch);
  std::fill_n(scratch.of_first, block.count * width, 0.0F);
  read_queries(attention, gradients, block, scratch);
  const Span seen = visible_keys(attention, block);
  for (int64_t first = seen.begin / kTileKeys * kTileKeys; first < seen.end; first += kTileKeys) {
    const Span which = {first, std::min(first + kTileKeys, keys)};
    read_keys(attention, block, which, scratch);
    slope(attention, gradients, block, which, scratch);
    multiply<float>(block.count, width, which.end - which.begin, {scratch.slopes, kTileKeys, 1},
                    {scratch.keys, width, 1}, scratch.of_first, width, true);
  }
  write_queries(attention, block, gradients.of_query, scratch.of_first);
}

// All rows of a group that see one of the keys.
void for_keys(const Attention& attention, const AttentionGradients& gradients, int64_t batch,
              int64_t head, Span which, const Scratch& scratch) {
  const int64_t width = attention.query.width, value_width = attention.values.width();
  const int64_t n = which.end - which.begin, rows = attention.group() * attention.query.rows;
  std::fill_n(scratch.of_first, n * width, 0.0F);
  std::fill_n(scratch.of_values, n * value_width, 0.0F);
  QueryBlock block = {batch, head, 0, 0};
  read_keys(attention, block, which, scratch);
  for (; block.first < rows; block.first += kTileQueries) {
    block.count = std::min(kTileQueries, rows - block.first);
    const Span seen = visible_keys(attention, block);
    if (seen.begin >= which.end || seen.end <= which.begin) continue;
    read_queries(attention, gradients, block, scratch);
    slope(attention, gradients, block, which, scratch);
    multiply<float>(n, width, block.count, {scratch.slopes, 1, kTileKeys},
                    {scratch.queries, width, 1}, scratch.of_first, width, true);
    multiply<float>(n, value_width, block.count, {scratch.powers, 1, kTileKeys},
                    {scratch.gradients, value_width, 1}, scratch.of_values, value_width, true);
  }
  for (int64_t j = 0; j < n; ++j) {
    gradients.of_key.write(batch, head, which.begin + j, scratch.of_first + j * width);
    gradients.of_value.write(batch, head, which.begin + j, scratch.of_values + j * value_width);
  }
}

}  // namespace

Status differentiate(const Attention& attention, const AttentionGradients& gradients) {
  const int64_t heads = attention.keys.heads(), matrices = attention.query.batches * heads;
  const int64_t rows = attention.group() * attention.query.rows, keys = attention.key_rows;
  const int64_t blocks = (rows + kTileQueries - 1) / kTileQueries;
  const int64_t tiles = (keys + kTileKeys - 1) / kTileKeys, size = Scratch::size(attention);
  const auto of_queries = [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % blocks * kTileQueries, head = number / blocks;
    const QueryBlock block = {head / heads, head % heads, first,
                              std::min(kTileQueries, rows - first)};
    for_queries(attention, gradients, block, Scratch(attention, own.row(0)));
  };
  const Status status = for_each_row(matrices * blocks, size, 1, of_queries);
  if (!status.ok()) return status;
  return for_each_row(matrices * tiles, size, 1, [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % tiles * kTileKeys, head = number / tiles;
    for_keys(attention, gradients, head / heads, head % heads,
             {first, std::min(first + kTileKeys, keys)}, Scratch(attention, own.row(0)));
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

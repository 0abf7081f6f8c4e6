// SPDX-License-Identifier: Apache-2.0
// The gradients of attention. Those of queries are sums over keys, those of keys and values sums
// over queries, always in the order of tiles and on one thread. Where there are heads enough, a
// thread makes all gradients of a head and scores once. Else threads share a head: scores are made
// twice, for the gradients of queries and for the others. Bits are the same either way.
#include "base/parallel.h"
#include "engines/lane_sums.h"
#include "engines/multiply.h"
#include "engines/rows.h"
#include "kernels/attention/scores.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kMostRows = 128, kMostKeys = 256;

// What stays the same during a call.
struct Pass {
  Pass(const Attention& of, const AttentionGradients& to)
      : attention(of),
        gradients(to),
        shape(of, kMostRows, kMostKeys),
        width(of.query.width),
        value_width(of.values.width()),
        rows(of.group() * of.query.rows) {}

  const Attention& attention;
  const AttentionGradients& gradients;
  TileShape shape;
  int64_t width, value_width;
  int64_t rows;  // of a group
};

// The memory of a thread.
struct Scratch {
  Scratch(const Pass& pass, float* memory) {
    const int64_t rows = pass.shape.rows, columns = pass.shape.keys;
    float* next = memory;
    const auto take = [&](int64_t count) {
      float* const taken = next;
      next += count;
      return taken;
    };
    queries = take(rows * pass.width);
    slopes_of_out = take(rows * pass.value_width);
    outs = take(rows * pass.value_width);
    means = take(rows);
    keys = take(columns * pass.width);
    values = take(columns * pass.value_width);
    powers = take(rows * columns);
    slopes = take(rows * columns);
    of_keys = take(columns * pass.width);
    of_values = take(columns * pass.value_width);
    of_queries = next;
  }
  // With the gradients of so many queries.
  static int64_t size(const Pass& pass, int64_t queries) {
    const int64_t both = pass.width + pass.value_width;
    return pass.shape.rows * (both + pass.value_width + 1 + 2 * pass.shape.keys) +
           pass.shape.keys * 2 * both + queries * pass.width;
  }

  float *queries, *slopes_of_out, *outs, *means, *keys, *values, *powers, *slopes, *of_keys,
      *of_values, *of_queries;
};

struct KeyTile {
  Span which;
  Matrix<float> keys, values;
};

float product(const float* a, const float* b, int64_t n) {
  reduce_detail::LaneSums<float, 1> sums;
  sums.add([](auto x, auto y) { return x * y; }, n, a, b);
  return static_cast<float>(sums.total());
}

void read_rows(const Pass& pass, const QueryBlock& block, const Scratch& scratch) {
  const int64_t width = pass.value_width;
  read_queries(pass.attention, block, scratch.queries);
  read_block(pass.attention, block, pass.gradients.gradient, scratch.slopes_of_out);
  read_block(pass.attention, block, pass.gradients.out, scratch.outs);
  for (int64_t i = 0; i < block.count; ++i) {
    scratch.means[i] = product(scratch.slopes_of_out + i * width, scratch.outs + i * width, width);
  }
}

KeyTile read_keys(const Pass& pass, const QueryBlock& block, Span which, const Scratch& scratch) {
  const int64_t n = which.end - which.begin, head = block.key_head;
  return {which, pass.attention.keys.read(block.batch, head, which.begin, n, scratch.keys),
          pass.attention.values.read(block.batch, head, which.begin, n, scratch.values)};
}

// The shares of a row: what the forward multiplied values by before dropout.
void share_row(const AttentionGradients& gradients, int64_t batch, const QueryRow& at, float* row,
               int64_t n) {
  const auto read = [&](const Heads& from) {
    return *reinterpret_cast<const float*>(from.at(batch, at.head, at.query));
  };
  const float sum = read(gradients.sums), largest = read(gradients.largest);
  const float share = sum == 0 ? 0 : 1 / sum, most = sum == 0 ? 0 : largest;
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) row[j] = math::exp(row[j] - most) * share;
}

// Leaves what values were multiplied by in `powers`, and the gradients of scores in `slopes`.
void slope(const Pass& pass, const QueryBlock& block, const KeyTile& keys, const Scratch& scratch) {
  const Tile tile = {pass.attention, block, keys.which, pass.shape.keys};
  const int64_t n = tile.keys(), width = pass.value_width;
  const Matrix<float>& values = keys.values;
  score(tile, scratch.queries, keys.keys, scratch.powers);
  multiply<float>(block.count, n, width, {scratch.slopes_of_out, width, 1},
                  {values.data, values.column_stride, values.row_stride}, scratch.slopes,
                  tile.stride, false);
  drop(tile, scratch.slopes);
  for (int64_t i = 0; i < block.count; ++i) {
    float* const shares = scratch.powers + i * tile.stride;
    float* const to = scratch.slopes + i * tile.stride;
    share_row(pass.gradients, block.batch, row_of(pass.attention, block, i), shares,
              tile.padded_keys());
    const float mean = scratch.means[i];
    for (int64_t j = 0; j < n; ++j) to[j] = shares[j] * (to[j] - mean);
  }
  drop(tile, scratch.powers);
}

// Adds a tile's share of the gradients of queries.
void add_to_queries(const Pass& pass, const QueryBlock& block, const KeyTile& tile,
                    const Scratch& scratch, float* to) {
  multiply<float>(block.count, pass.width, tile.which.end - tile.which.begin,
                  {scratch.slopes, pass.shape.keys, 1}, tile.keys, to, pass.width, true);
}

// Scores are products with scaled queries.
void write_queries(const Pass& pass, const QueryBlock& block, float* from) {
  const Heads& to = pass.gradients.of_query;
  for (int64_t i = 0; i < block.count * pass.width; ++i) from[i] *= pass.attention.scale;
  for_each_head(pass.attention, block, [&](int64_t row, const QueryRow& at, int64_t count) {
    to.write(block.batch, at.head, at.query, count, from + row * pass.width);
  });
}

// The gradients of some queries.
void for_queries(const Pass& pass, const QueryBlock& block, const Scratch& scratch) {
  const int64_t keys = pass.attention.keys_of(block.batch), step = pass.shape.keys;
  std::fill_n(scratch.of_queries, block.count * pass.width, 0.0F);
  read_rows(pass, block, scratch);
  const Span seen = visible_keys(pass.attention, block);
  for (int64_t first = seen.begin / step * step; first < seen.end; first += step) {
    const KeyTile tile = read_keys(pass, block, {first, std::min(first + step, keys)}, scratch);
    slope(pass, block, tile, scratch);
    add_to_queries(pass, block, tile, scratch, scratch.of_queries);
  }
  write_queries(pass, block, scratch.of_queries);
}

// The gradients of some keys and values: sums over all rows of a group that see one of them. Adds
// to those of queries, too, unless somebody else does.
void for_keys(const Pass& pass, int64_t batch, int64_t head, Span which, const Scratch& scratch,
              float* of_queries) {
  const int64_t n = which.end - which.begin, stride = pass.shape.keys;
  std::fill_n(scratch.of_keys, n * pass.width, 0.0F);
  std::fill_n(scratch.of_values, n * pass.value_width, 0.0F);
  QueryBlock block = {batch, head, 0, 0};
  const KeyTile tile = read_keys(pass, block, which, scratch);
  for (; block.first < pass.rows; block.first += pass.shape.rows) {
    block.count = std::min(pass.shape.rows, pass.rows - block.first);
    const Span seen = visible_keys(pass.attention, block);
    if (seen.begin >= which.end || seen.end <= which.begin) continue;
    read_rows(pass, block, scratch);
    slope(pass, block, tile, scratch);
    multiply<float>(n, pass.width, block.count, {scratch.slopes, 1, stride},
                    {scratch.queries, pass.width, 1}, scratch.of_keys, pass.width, true);
    multiply<float>(n, pass.value_width, block.count, {scratch.powers, 1, stride},
                    {scratch.slopes_of_out, pass.value_width, 1}, scratch.of_values,
                    pass.value_width, true);
    if (of_queries == nullptr) continue;
    add_to_queries(pass, block, tile, scratch, of_queries + block.first * pass.width);
  }
  pass.gradients.of_key.write(batch, head, which.begin, n, scratch.of_keys);
  pass.gradients.of_value.write(batch, head, which.begin, n, scratch.of_values);
}

Status by_heads(const Pass& pass) {
  const int64_t heads = pass.attention.keys.heads(), step = pass.shape.keys;
  const auto unit = [&](int64_t number, const RowBuffers& own) {
    const int64_t batch = number / heads, head = number % heads;
    const int64_t keys = pass.attention.key_rows;
    const Scratch scratch(pass, own.row(0));
    std::fill_n(scratch.of_queries, pass.rows * pass.width, 0.0F);
    for (int64_t first = 0; first < keys; first += step) {
      for_keys(pass, batch, head, {first, std::min(first + step, keys)}, scratch,
               scratch.of_queries);
    }
    write_queries(pass, {batch, head, 0, pass.rows}, scratch.of_queries);
  };
  return for_each_row(pass.attention.query.batches * heads, Scratch::size(pass, pass.rows), 1, unit,
                      pass.rows * pass.attention.key_rows * pass.width);
}

Status by_tiles(const Pass& pass) {
  const int64_t heads = pass.attention.keys.heads(), keys = pass.attention.key_rows;
  const int64_t matrices = pass.attention.query.batches * heads;
  const int64_t blocks = (pass.rows + pass.shape.rows - 1) / pass.shape.rows;
  const int64_t tiles = (keys + pass.shape.keys - 1) / pass.shape.keys;
  const int64_t size = Scratch::size(pass, pass.shape.rows);
  const auto of_queries = [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % blocks * pass.shape.rows, head = number / blocks;
    const QueryBlock block = {head / heads, head % heads, first,
                              std::min(pass.shape.rows, pass.rows - first)};
    for_queries(pass, block, Scratch(pass, own.row(0)));
  };
  const Status status = for_each_row(matrices * blocks, size, 1, of_queries);
  if (!status.ok()) return status;
  return for_each_row(matrices * tiles, size, 1, [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % tiles * pass.shape.keys, head = number / tiles;
    for_keys(pass, head / heads, head % heads, {first, std::min(first + pass.shape.keys, keys)},
             Scratch(pass, own.row(0)), nullptr);
  });
}

}  // namespace

Status differentiate(const Attention& attention, const AttentionGradients& gradients) {
  const Pass pass(attention, gradients);
  const int64_t matrices = attention.query.batches * attention.keys.heads();
  return matrices >= thread_count() ? by_heads(pass) : by_tiles(pass);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

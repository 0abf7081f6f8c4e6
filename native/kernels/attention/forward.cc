// SPDX-License-Identifier: Apache-2.0
// Attention with one pass over the keys: Note [Attention].
#include <cmath>
#include <limits>

#include "engines/multiply.h"
#include "engines/rows.h"
#include "kernels/attention/powers.h"
#include "kernels/attention/scores.h"
#include "kernels/softmax/row_softmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kMostRows = 128, kMostKeys = 512;

// The memory of a thread.
struct Scratch {
  Scratch(const Attention& attention, const TileShape& shape, float* memory)
      : queries(memory),
        keys(queries + shape.rows * attention.query.width),
        values(keys + shape.keys * attention.query.width),
        scores(values + shape.keys * attention.values.width()),
        totals(scores + shape.rows * shape.keys) {}
  static int64_t size(const Attention& attention, const TileShape& shape) {
    const int64_t width = attention.query.width, value_width = attention.values.width();
    return (shape.rows + shape.keys) * (width + value_width) + shape.rows * shape.keys;
  }

  float *queries, *keys, *values, *scores, *totals;
};

struct RowState {
  float largest = -std::numeric_limits<float>::infinity();
  double sum = 0;
};

// What scores are compared with: something finite where there is no score.
float reference_of(float largest) {
  return largest == -std::numeric_limits<float>::infinity() ? 0 : largest;
}

// Turns a row of scores into powers and scales down what was added up so far.
void raise(float* scores, int64_t n, RowState* state, float* totals, int64_t width) {
  const float before = state->largest;
  state->largest = std::max(before, largest(scores, n));
  const float most = reference_of(state->largest);
  if (state->largest != before && state->sum != 0) {
    const float factor = math::exp(before - most);
    state->sum *= factor;
    for (int64_t i = 0; i < width; ++i) totals[i] *= factor;
  }
  state->sum += raise_to_powers(scores, n, most);
}

void add_keys(const Tile& tile, const Scratch& scratch, RowState* states) {
  const Attention& attention = tile.attention;
  const QueryBlock& block = tile.block;
  const int64_t n = tile.keys(), width = attention.values.width();
  const int64_t first = tile.which.begin;
  score(tile, scratch.queries,
        attention.keys.read(block.batch, block.key_head, first, n, scratch.keys), scratch.scores);
  for (int64_t i = 0; i < block.count; ++i) {
    raise(scratch.scores + i * tile.stride, tile.padded_keys(), states + i,
          scratch.totals + i * width, width);
  }
  drop(tile, scratch.scores);
  multiply<float>(block.count, width, n, {scratch.scores, tile.stride, 1},
                  attention.values.read(block.batch, block.key_head, first, n, scratch.values),
                  scratch.totals, width, true);
}

void write_repeated(const Heads& to, int64_t batch, const QueryRow& at, float value) {
  if (to.data == nullptr) return;
  char* place = to.at(batch, at.head, at.query);
  for (int64_t i = 0; i < to.width; ++i, place += to.column_stride) {
    *reinterpret_cast<float*>(place) = value;
  }
}

float log_sum_of(const RowState& state) {
  if (state.sum == 0) return std::numeric_limits<float>::infinity();
  return static_cast<float>(std::log(state.sum) + reference_of(state.largest));
}

void write_block(const Attention& attention, const QueryBlock& block,
                 const AttentionResults& results, float* totals, const RowState* states) {
  const int64_t width = attention.values.width();
  for (int64_t i = 0; i < block.count; ++i) {
    const QueryRow at = row_of(attention, block, i);
    const RowState& state = states[i];
    const float share = state.sum == 0 ? 0 : static_cast<float>(1 / state.sum);
    float* const row = totals + i * width;
    for (int64_t j = 0; j < width; ++j) row[j] *= share;
    results.out.write(block.batch, at.head, at.query, 1, row);
    write_repeated(results.largest, block.batch, at, state.largest);
    write_repeated(results.sums, block.batch, at, static_cast<float>(state.sum));
    write_repeated(results.log_sums, block.batch, at, log_sum_of(state));
  }
}

void attend_block(const Attention& attention, const QueryBlock& block, const TileShape& shape,
                  const AttentionResults& results, const Scratch& scratch) {
  RowState states[kMostRows];
  std::fill_n(scratch.totals, block.count * attention.values.width(), 0.0F);
  const Span seen = visible_keys(attention, block);
  if (seen.begin < seen.end) {
    read_queries(attention, block, scratch.queries);
    for (int64_t first = seen.begin / shape.keys * shape.keys; first < seen.end;
         first += shape.keys) {
      const Span which = {first, std::min(first + shape.keys, seen.end)};
      add_keys({attention, block, which, shape.keys}, scratch, states);
    }
  }
  write_block(attention, block, results, scratch.totals, states);
}

}  // namespace

Status attend(const Attention& attention, const AttentionResults& results) {
  const int64_t heads = attention.keys.heads();
  const int64_t rows = attention.group() * attention.query.rows;
  const TileShape shape(attention, kMostRows, kMostKeys);
  const int64_t blocks = (rows + shape.rows - 1) / shape.rows;
  const auto unit = [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % blocks * shape.rows, head = number / blocks;
    const QueryBlock block = {head / heads, head % heads, first,
                              std::min(shape.rows, rows - first)};
    attend_block(attention, block, shape, results, Scratch(attention, shape, own.row(0)));
  };
  return for_each_row(attention.query.batches * heads * blocks, Scratch::size(attention, shape), 1,
                      unit, shape.rows * attention.key_rows * attention.query.width);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Attention with one pass over the keys: Note [Attention].
#include <cmath>
#include <limits>

#include "engines/lane_sums.h"
#include "engines/multiply.h"
#include "engines/rows.h"
#include "kernels/attention/scores.h"
#include "kernels/softmax/row_softmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The memory of a thread.
struct Scratch {
  Scratch(const Attention& attention, int64_t rows, float* memory)
      : queries(memory),
        keys(queries + rows * attention.query.width),
        values(keys + kTileKeys * attention.query.width),
        scores(values + kTileKeys * attention.values.width()),
        totals(scores + rows * kTileKeys) {}
  static int64_t size(const Attention& attention, int64_t rows) {
    const int64_t width = attention.query.width, value_width = attention.values.width();
    return (rows + kTileKeys) * (width + value_width) + rows * kTileKeys;
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
void raise(float* scores, RowState* state, float* totals, int64_t width) {
  const float before = state->largest;
  state->largest = std::max(before, largest(scores, kTileKeys));
  const float most = reference_of(state->largest);
  if (state->largest != before && state->sum != 0) {
    const float factor = math::exp(before - most);
    state->sum *= factor;
    for (int64_t i = 0; i < width; ++i) totals[i] *= factor;
  }
#pragma GCC ivdep
  for (int64_t j = 0; j < kTileKeys; ++j) scores[j] = math::exp(scores[j] - most);
  reduce_detail::LaneSums<float, 4> sums;
  sums.add([](auto power, auto) { return power; }, kTileKeys, scores, scores);
  state->sum += sums.total();
}

void add_keys(const Attention& attention, const QueryBlock& block, Span which,
              const Scratch& scratch, RowState* states) {
  const int64_t n = which.end - which.begin, width = attention.values.width();
  attention.keys.read(block.batch, block.key_head, which.begin, n, scratch.keys);
  attention.values.read(block.batch, block.key_head, which.begin, n, scratch.values);
  score(attention, block, scratch.queries, scratch.keys, which, scratch.scores);
  for (int64_t i = 0; i < block.count; ++i) {
    raise(scratch.scores + i * kTileKeys, states + i, scratch.totals + i * width, width);
  }
  drop(attention, block, which, scratch.scores);
  multiply<float>(block.count, width, n, {scratch.scores, kTileKeys, 1}, {scratch.values, width, 1},
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
    results.out.write(block.batch, at.head, at.query, row);
    write_repeated(results.largest, block.batch, at, state.largest);
    write_repeated(results.sums, block.batch, at, static_cast<float>(state.sum));
    write_repeated(results.log_sums, block.batch, at, log_sum_of(state));
  }
}

void attend_block(const Attention& attention, const QueryBlock& block,
                  const AttentionResults& results, const Scratch& scratch) {
  RowState states[kTileQueries];
  std::fill_n(scratch.totals, block.count * attention.values.width(), 0.0F);
  const Span seen = visible_keys(attention, block);
  if (seen.begin < seen.end) {
    read_block(attention, block, attention.query, scratch.queries);
    const int64_t keys = attention.keys_of(block.batch);
    for (int64_t first = seen.begin / kTileKeys * kTileKeys; first < seen.end; first += kTileKeys) {
      const Span which = {first, std::min(first + kTileKeys, keys)};
      add_keys(attention, block, which, scratch, states);
    }
  }
  write_block(attention, block, results, scratch.totals, states);
}

}  // namespace

Status attend(const Attention& attention, const AttentionResults& results) {
  const int64_t heads = attention.keys.heads();
  const int64_t rows = attention.group() * attention.query.rows;
  const int64_t at_once = std::min(rows, kTileQueries), blocks = (rows + at_once - 1) / at_once;
  const int64_t size = Scratch::size(attention, at_once);
  const auto unit = [&](int64_t number, const RowBuffers& own) {
    const int64_t first = number % blocks * at_once, head = number / blocks;
    const QueryBlock block = {head / heads, head % heads, first, std::min(at_once, rows - first)};
    attend_block(attention, block, results, Scratch(attention, at_once, own.row(0)));
  };
  return for_each_row(attention.query.batches * heads * blocks, size, 1, unit,
                      at_once * attention.key_rows * attention.query.width);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

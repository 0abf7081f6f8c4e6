// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/scores.h"

#include <cmath>
#include <limits>

#include "kernels/softmax/row_softmax.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr int64_t kPiece = 256;  // of shifts that are cast at a time

int64_t whole_steps(int64_t n) { return (n + kSoftmaxStep - 1) / kSoftmaxStep * kSoftmaxStep; }

// Where the shifts of some keys of a query lie.
struct Place {
  int64_t row, column, count;
};

Place place_of(const Shift& shift, const QueryRow& at, Span which) {
  const int64_t count = which.end - which.begin;
  if (!shift.last_rows) return {at.query, which.begin, count};
  const int64_t width = shift.values.width, first = width - shift.values.rows;
  const int64_t row = at.query >= first ? at.query - first : at.query % shift.values.rows;
  const int64_t column = which.begin + first + row - at.query;
  return {row, column, std::min(count, width - column)};  // later keys are not seen
}

void add_shift(const Attention& attention, int64_t batch, const QueryRow& at, Span which,
               float* row) {
  const Heads& shift = attention.shift.values;
  const float factor = attention.shift.before_scale ? attention.scale : 1;
  const Place place = place_of(attention.shift, at, which);
  const char* from = shift.at(batch, at.head, place.row) + place.column * shift.column_stride;
  float piece[kPiece];
  for (int64_t left = place.count; left > 0; left -= kPiece) {
    const int64_t n = std::min(left, kPiece);
    shift.to_float(from, shift.column_stride, reinterpret_cast<char*>(piece), sizeof(float), n);
    for (int64_t j = 0; j < n; ++j) row[j] += piece[j] * factor;
    from += n * shift.column_stride;
    row += n;
  }
}

void add_slope(const Shift& shift, int64_t batch, const QueryRow& at, Span which, float* row) {
  const float slope = -*reinterpret_cast<const float*>(shift.slopes.at(batch, at.head, 0));
  const int64_t first = which.begin + shift.start - at.query;
  for (int64_t j = 0; j < which.end - which.begin; ++j) {
    const float distance = std::abs(static_cast<float>(first + j));
    row[j] += slope * (shift.root ? std::sqrt(distance) : distance);
  }
}

void hide(const Heads& mask, int64_t batch, const QueryRow& at, Span which, float* row) {
  const char* hidden = mask.at(batch, at.head, at.query) + which.begin * mask.column_stride;
  const int64_t n = which.end - which.begin;
  if (mask.column_stride == 1) {
    for (int64_t j = 0; j < n; ++j) row[j] = hidden[j] != 0 ? kHidden : row[j];
    return;
  }
  for (int64_t j = 0; j < n; ++j, hidden += mask.column_stride) {
    row[j] = *hidden != 0 ? kHidden : row[j];
  }
}

}  // namespace

TileShape::TileShape(const Attention& attention, int64_t most_rows, int64_t most_keys)
    : rows(std::clamp<int64_t>(attention.group() * attention.query.rows, 1, most_rows)),
      keys(std::clamp(whole_steps(attention.key_rows), kSoftmaxStep, most_keys)) {}

int64_t Tile::padded_keys() const { return whole_steps(keys()); }

Span visible_keys(const Attention& attention, int64_t batch, int64_t query) {
  const int64_t keys = attention.keys_of(batch), queries = attention.queries_of(batch);
  if (query >= queries) return {0, 0};
  const Band& band = attention.band;
  const int64_t place = band.from_end ? query + keys - queries : query;
  Span seen = {std::max<int64_t>(place - band.before, 0),
               std::min<int64_t>(place + band.after + 1, keys)};
  if (band.prefix.present) seen.end = std::max(seen.end, std::min(keys, band.prefix.at(batch)));
  seen.end = std::max(seen.end, seen.begin);
  return seen;
}

Span visible_keys(const Attention& attention, const QueryBlock& block) {
  Span all = {attention.keys_of(block.batch), 0};
  for (int64_t row = 0; row < block.count; ++row) {
    const Span seen = visible_keys(attention, block.batch, row_of(attention, block, row).query);
    if (seen.begin == seen.end) continue;
    all.begin = std::min(all.begin, seen.begin);
    all.end = std::max(all.end, seen.end);
  }
  return all;
}

void read_block(const Attention& attention, const QueryBlock& block, const Heads& from, float* to) {
  for_each_head(attention, block, [&](int64_t row, const QueryRow& at, int64_t count) {
    from.read(block.batch, at.head, at.query, count, to + row * from.width);
  });
}

void read_queries(const Attention& attention, const QueryBlock& block, float* to) {
  read_block(attention, block, attention.query, to);
  const int64_t count = block.count * attention.query.width;
  for (int64_t i = 0; i < count; ++i) to[i] *= attention.scale;
}

void score(const Tile& tile, const float* queries, const Matrix<float>& keys, float* scores) {
  const Attention& attention = tile.attention;
  const int64_t width = attention.query.width, n = tile.keys(), padded = tile.padded_keys();
  multiply<float>(tile.block.count, n, width, {queries, width, 1},
                  {keys.data, keys.column_stride, keys.row_stride}, scores, tile.stride, false);
  const Span which = tile.which;
  for (int64_t i = 0; i < tile.block.count; ++i) {
    float* const row = scores + i * tile.stride;
    const QueryRow at = row_of(attention, tile.block, i);
    if (attention.shift.values.data != nullptr) {
      add_shift(attention, tile.block.batch, at, which, row);
    }
    if (attention.shift.slopes.data != nullptr) {
      add_slope(attention.shift, tile.block.batch, at, which, row);
    }
    if (attention.mask.data != nullptr) hide(attention.mask, tile.block.batch, at, which, row);
    const Span seen = visible_keys(attention, tile.block.batch, at.query);
    const int64_t begin = std::min(std::max(seen.begin - which.begin, int64_t{0}), padded);
    const int64_t end = std::min(std::max(seen.end - which.begin, begin), n);
    std::fill_n(row, begin, kHidden);
    std::fill(row + std::max(begin, end), row + padded, kHidden);
  }
}

void drop(const Tile& tile, float* values) {
  const Attention& attention = tile.attention;
  const Dropout& dropout = attention.dropout;
  if (dropout.bits == nullptr) return;
  for (int64_t i = 0; i < tile.block.count; ++i) {
    const QueryRow at = row_of(attention, tile.block, i);
    const int64_t row = (tile.block.batch * attention.query.heads + at.head) * attention.query.rows;
    const int64_t first = dropout.first + (row + at.query) * attention.key_rows + tile.which.begin;
    float* const to = values + i * tile.stride;
    for (int64_t j = 0; j < tile.keys(); ++j) {
      const bool kept = (dropout.bits[(first + j) / 8] >> (first + j) % 8 & 1) != 0;
      to[j] = kept ? to[j] * dropout.scale : 0;
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/scores.h"

#include <limits>

#include "engines/multiply.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

void scale_row(const Attention& attention, const float* shift, int64_t n, float* row) {
  const float scale = attention.scale;
  if (shift == nullptr) {
    for (int64_t j = 0; j < n; ++j) row[j] *= scale;
  } else if (attention.shift.before_scale) {
    for (int64_t j = 0; j < n; ++j) row[j] = (row[j] + shift[j]) * scale;
  } else {
    for (int64_t j = 0; j < n; ++j) row[j] = row[j] * scale + shift[j];
  }
}

void hide(const Heads& mask, int64_t batch, const QueryRow& at, Span which, float* row) {
  const char* hidden = mask.at(batch, at.head, at.query) + which.begin * mask.column_stride;
  for (int64_t j = 0; j < which.end - which.begin; ++j, hidden += mask.column_stride) {
    row[j] = *hidden != 0 ? kHidden : row[j];
  }
}

}  // namespace

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
  for (int64_t row = 0; row < block.count; ++row, to += from.width) {
    const QueryRow at = row_of(attention, block, row);
    from.read(block.batch, at.head, at.query, to);
  }
}

void score(const Attention& attention, const QueryBlock& block, const float* queries,
           const float* keys, Span which, float* scores) {
  const int64_t width = attention.query.width, n = which.end - which.begin;
  multiply<float>(block.count, n, width, {queries, width, 1}, {keys, 1, width}, scores, kTileKeys,
                  false);
  const Heads &mask = attention.mask, &shift = attention.shift.values;
  for (int64_t i = 0; i < block.count; ++i) {
    float *const row = scores + i * kTileKeys, shifts[kTileKeys];
    const QueryRow at = row_of(attention, block, i);
    if (shift.data != nullptr) {
      shift.to_float(shift.at(block.batch, at.head, at.query) + which.begin * shift.column_stride,
                     shift.column_stride, reinterpret_cast<char*>(shifts), sizeof(float), n);
    }
    scale_row(attention, shift.data != nullptr ? shifts : nullptr, n, row);
    if (mask.data != nullptr) hide(mask, block.batch, at, which, row);
    const Span seen = visible_keys(attention, block.batch, at.query);
    const int64_t begin = std::min(std::max(seen.begin - which.begin, int64_t{0}), kTileKeys);
    const int64_t end = std::min(std::max(seen.end - which.begin, begin), n);
    std::fill_n(row, begin, kHidden);
    std::fill(row + std::max(begin, end), row + kTileKeys, kHidden);
  }
}

void drop(const Attention& attention, const QueryBlock& block, Span which, float* values) {
  const Dropout& dropout = attention.dropout;
  if (dropout.bits == nullptr) return;
  for (int64_t i = 0; i < block.count; ++i) {
    const QueryRow at = row_of(attention, block, i);
    const int64_t row = (block.batch * attention.query.heads + at.head) * attention.query.rows;
    const int64_t first = (row + at.query) * attention.key_rows + which.begin;
    float* const to = values + i * kTileKeys;
    for (int64_t j = 0; j < which.end - which.begin; ++j) {
      const bool kept = (dropout.bits[(first + j) / 8] >> (first + j) % 8 & 1) != 0;
      to[j] = kept ? to[j] * dropout.scale : 0;
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Note [Attention]
// out = softmax(scale * (q k^T) + shift, masked) v for every batch and head, computed in float.
//
// Scores are made in tiles of some queries and some keys, so that memory does not grow with their
// product. Each row keeps its largest score and the sum of its powers so far; when a larger score
// comes, what was added up is scaled down. Heads that share their keys are computed together: the
// rows of a group are the queries of its first head, then those of the next. Tiles follow from the
// shapes alone, and each belongs to one thread, so bits do not depend on the number of threads.
//
// A row that sees no key, or only keys with a score of -inf, becomes 0.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "kernels/attention/heads.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Which keys a query sees: from `before` in front of its own place to `after` behind it.
struct Band {
  bool from_end = false;  // the last query has the place of the last key
  int64_t before = INT64_MAX / 4;
  int64_t after = INT64_MAX / 4;
  IntArrayView prefix;  // so many first keys of a batch are seen by all
};

// Positional shifts of scores: values, or what a head's slope makes of the distance between a query
// and a key.
struct Shift {
  Heads values;              // none: no data
  bool before_scale = true;  // added before scores are scaled
  Heads slopes;              // one for each head; none: no data
  bool root = false;         // of the distance
  int64_t start = 0;         // of keys, counted from that of queries
  bool last_rows = false;    // values are the last rows of a square matrix; the others have those
                             // of the same distance
};

struct Dropout {
  const uint8_t* bits = nullptr;  // null: none. One for each score, the lowest of a byte first
  int64_t first = 0;              // bit of the first score
  float scale = 1;                // of what is kept
};

struct Attention {
  Heads query;
  KeyRows keys, values;
  int64_t key_rows = 0;                     // of each batch, unless there are lengths
  IntArrayView query_lengths, key_lengths;  // of each batch, or one for all
  float scale = 1;
  Band band;
  Heads mask;  // bytes; what is not 0 hides a key. None: no data
  Shift shift;
  Dropout dropout;

  int64_t group() const { return query.heads / keys.heads(); }
  int64_t queries_of(int64_t batch) const { return length_in(query_lengths, batch, query.rows); }
  int64_t keys_of(int64_t batch) const { return length_in(key_lengths, batch, key_rows); }

 private:
  static int64_t length_in(const IntArrayView& lengths, int64_t batch, int64_t all) {
    if (!lengths.present || lengths.size == 0) return all;
    const int64_t length = lengths.size == 1 ? lengths.values[0] : lengths.at(batch, all);
    return length < all ? length : all;
  }
};

// Results; each but `out` may have no data.
struct AttentionResults {
  Heads out;
  Heads largest, sums;  // the largest score of a row and the sum of its powers, repeated
  Heads log_sums;       // the logarithm of the sum of powers of scores
};
Status attend(const Attention& attention, const AttentionResults& results);

struct AttentionGradients {
  Heads out, gradient;  // of the forward, and the gradient of that
  Heads largest, sums;
  Heads of_query, of_key, of_value;
};
Status differentiate(const Attention& attention, const AttentionGradients& gradients);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Tensors of attention as matrices, one for each batch and head, whatever their layout.
#pragma once

#include <cstdint>

#include "engines/cast.h"
#include "engines/multiply.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

struct Heads {
  char* data = nullptr;  // null: there is none
  int64_t batches = 0, heads = 0, rows = 0, width = 0;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0, column_stride = 0;  // in bytes
  CastRun to_float = nullptr, from_float = nullptr;
  int64_t size = 0;     // of an element
  bool direct = false;  // rows are arrays of floats that BLAS can read

  char* at(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
  // Rows [row, row + count) of a head, one after the other.
  void read(int64_t batch, int64_t head, int64_t row, int64_t count, float* to) const;
  void write(int64_t batch, int64_t head, int64_t row, int64_t count, const float* from) const;
};

// Layouts are BSH, SBH, BSND and BNSD, where H is N heads of length D.
Heads heads_of(const TensorView& tensor, const char* layout, int64_t heads);

// Of a tensor that is repeated along axes of length 1: [batches, heads, rows, width], where the
// first ones may be missing. An absent tensor has no data.
Heads repeated_heads(const TensorView& tensor);

// One number for each head, [heads] or [batches, heads].
Heads numbers_of_heads(const TensorView& tensor);

// Keys or values: those of a batch lie together, in tensors of their own, or in blocks.
struct KeyRows {
  const Heads* members = nullptr;
  int64_t count = 0;                   // of members; more than one: one for each batch
  const TensorView* blocks = nullptr;  // the table of blocks, by batch; each is a batch of members
  int64_t block_rows = 0;

  int64_t width() const { return members[0].width; }
  int64_t heads() const { return members[0].heads; }
  // Rows [first, first + rows) of a batch and a head: where they are, or in `room`.
  Matrix<float> read(int64_t batch, int64_t head, int64_t first, int64_t rows, float* room) const;
};

// One number of a table of blocks.
int32_t block_at(const TensorView& table, int64_t batch, int64_t position);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

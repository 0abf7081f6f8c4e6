// SPDX-License-Identifier: Apache-2.0
// What of a matrix product follows from its shapes and strides.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/cast.h"
#include "engines/gemm.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A matrix in each batch, with strides in elements.
struct BatchedMatrix {
  char* data = nullptr;
  int64_t item_size = 0;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
  int64_t batch_strides[kMaxRank];
  aclDataType dtype = ACL_DT_UNDEFINED;
  CastRun cast = nullptr;               // to what is computed in, of a result from that
  bool direct = false;                  // BLAS reads or writes it where it is
  const PanelSource* source = nullptr;  // instead of all that

  char* at(int64_t offset, int64_t row, int64_t column) const {
    return data + (offset + row * row_stride + column * column_stride) * item_size;
  }
};

struct GemmPlan {
  int64_t m, n, k;
  int64_t batches;  // of the result
  int64_t repeats;  // products that are added up; their steps are the only batch strides
  int batch_rank;
  int64_t batch_shape[kMaxRank];
  BatchedMatrix out, a, b, addend;
  bool adds;  // whether there is an addend
  double alpha, beta;
  aclDataType computed;
  bool pairs;       // of 16-bit floats are multiplied: pair_products.h
  bool has_vector;  // for a factor: vector_products.h

  // A tile of the result, and how much of the sum is taken at a time.
  int64_t rows, columns, depth;
  int64_t row_tiles, column_tiles;
  int64_t parts;        // of the sum
  int64_t part_length;  // a multiple of depth but for the last

  int64_t tiles() const { return batches * row_tiles * column_tiles; }
  int64_t offset_in(const BatchedMatrix& matrix, int64_t batch) const {
    int64_t offset = 0;
    for (int i = batch_rank - 1; i >= 0; --i) {
      offset += batch % batch_shape[i] * matrix.batch_strides[i];
      batch /= batch_shape[i];
    }
    return offset;
  }
};

// Factors and results that share memory were copied before. False: there is no cast.
bool make_plan(const Gemm& product, GemmPlan* plan);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

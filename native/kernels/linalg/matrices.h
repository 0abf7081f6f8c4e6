// SPDX-License-Identifier: Apache-2.0
// Matrices one by one: the last two dimensions of a tensor, in a dense copy.
#pragma once

#include <algorithm>

#include "base/lapack.h"
#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/index_error.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// What LAPACK computes in.
inline aclDataType computed_dtype(const TensorView& view) {
  return view.dtype == ACL_FLOAT16 || view.dtype == ACL_BF16 ? ACL_FLOAT : view.dtype;
}

inline Shape with_matrix(const TensorView& view, int64_t rows, int64_t columns) {
  Shape shape = shape_of(view);
  shape.dims[shape.rank - 2] = rows;
  shape.dims[shape.rank - 1] = columns;
  return shape;
}

class Matrices {
 public:
  // Room for matrices.
  Status make(const Shape& shape, aclDataType dtype) { return make_dense(shape, dtype, dense_); }
  // A copy, broadcast to the shape.
  Status open(const TensorView& from, const Shape& shape) {
    const Status made = make(shape, computed_dtype(from));
    return made.ok() ? copy(dense_.view, from) : made;
  }

  const TensorView& view() const { return dense_.view; }
  aclDataType dtype() const { return view().dtype; }
  int64_t rows() const { return view().shape[view().rank - 2]; }
  int64_t columns() const { return view().shape[view().rank - 1]; }
  int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < view().rank - 2; ++i) product *= view().shape[i];
    return product;
  }
  void* at(int64_t number) const {
    return dense_.memory.get() + number * rows() * columns() * (data_type_bits(dtype()) / 8);
  }

 private:
  CopiedView dense_;
};

// The first matrix that has no inverse, and whether there was enough memory.
struct Troubles {
  FirstBadIndex singular;
  FirstBadIndex no_memory;
};

// Calls work(number) for each of the matrices, on several threads.
template <typename Work>
void for_each_matrix(const Matrices& matrices, Troubles& troubles, const Work& work) {
  constexpr int64_t kLength = 32;  // matrices of that length are worth another thread each
  const int64_t n = std::clamp<int64_t>(std::max(matrices.rows(), matrices.columns()), 1, kLength);
  const int64_t grain = kLength * kLength * kLength / (n * n * n);
  parallel_for(matrices.count(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const MatrixOutcome outcome = work(number);
      if (outcome == MatrixOutcome::kSingular) troubles.singular.add({number, 0});
      if (outcome == MatrixOutcome::kNoMemory) troubles.no_memory.add({number, 0});
    }
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

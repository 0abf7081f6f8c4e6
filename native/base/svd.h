// SPDX-License-Identifier: Apache-2.0
// Singular values of one dense row-major matrix, on the calling thread: by LAPACK where there is
// OpenBLAS, by plain loops otherwise, for lengths beyond 31 bits and where LAPACK gives up.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "base/lapack.h"

namespace aclhost {

// Where results go. Without u and v, both null, only singular values are computed.
struct Svd {
  void* sigma;                   // as many as the lesser of rows and columns, descending
  void* u;                       // rows x u_columns
  void* v;                       // columns x v_columns
  int64_t u_columns, v_columns;  // as many as sigma has, or whole matrices
};

// a = u diag(sigma) v*, with columns of u and v that are orthogonal and of length 1; the largest
// element of each column of u is a positive number. FLOAT, DOUBLE, COMPLEX64 or COMPLEX128. a is
// overwritten; where it has NaN or infinity, everything becomes NaN.
MatrixOutcome decompose(aclDataType dtype, void* a, int64_t rows, int64_t columns, const Svd& to);

}  // namespace aclhost

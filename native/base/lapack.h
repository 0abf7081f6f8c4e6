// SPDX-License-Identifier: Apache-2.0
// Linear algebra of one dense row-major matrix, on the calling thread: by LAPACK where there is
// OpenBLAS, by plain loops otherwise and for lengths beyond 31 bits.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"

namespace aclhost {

enum class MatrixOutcome { kDone, kSingular, kNoMemory };

// Those that are told a dtype are for FLOAT, DOUBLE, COMPLEX64 and COMPLEX128.

// The inverse in place; a singular matrix is filled with NaN.
MatrixOutcome invert(aclDataType dtype, void* matrix, int64_t n);

// The determinant as a number of magnitude 1 and the logarithm of its own magnitude, both in the
// dtype; 0 and -infinity for a singular matrix. The matrix is overwritten.
MatrixOutcome log_determinant(aclDataType dtype, void* matrix, int64_t n, void* sign, void* log);

// Which half of a square matrix counts, and how.
struct Triangle {
  bool upper;
  bool transposed;
  bool unit;  // the diagonal counts as 1
};

// Solves a x = b for several columns, with b where x will be. No element of the other half is read.
void solve_triangular(aclDataType dtype, Triangle triangle, const void* a, int64_t n, void* x,
                      int64_t columns);

// A symmetric matrix, of which the lower half is read, as a lower triangle times the same
// transposed, or as an upper one transposed times itself. Without such, elements become NaN.
void factorise_cholesky(bool upper, float* a, int64_t n);

// a = q r with columns of q that are orthogonal and of length 1; a becomes r. Without q, which has
// as many columns as a at most has rows, only r is computed.
MatrixOutcome factorise_qr(aclDataType dtype, void* a, int64_t rows, int64_t columns, void* q,
                           int64_t q_columns);

}  // namespace aclhost

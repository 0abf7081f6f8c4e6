// SPDX-License-Identifier: Apache-2.0
// Products of small matrices of float, which take less time than a call of BLAS, and of few rows,
// for which BLAS would copy the second factor first.
#pragma once

#include <cstdint>

#include "engines/multiply.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

bool is_small_product(int64_t m, int64_t n, int64_t k, const Matrix<float>& b);

// As multiply(). Each element is one sum in the order of k, the same on every processor.
void multiply_small(int64_t m, int64_t n, int64_t k, const Matrix<float>& a, const Matrix<float>& b,
                    float* c, int64_t c_stride, bool add);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: a library beside ours, loaded when somebody first needs it. It never has threads of its
// own; callers cut their work into pieces. Without it, or with ACLHOST_BLAS=plain, there is none.
#pragma once

#include <string>

namespace aclhost {

using FloatGemm = void (*)(int order, int transposes_a, int transposes_b, int m, int n, int k,
                           float alpha, const float* a, int a_stride, const float* b, int b_stride,
                           float beta, float* c, int c_stride);
using DoubleGemm = void (*)(int order, int transposes_a, int transposes_b, int m, int n, int k,
                            double alpha, const double* a, int a_stride, const double* b,
                            int b_stride, double beta, double* c, int c_stride);

// As in cblas.h. Null: there is no OpenBLAS.
FloatGemm float_gemm();
DoubleGemm double_gemm();

// A function of BLAS or LAPACK by its Fortran name, for example dgetrf_. Null: there is none.
void* blas_function(const char* name);

// What computes matrix products: OpenBLAS's version and kernel, or why there is none.
std::string describe_blas();

}  // namespace aclhost

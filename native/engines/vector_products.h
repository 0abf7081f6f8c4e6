// SPDX-License-Identifier: Apache-2.0
// Note [Products with a vector]
// A row times a matrix reads every element of the matrix once, so what counts is to read it in the
// order of memory, on several threads. Each sum consists of 32 partial ones, which are added in
// pairs: of a column that is an array these are lanes of vectors, and of rows that are arrays, rows
// of sums. The row of results is cut into blocks and, where these are few, sums are cut into parts,
// by lengths alone. Multiplications are fused: bits depend neither on threads, nor on strides, nor
// on the processor. Batches of short sums are computed here too: a call of BLAS for each would take
// longer.
#pragma once

#include "base/status.h"
#include "engines/gemm_plan.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kWholeSum = 1024;  // terms; no fewer are cut into parts

// Whether a plan can be computed here.
bool multiplies_vector(const GemmPlan& plan);

// The sums of [first, first + count) of the result, before alpha, beta and rounding.
using StoreRow = void (*)(const void* context, int64_t batch, int64_t first, int64_t count,
                          float* sums);
Status multiply_vector(const GemmPlan& plan, StoreRow store, const void* context);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/sort.h"
#include "kernels/sorting/rows.h"
#include "ops/apply_top_k_top_p.h"
#include "simd/math_double.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Where, in an ascending row, those begin that are not less than the kth largest.
int64_t first_of_top_k(const float* sorted, int64_t n, int32_t k) {
  if (k <= 0 || k >= n) return 0;
  const float least = sorted[n - k];
  return std::find_if(sorted, sorted + n, [least](float x) { return !(x < least); }) - sorted;
}

// Where, from there on, those begin whose probabilities, added up from the smallest on, are above
// 1 - p. The last one stays in any case.
int64_t first_of_top_p(const float* sorted, int64_t n, int64_t first, double p, double* powers) {
  double total = 0.0, sum = 0.0;
  for (int64_t i = first; i < n; ++i) {
    powers[i] = math::exp(static_cast<double>(sorted[i]) - static_cast<double>(sorted[n - 1]));
  }
  for (int64_t i = first; i < n; ++i) total += powers[i];
  for (; first + 1 < n; ++first) {
    sum += powers[first];
    if (!(sum / total <= 1.0 - p)) break;
  }
  return first;
}

struct Sorted {
  const float* values;
  const int64_t* indices;
  int64_t length;
};

// False: there is no memory for a row.
bool keep_some(const Sorted& rows, int64_t begin, int64_t end, const int32_t* k, const float* p,
               float* out) {
  const int64_t n = rows.length;
  const std::unique_ptr<double[]> powers(new (std::nothrow) double[n]);
  if (powers == nullptr) return false;
  for (int64_t row = begin; row < end; ++row) {
    const float* const sorted = rows.values + row * n;
    const int64_t* const indices = rows.indices + row * n;
    int64_t first = k == nullptr ? 0 : first_of_top_k(sorted, n, k[row]);
    if (p != nullptr) first = first_of_top_p(sorted, n, first, p[row], powers.get());
    for (int64_t i = 0; i < n; ++i) {
      out[row * n + indices[i]] = i < first ? -std::numeric_limits<float>::infinity() : sorted[i];
    }
  }
  return true;
}

}  // namespace

Status run(const ApplyTopKTopPArgs& args) {
  const int64_t rows = args.logits.shape[0], length = args.logits.shape[1];
  DenseArray logits, p, k;
  CopiedView values, indices, results;
  Status status = logits.take(args.logits, ACL_FLOAT);
  if (status.ok() && args.p.present) status = p.take(args.p, ACL_FLOAT);
  if (status.ok() && args.k.present) status = k.take(args.k, ACL_INT32);
  for (CopiedView* view : {&values, &results}) {
    if (status.ok()) status = make_dense(shape_of(args.logits), ACL_FLOAT, *view);
  }
  if (status.ok()) status = make_dense(shape_of(args.logits), ACL_INT64, indices);
  SortedPart part = {};
  part.dtype = ACL_FLOAT;
  part.length = part.count = length;
  int64_t* const places = reinterpret_cast<int64_t*>(indices.memory.get());
  if (status.ok()) {
    status = sort_rows(part, rows, logits.as<char>(), values.memory.get(), places);
  }
  if (!status.ok()) return status;
  const Sorted sorted = {reinterpret_cast<const float*>(values.memory.get()), places, length};
  std::atomic<bool> enough_memory{true};
  parallel_for(rows, std::max<int64_t>(1, (1 << 13) / length), [&](int64_t begin, int64_t end) {
    const bool done = keep_some(sorted, begin, end, args.k.present ? k.as<int32_t>() : nullptr,
                                args.p.present ? p.as<float>() : nullptr,
                                reinterpret_cast<float*>(results.memory.get()));
    if (!done) enough_memory = false;
  });
  return enough_memory ? copy(args.out, results.view) : no_memory_for_blocks();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include "engines/gemm_batches.h"

#include <algorithm>
#include <cstdlib>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGroupElements = 1 << 18;  // of an operand that are brought into order
constexpr int64_t kLeastGroup = 32;          // fewer would fetch lines again
constexpr int64_t kFewBatches = 8;           // fewer in all are not worth a copy

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool has_batches(const TensorView& view) { return view.rank == 3 && view.shape[0] > 1; }

bool lies_across(const TensorView& view) {
  if (!has_batches(view) || view.strides[0] == 0) return false;
  const int64_t step = std::llabs(view.strides[0]);
  const auto is_further = [&](int axis) {
    return view.shape[axis] > 1 && std::llabs(view.strides[axis]) > step;
  };
  return is_further(1) && is_further(2);
}

// Batches of the product that are computed together. All groups are about as large.
int64_t group_size(const Gemm& product, int64_t batches) {
  const TensorView &out = product.out, &a = product.a;
  const int64_t m = out.shape[out.rank - 2], n = out.shape[out.rank - 1], k = a.shape[a.rank - 1];
  const int64_t most = kGroupElements / std::max({m * n, m * k, k * n, int64_t{1}});
  return divided_up(batches, divided_up(batches, std::max<int64_t>(most, 1)));
}

int64_t batches_of(const Gemm& product) {
  const auto count = [](const TensorView& view) { return has_batches(view) ? view.shape[0] : 1; };
  return std::max(count(product.a), count(product.b));
}

// Some batches of an operand; all of it where it has one for all.
TensorView batches_from(const TensorView& view, int64_t first, int64_t count) {
  TensorView part = view;
  if (!has_batches(view)) return part;
  part.offset += first * view.strides[0];
  part.shape[0] = count;
  return part;
}

Status take_batches(const TensorView& from, int64_t first, int64_t count, CopiedView* taken) {
  taken->view = batches_from(from, first, count);
  if (!lies_across(from)) return {};
  const TensorView part = taken->view;
  return copy_of(part, *taken);
}

Status multiply_densely(const Gemm& product) {
  CopiedView dense;
  Status status = make_dense(shape_of(product.out), product.out.dtype, dense);
  if (status.ok()) {
    status = gemm({dense.view, product.a, product.b, product.addend, product.alpha, product.beta});
  }
  return status.ok() ? copy(product.out, dense.view) : status;
}

}  // namespace

bool wants_groups(const Gemm& product) {
  const TensorView &a = product.a, &b = product.b;
  if (product.b_panels != nullptr || product.alpha == 0 || a.rank > 3 || b.rank > 3) return false;
  const int64_t batches = batches_of(product), size = group_size(product, batches);
  if (size < kLeastGroup && (size < batches || size < kFewBatches)) return false;
  if (!product.sums_batches) {
    return lies_across(a) || lies_across(b) || lies_across(product.out);
  }
  const bool is_floating = data_type_category(product.out.dtype) == TypeCategory::kFloating;
  return is_floating && (size < batches || lies_across(a) || lies_across(b));
}

Status multiply_groups(const Gemm& product) {
  const int64_t batches = batches_of(product), size = group_size(product, batches);
  const bool wide = product.a.dtype == ACL_DOUBLE || product.b.dtype == ACL_DOUBLE;
  CopiedView sum;
  Status status;
  if (product.sums_batches && size < batches) {
    status = make_dense(shape_of(product.out), wide ? ACL_DOUBLE : ACL_FLOAT, sum);
  }
  for (int64_t first = 0; status.ok() && first < batches; first += size) {
    const int64_t count = std::min(size, batches - first);
    CopiedView a, b, addend;
    status = take_batches(product.a, first, count, &a);
    if (status.ok()) status = take_batches(product.b, first, count, &b);
    if (!status.ok()) return status;
    if (product.sums_batches) {
      const TensorView* const added = first == 0 ? product.addend : &sum.view;
      const TensorView& target = first + count == batches ? product.out : sum.view;
      const double beta = first == 0 ? product.beta : 1;
      status = gemm({target, a.view, b.view, added, product.alpha, beta, true});
      continue;
    }
    if (product.addend != nullptr) status = take_batches(*product.addend, first, count, &addend);
    if (!status.ok()) return status;
    const TensorView part = batches_from(product.out, first, count);
    const TensorView* const added = product.addend == nullptr ? nullptr : &addend.view;
    const Gemm group = {part, a.view, b.view, added, product.alpha, product.beta};
    status = lies_across(part) ? multiply_densely(group) : gemm(group);
  }
  return status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/copy.h"
#include "kernels/creation/fill.h"
#include "kernels/index/index.h"
#include "kernels/index/scatter.h"
#include "operator/layouts.h"
#include "ops/embedding_dense_backward.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// A tensor as one of a single dimension, or of two with the last one kept.
TensorView flattened(const TensorView& dense, bool keeps_last) {
  TensorView view = dense;
  const int64_t last = keeps_last ? dense.shape[dense.rank - 1] : 1;
  view.rank = keeps_last ? 2 : 1;
  view.shape[0] = last == 0 ? 0 : dense.elements() / last;
  view.strides[0] = last;
  view.shape[1] = last;
  view.strides[1] = 1;
  return view;
}

// Rows of sums are divided by how often their index occurs.
Status divide_by_frequency(const TensorView& sums, const TensorView& indices) {
  CopiedView index, counts;
  Shape shape;
  shape.rank = 1;
  shape.dims[0] = sums.shape[0];
  Status status = make_dense(shape, ACL_INT64, counts);
  if (status.ok()) status = fill_with_zero(counts.view);
  if (status.ok()) status = dense_as(indices, ACL_INT64, index);
  if (!status.ok()) return status;
  auto* const terms = static_cast<int64_t*>(counts.view.data);
  const char* const places = static_cast<const char*>(index.view.data) + 8 * index.view.offset;
  for (int64_t i = 0; i < index.view.elements(); ++i) {
    const auto row = load<int64_t>(places + 8 * i);
    if (static_cast<uint64_t>(row) < static_cast<uint64_t>(shape.dims[0])) ++terms[row];
  }
  char* const start = static_cast<char*>(sums.data) + 4 * sums.offset;
  for (int64_t row = 0; row < sums.shape[0]; ++row) {
    for (int64_t i = row * sums.shape[1]; terms[row] > 1 && i < (row + 1) * sums.shape[1]; ++i) {
      store(start + 4 * i, load<float>(start + 4 * i) / static_cast<float>(terms[row]));
    }
  }
  return {};
}

Status clear_row(const TensorView& matrix, int64_t row) {
  TensorView part = matrix;
  part.offset += row * part.strides[0];
  part.shape[0] = 1;
  return fill_with_zero(part);
}

TensorView rows_of(TensorView view, int64_t first, int64_t last) {
  view.offset += first * view.strides[0];
  view.shape[0] = last - first;
  return view;
}

Status add_dense(const char* op, const TensorView& rows, const TensorView& places,
                 const TensorView& sums) {
  CopiedView terms;
  const Status status = dense_as(rows, ACL_FLOAT, terms);
  if (!status.ok()) return status;
  Scattering s = {op, &sums, 0, &places, &terms.view, &sums};
  s.how = Combine::kAdd;
  s.parameter = "indices";
  return scatter_along(s);
}

Status add_rows(const EmbeddingDenseBackwardArgs& args, const TensorView& sums) {
  constexpr int64_t kWidened = 128 << 10;  // elements at once, which stay in a cache
  const aclDataType index_type = args.indices.dtype == ACL_INT32 ? ACL_INT32 : ACL_INT64;
  CopiedView grad, index;
  Status status = dense_as(args.grad, args.grad.dtype, grad);
  if (status.ok()) status = dense_as(args.indices, index_type, index);
  if (!status.ok()) return status;
  const TensorView places = flattened(index.view, false), rows = flattened(grad.view, true);
  const int64_t count = rows.shape[0], widened = std::max<int64_t>(kWidened / rows.shape[1], 1);
  const int64_t step = rows.dtype == ACL_FLOAT ? count : widened;
  Status added;
  for (int64_t first = 0; first < count; first += step) {
    const int64_t last = std::min(first + step, count);
    const Status some =
        add_dense(args.kOperator, rows_of(rows, first, last), rows_of(places, first, last), sums);
    if (added.ok()) added = some;
  }
  if (!added.ok()) {  // counted from the beginning, not from that of a part
    const NamedIndex all = {"indices", &places, sums.shape[0], false};
    const Status named = index_outcome(args.kOperator, false, &all, 1);
    if (!named.ok()) added = named;
  }
  if (args.scaleGradByFreq) status = divide_by_frequency(sums, places);
  return status.ok() ? added : status;
}

}  // namespace

// Sums are made in float and then given the type of the result.
Status run(const EmbeddingDenseBackwardArgs& args) {
  const TensorView& out = args.out;
  if (args.grad.empty() || args.indices.empty()) return fill_with_zero(out);
  const bool in_place = out.dtype == ACL_FLOAT && is_contiguous(out);
  CopiedView apart;
  if (!in_place) {
    const Status made = make_dense(shape_of(out), ACL_FLOAT, apart);
    if (!made.ok()) return made;
  }
  const TensorView& sums = in_place ? out : apart.view;
  Status status = fill_with_zero(sums);
  if (!status.ok()) return status;
  const Status added = add_rows(args, sums);
  if (static_cast<uint64_t>(args.paddingIdx) < static_cast<uint64_t>(out.shape[0])) {
    status = clear_row(sums, args.paddingIdx);
  }
  if (status.ok() && !in_place) status = copy(out, sums);
  return status.ok() ? added : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

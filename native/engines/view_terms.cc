// SPDX-License-Identifier: Apache-2.0
#include "engines/view_terms.h"

#include <algorithm>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// See PartOf in Python.
void part_of(const Frame& frame, const TermCode* code, TensorView* view) {
  int64_t dim = evaluate(frame, code[2]);
  if (dim < 0) dim += view->rank;
  if (dim < 0 || dim >= view->rank) return;
  const int64_t index = evaluate(frame, code[3]), count = code[4];
  const int64_t length = view->shape[dim] / count;
  const bool alternating = evaluate(frame, code[5]) != 0;
  view->offset += view->strides[dim] * index * (alternating ? 1 : length);
  if (alternating) view->strides[dim] *= count;
  view->shape[dim] = length;
}

// One dimension for all elements in row-major order, if there are strides for that.
bool flatten(TensorView* view) {
  int64_t length = 1, stride = 1;
  for (int i = view->rank - 1; i >= 0; --i) {
    if (view->shape[i] == 1) continue;
    if (length > 1 && view->strides[i] != length * stride) return false;
    if (length == 1) stride = view->strides[i];
    length *= view->shape[i];
  }
  view->rank = 1;
  view->shape[0] = length;
  view->strides[0] = stride;
  return true;
}

}  // namespace

Status along_channels(int rank, CopiedView& found) {
  TensorView& view = found.view;
  if (!flatten(&view)) {
    const TensorView strided = view;
    Status copied = copy_of(strided, found);
    if (!copied.ok()) return copied;
    flatten(&view);
  }
  if (view.shape[0] == 1 || rank < 2) {
    view.rank = 0;
    return {};
  }
  view.rank = rank - 1;
  std::fill_n(view.shape + 1, rank - 2, 1);
  std::fill_n(view.strides + 1, rank - 2, 0);
  return {};
}

Status evaluate_view(const Frame& frame, int64_t term, CopiedView& found) {
  const TermCode* code = frame.at(term);
  found.view = frame.view(code[1]);
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kPartOf:
      part_of(frame, code, &found.view);
      return {};
    case TermKind::kAlongChannels:
      return along_channels(frame.view(code[2]).rank, found);
    case TermKind::kAsColumn:
      found.view.shape[found.view.rank] = 1;
      found.view.strides[found.view.rank++] = 0;
      return {};
    default:
      return {};
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

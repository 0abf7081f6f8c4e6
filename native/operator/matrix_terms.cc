// SPDX-License-Identifier: Apache-2.0
// The terms of src/aclhost/spec/matrices.py.
#include <algorithm>
#include <string>
#include <utility>

#include "operator/layouts.h"
#include "operator/shapes.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

// Without its last two dimensions.
TensorView batches_of(const TensorView& view) {
  TensorView batches;
  copy_view(view, &batches);
  batches.rank = std::max(view.rank - 2, 0);
  return batches;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string renamed(const char* equation) {
  std::string text = equation;
  char names[256] = {}, next = 'a';
  for (char& c : text) {
    if (!is_letter(c)) continue;
    char& name = names[static_cast<unsigned char>(c)];
    if (name == 0) name = next++;
    c = name;
  }
  return text;
}

}  // namespace

Shape product_shape(const TensorView& first, const TensorView& second) {
  Shape shape = shape_of(batches_of(first));
  broadcast_into(&shape, batches_of(second));
  if (first.rank > 1) shape.dims[shape.rank++] = first.shape[first.rank - 2];
  if (second.rank > 1) shape.dims[shape.rank++] = second.shape[second.rank - 1];
  return shape;
}

bool batches_fit(const TensorView& first, const TensorView& second) {
  Shape shape = shape_of(batches_of(first));
  return broadcast_into(&shape, batches_of(second));
}

bool broadcast_of(const Frame& frame, const TermCode* code, Shape* shape) {
  *shape = evaluate_shape(frame, code[1]);
  return broadcast_into(shape, row_major_view(evaluate_shape(frame, code[2]), ACL_FLOAT));
}

bool is_dense_transposed(const TensorView& view) {
  if (!view.present || view.rank < 2) return false;
  TensorView turned;
  copy_view(view, &turned);
  std::swap(turned.shape[view.rank - 1], turned.shape[view.rank - 2]);
  std::swap(turned.strides[view.rank - 1], turned.strides[view.rank - 2]);
  return is_contiguous(turned);
}

bool equation_is(const Frame& frame, const TermCode* code) {
  const char* const text = frame.args.text(static_cast<int>(code[1]));
  if (text == nullptr) return false;
  const std::string equation = renamed(text);
  return std::any_of(code + 3, code + 3 + code[2],
                     [&](TermCode word) { return equation == frame.args.op->words[word]; });
}

}  // namespace aclhost

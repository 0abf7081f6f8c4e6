// SPDX-License-Identifier: Apache-2.0
// The values that rules are made of; the Python half is src/aclhost/spec: terms, shapes.py,
// moved.py and volumes.py.
#pragma once

#include <algorithm>
#include <cstdint>

#include "operator/args.h"
#include "operator/descriptor.h"
#include "term_kinds.h"

namespace aclhost {

// One evaluation: the arguments, and the member of a list that is being looked at or made.
struct Frame {
  const Args& args;
  const TensorView* member = nullptr;
  int64_t position = 0;  // the member's

  const TermCode* at(int64_t term) const { return args.op->code + term; }
  // A tensor, a list's first member, or a view that is not present.
  const TensorView& view(int64_t param) const {
    static const TensorView absent;
    if (param < 0) return member != nullptr ? *member : absent;
    const Argument& argument = args.arguments[static_cast<size_t>(param)];
    return argument.count > 0 ? args.tensors[argument.first] : absent;
  }
};

// What 64 bits can hold of an integer.
inline int64_t saturated(__int128 value) {
  return static_cast<int64_t>(std::clamp<__int128>(value, INT64_MIN, INT64_MAX));
}

int64_t evaluate_term(const Frame& frame, const TermCode* code);
Shape evaluate_shape(const Frame& frame, int64_t term);

// A float or a double as it is, a scalar as float.
double real_of(const Args& args, int param);

// The terms that rules mostly consist of are in line: calling for them takes longer than they do.
[[gnu::always_inline]] inline int64_t evaluate(const Frame& frame, int64_t term) {
  const TermCode* code = frame.at(term);
  const auto kind = static_cast<TermKind>(code[0]);
  const int64_t param = code[1];
  if (kind == TermKind::kConst) return param;
  if (kind == TermKind::kPresent && param >= 0) return frame.args.arguments[param].present;
  if (kind == TermKind::kDtypeOf && param >= 0 &&
      frame.args.op->params[param].kind < ParamKind::kTensorList) {
    return frame.args.tensor(static_cast<int>(param)).dtype;
  }
  return evaluate_term(frame, code);
}

// The cases of evaluate() that compare shapes and volumes.
int64_t evaluate_shape_test(const Frame& frame, const TermCode* code);

// The cases that are about lists, axes and slices.
int64_t evaluate_moved_test(const Frame& frame, const TermCode* code);
Shape evaluate_moved_shape(const Frame& frame, const TermCode* code);

// Those of src/aclhost/spec/matrices.py.
Shape product_shape(const TensorView& first, const TensorView& second);
bool batches_fit(const TensorView& first, const TensorView& second);
// False: the two shapes do not broadcast with each other.
bool broadcast_of(const Frame& frame, const TermCode* code, Shape* shape);
bool is_dense_transposed(const TensorView& view);
bool equation_is(const Frame& frame, const TermCode* code);
// Those of src/aclhost/spec/indexed.py.
int64_t evaluate_indexed_test(const Frame& frame, const TermCode* code);
Shape evaluate_indexed_shape(const Frame& frame, const TermCode* code);

// Those of src/aclhost/spec/sequences.py.
int64_t evaluate_sequence_test(const Frame& frame, const TermCode* code);

// Those of src/aclhost/spec/reduced.py.
Shape reduced_shape(const Frame& frame, const TermCode* code);
bool axes_positive(const Frame& frame, const TermCode* code);

}  // namespace aclhost

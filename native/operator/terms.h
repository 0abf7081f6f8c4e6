// SPDX-License-Identifier: Apache-2.0
// The values that rules are made of; the Python half is src/aclhost/spec/terms.py and shapes.py.
#pragma once

#include "operator/args.h"
#include "operator/descriptor.h"
#include "term_kinds.h"

namespace aclhost {

// One evaluation: the arguments, and the member of a list that is being looked at.
struct Frame {
  const Args& args;
  const TensorView* member = nullptr;

  const TermCode* at(int64_t term) const { return args.op->code + term; }
  // A tensor, a list's first member, or a view that is not present.
  const TensorView& view(int64_t param) const;
};

int64_t evaluate(const Frame& frame, int64_t term);
Shape evaluate_shape(const Frame& frame, int64_t term);

// The cases of evaluate() that compare shapes and volumes.
int64_t evaluate_shape_test(const Frame& frame, const TermCode* code);

}  // namespace aclhost

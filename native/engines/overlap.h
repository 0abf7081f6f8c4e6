// SPDX-License-Identifier: Apache-2.0
// Inputs that share memory with an output but not its elements one by one: a result would be
// written where another one's input is still to be read. Those are read from copies, so that
// neither threads nor blocks decide what comes out.
#pragma once

#include <memory>

#include "base/status.h"
#include "engines/loop_nest.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether an operand after the first `outputs` lies where one of those does, in another layout.
// Views that only enclose each other's elements count, too.
bool needs_copy(const LoopNest& nest, int outputs, int operand);
bool needs_copies(const LoopNest& nest, int outputs);

// A dense tensor with memory of its own.
struct CopiedView {
  TensorView view;
  std::unique_ptr<char[]> memory;
};
Status make_dense(const Shape& shape, aclDataType dtype, CopiedView& made);

// A dense copy of a view.
Status copy_of(const TensorView& from, CopiedView& copied);

// Whether two tensors with elements touch the same bytes, or enclose each other's.
bool share_memory(const TensorView& a, const TensorView& b);

// Whether elements of a view may share a place, so that the order in which they are written counts.
bool may_rewrite(const TensorView& view);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

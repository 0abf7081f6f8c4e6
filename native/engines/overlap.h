// SPDX-License-Identifier: Apache-2.0
// Dense copies of views, and elements of a view that share memory. No kernel has to look whether an
// input shares memory with an output: operator/run.h.
#pragma once

#include "base/scratch_memory.h"
#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A dense tensor with memory of its own.
struct CopiedView {
  TensorView view;
  ScratchMemory<char> memory;
};
Status make_dense(const Shape& shape, aclDataType dtype, CopiedView& made);

// A dense copy of a view.
Status copy_of(const TensorView& from, CopiedView& copied);

// The view itself where it is dense and of the type, else a copy that is.
Status dense_as(const TensorView& view, aclDataType dtype, CopiedView& dense);

// Whether elements of a view may share a place, so that the order in which they are written counts.
bool may_rewrite(const TensorView& view);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

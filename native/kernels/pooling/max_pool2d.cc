// SPDX-License-Identifier: Apache-2.0
// Max pooling of images: volumes of one plane.
#include <cstring>

#include "engines/copy.h"
#include "engines/overlap.h"
#include "kernels/pooling/max_pool.h"
#include "kernels/pooling/staged_result.h"
#include "kernels/pooling/volume.h"
#include "ops/max_pool2d_with_indices.h"
#include "ops/max_pool2d_with_indices_backward.h"
#include "ops/max_pool2d_with_mask.h"
#include "ops/max_pool2d_with_mask_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename Args>
Window window_of(const Args& args) {
  return Window(args.kernelSize, args.stride, args.padding, args.dilation, args.ceilMode, 2);
}

bool channels_last(const TensorView& view) { return view.format == ACL_FORMAT_NHWC; }

// Note [Masks]
// A mask is opaque to clients: INT8 of a shape that upstream's first kernels wanted for bits. Its
// memory begins with the positions of the maxima, INT32 in the order of the result. A window of one
// element leaves nothing to tell, and the mask would have no room: it is not looked at.
bool tells_nothing(const Window& window) { return window.kernel[1] * window.kernel[2] == 1; }

TensorView positions_in(char* mask, const TensorView& pooled) {
  TensorView positions = row_major_view(shape_of(pooled), ACL_INT32);
  positions.data = mask;
  return positions;
}

// A dense tensor's memory, where INT32 may lie; else null.
char* plain_memory(const TensorView& mask) {
  char* const first = static_cast<char*>(mask.data) + mask.offset;
  const bool aligned = reinterpret_cast<uintptr_t>(first) % alignof(int32_t) == 0;
  return aligned && is_dense(mask) ? first : nullptr;
}

// Pools, with the positions at the beginning of that many bytes and zeros behind them.
Status pool_into(const MaxPool2dWithMaskArgs& args, char* mask, int64_t bytes) {
  const int64_t used = args.out.elements() * static_cast<int64_t>(sizeof(int32_t));
  std::memset(mask + used, 0, static_cast<size_t>(bytes - used));
  return max_pool({with_depth(args.self), with_depth(args.out),
                   with_depth(positions_in(mask, args.out)), window_of(args)});
}

// Where every window is one element, at its position.
TensorView only_positions(const TensorView& input, const Window& window, const TensorView& pooled,
                          char* memory) {
  const TensorView positions = positions_in(memory, pooled);
  const int rank = pooled.rank;
  const int64_t height = pooled.shape[rank - 2], width = pooled.shape[rank - 1];
  for (int64_t i = 0; i < pooled.elements(); ++i) {
    const int64_t row = i / width % height * window.stride[1];
    const int64_t position = row * input.shape[rank - 1] + i % width * window.stride[2];
    store(memory + i * 4, static_cast<int32_t>(position));
  }
  return positions;
}

}  // namespace

Status run(const MaxPool2dWithIndicesArgs& args) {
  const bool last = channels_last(args.self);
  return max_pool({with_depth(args.self, last), with_depth(args.out, last),
                   with_depth(args.indices, last), window_of(args), last});
}

Status run(const MaxPool2dWithIndicesBackwardArgs& args) {
  const bool last = channels_last(args.self);
  return max_pool_gradient({args.kOperator, args.indices, with_depth(args.gradOutput, last),
                            with_depth(args.indices, last), with_depth(args.gradInput, last),
                            window_of(args), last});
}

Status run(const MaxPool2dWithMaskArgs& args) {
  const int64_t bytes = args.indices.elements();
  if (tells_nothing(window_of(args))) {
    const std::unique_ptr<char[]> memory = allocate(args.out.elements() * 4);
    if (!memory) return no_memory();
    ScalarValue zero;
    zero.dtype = ACL_INT8;
    const Status cleared = fill(args.indices, zero);
    if (!cleared.ok()) return cleared;
    return max_pool({with_depth(args.self), with_depth(args.out),
                     with_depth(positions_in(memory.get(), args.out)), window_of(args)});
  }
  if (char* const plain = plain_memory(args.indices)) return pool_into(args, plain, bytes);
  const std::unique_ptr<char[]> memory = allocate(bytes);
  if (!memory) return no_memory();
  const Status pooled = pool_into(args, memory.get(), bytes);
  if (!pooled.ok()) return pooled;
  TensorView mask = row_major_view(shape_of(args.indices), ACL_INT8);
  mask.data = memory.get();
  return copy(args.indices, mask);
}

Status run(const MaxPool2dWithMaskBackwardArgs& args) {
  const Window window = window_of(args);
  const auto gradient = [&](const TensorView& positions) {
    return max_pool_gradient({args.kOperator, positions, with_depth(args.gradOutput),
                              with_depth(positions), with_depth(args.gradInput), window});
  };
  if (tells_nothing(window)) {
    const std::unique_ptr<char[]> memory = allocate(args.gradOutput.elements() * 4);
    if (!memory) return no_memory();
    return gradient(only_positions(args.gradInput, window, args.gradOutput, memory.get()));
  }
  if (char* const plain = plain_memory(args.indices)) {
    return gradient(positions_in(plain, args.gradOutput));
  }
  CopiedView dense;
  const Status copied = copy_of(args.indices, dense);
  return copied.ok() ? gradient(positions_in(dense.memory.get(), args.gradOutput)) : copied;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

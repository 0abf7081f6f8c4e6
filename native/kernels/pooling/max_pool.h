// SPDX-License-Identifier: Apache-2.0
// Max pooling with the position of each maximum, and its gradient, for operators of any rank.
//
// Tensors have rank 4 or 5; images are volumes of one plane: with_depth() in volume.h.
#pragma once

#include "base/status.h"
#include "operator/shapes.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// FLOAT, FLOAT16 or BF16; indices are INT32 or INT64.
struct MaxPool {
  TensorView self;
  TensorView out;
  TensorView indices;
  Window window;
  bool channels_last = false;
};
Status max_pool(const MaxPool& pool);

struct MaxPoolGradient {
  const char* op;
  const TensorView& named;  // the indices as the client knows them, for messages
  TensorView gradients;
  TensorView indices;
  TensorView result;
  Window window;
  bool channels_last = false;
  bool any_windows = false;  // the window is only what each position reaches at most
};
Status max_pool_gradient(const MaxPoolGradient& gradient);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

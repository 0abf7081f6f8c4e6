// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "operator/views.h"

namespace aclhost {

// From the first byte that a tensor's elements touch to the last.
struct ByteSpan {
  const char* begin;
  size_t size;
};

// For a tensor with elements. Absurd strides give a span that no memory covers.
ByteSpan span_of(const TensorView& view);

}  // namespace aclhost

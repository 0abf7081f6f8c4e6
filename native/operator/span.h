// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/inline_vector.h"
#include "operator/args.h"
#include "operator/views.h"

namespace aclhost {

// From the first byte that a tensor's elements touch to the last.
struct ByteSpan {
  const char* begin;
  size_t size;

  const char* end() const { return begin + size; }
};

// For a tensor with elements. Absurd strides give a span that no memory covers.
ByteSpan span_of(const TensorView& view);

// Of each of the arguments' tensors; of size 0 for those that are not there or have no elements.
using Spans = InlineVector<ByteSpan, 4>;
void find_spans(const Args& args, Spans* spans);

}  // namespace aclhost

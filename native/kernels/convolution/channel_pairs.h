// SPDX-License-Identifier: Apache-2.0
// Channels of BF16 in pairs: Note [Pairs of BF16] in engines/pair_products.h. A pair takes the
// place of a float, and a convolution of pairs is one of floats with half the channels.
#pragma once

#include <memory>

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Arrays of `length` elements, `channels` of them in each of `count` groups.
struct ChannelArrays {
  const TensorView& view;  // BF16, from the first element on
  int64_t count, channels, length;
  int64_t group_step, channel_step;

  int64_t pairs() const { return (channels + 1) / 2; }
};

// [count, pairs, length]; a last channel that is alone is paired with 0. Null: there is no memory.
std::unique_ptr<float[]> join_channels(const ChannelArrays& arrays);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

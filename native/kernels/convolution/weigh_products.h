// SPDX-License-Identifier: Apache-2.0
// Note [Weights by outer products]
// weight[m, c, k] sums, over batch and positions, map[m] times what element k of the kernel meets
// of channel c. Positions are the terms, so both factors are turned until the channels of a
// position lie side by side; of the image these are its planes (planes.h), where element k is found
// at the same distance from each position. So nothing is copied for each element of the kernel.
// Positions are turned in chunks that stay in a cache. Of BF16, neighbours of a line are pairs; the
// last one of an odd line is alone.
#pragma once

#include "base/status.h"
#include "kernels/convolution/taps.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Whether there are enough channels in the map and planes are small.
bool weighs_by_products(const Source& source, int64_t map_channels);

// A group of channels of the source, the next batch batch_step further. Rows of the map lie from
// the group's first on, `map_step` of them in each batch; those of the weight are the group's. The
// map's elements are floats, or pairs where the source says so.
struct WeightSums {
  const Source& source;
  const TensorView& map;
  const TensorView& weight;
  int64_t batches, map_step;
};

Status weigh_by_products(const WeightSums& sums);

}  // namespace ACLHOST_ISA
}  // namespace aclhost

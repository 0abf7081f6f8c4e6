// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/channel_pairs.h"

#include <new>

#include "base/parallel.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements; less is not worth a second thread

// The second array may be missing.
void join_arrays(const uint16_t* first, const uint16_t* second, int64_t n, float* to) {
  if (second == nullptr) {
    for (int64_t i = 0; i < n; ++i) to[i] = bit_cast<float>(uint32_t{first[i]});
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    to[i] = bit_cast<float>(first[i] | static_cast<uint32_t>(second[i]) << 16);
  }
}

}  // namespace

std::unique_ptr<float[]> join_channels(const ChannelArrays& arrays) {
  const int64_t pairs = arrays.pairs(), length = arrays.length;
  std::unique_ptr<float[]> joined(new (std::nothrow) float[arrays.count * pairs * length]);
  if (joined == nullptr) return joined;
  const auto* const from = static_cast<const uint16_t*>(arrays.view.data) + arrays.view.offset;
  parallel_for(arrays.count * pairs, kGrain / (length + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const int64_t channel = number % pairs * 2;
      const uint16_t* const first =
          from + number / pairs * arrays.group_step + channel * arrays.channel_step;
      const bool alone = channel + 1 == arrays.channels;
      join_arrays(first, alone ? nullptr : first + arrays.channel_step, length,
                  joined.get() + number * length);
    }
  });
  return joined;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// The loop that the benchmark measures operators against: c = a + b on the threads and with the
// stores that operators use. It computes next to nothing, so its time is what this machine needs to
// move the bytes. native/binding/streaming.cc picks the version.
#include <cstdint>

#include "base/parallel.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements; less is not worth a second thread
constexpr int kUnrolled = 4;           // vectors in flight

using Floats = Vector<float>;

// Scalars lead to the first whole vector of c, because stores past the cache must be aligned.
template <typename Store>
void add(const float* a, const float* b, float* c, int64_t count, const Store& store) {
  constexpr int64_t lanes = kLanes<float>;
  constexpr int64_t kStep = kUnrolled * lanes;
  const int64_t bytes_before = -reinterpret_cast<intptr_t>(c) & (kVectorBytes - 1);
  const int64_t before = bytes_before / static_cast<int64_t>(sizeof(float));
  const int64_t lead = before < count ? before : count;
  int64_t i = 0;
  for (; i < lead; ++i) c[i] = a[i] + b[i];
  for (; i + kStep <= count; i += kStep) {
    for (int64_t j = i; j < i + kStep; j += lanes) {
      store(c + j, load_vector<Floats>(a + j) + load_vector<Floats>(b + j));
    }
  }
  for (; i < count; ++i) c[i] = a[i] + b[i];
}

}  // namespace

void stream_add(const float* a, const float* b, float* c, int64_t count) {
  const bool past_cache = count > cache_bytes() / static_cast<int64_t>(3 * sizeof(float));
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    if (past_cache) {
      add(a + begin, b + begin, c + begin, end - begin, stream_vector<Floats>);
      finish_streaming();
    } else {
      add(a + begin, b + begin, c + begin, end - begin, store_vector<Floats>);
    }
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

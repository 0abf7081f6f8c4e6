// SPDX-License-Identifier: Apache-2.0
// Elements that follow from their places, counted in row-major order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"
#include "base/status.h"
#include "engines/cast.h"
#include "engines/runs.h"
#include "operator/no_kernel.h"
#include "operator/views.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// A view as runs of elements at equal distances, in row-major order, each as long as it can be.
class OrderedRuns {
 public:
  explicit OrderedRuns(const TensorView& view);

  int64_t total() const { return total_; }
  bool overlap() const { return overlap_; }  // some elements are written more than once

  // How many elements from a place on lie in one run.
  int64_t left_in_run(int64_t place) const { return length_ - place % length_; }

  // Writes an array of elements of the view's type to the places from one on, inside one run.
  void put(const char* elements, int64_t place, int64_t count) const;

 private:
  char* start_;
  int64_t item_size_, total_;
  int64_t length_ = 1, stride_;  // of a run; in bytes
  int rank_ = 0;                 // of the runs' beginnings, the fastest dimension first
  int64_t shape_[kMaxRank], strides_[kMaxRank];
  bool overlap_ = false;
};

constexpr int64_t kOrderedBlock = 512;  // elements
constexpr int64_t kWidestElement = 16;  // bytes

// out[i] = element(i), computed in T, which is the C++ type of `computed`, and cast to out's type.
template <typename T, typename Element>
Status write_in_order(const TensorView& out, aclDataType computed, const Element& element) {
  const CastArray cast = find_array_cast(computed, out.dtype);
  if (cast == nullptr) return no_kernel_for(out);
  const OrderedRuns runs(out);
  const auto write = [&](int64_t begin, int64_t end) {
    alignas(64) char values[kOrderedBlock * sizeof(T)];
    alignas(64) char results[kOrderedBlock * kWidestElement];
    for (int64_t place = begin, count; place < end; place += count) {
      count = std::min({kOrderedBlock, end - place, runs.left_in_run(place)});
      for (int64_t i = 0; i < count; ++i) {
        store<T>(values + i * int64_t{sizeof(T)}, element(place + i));
      }
      if (computed != out.dtype) cast(values, results, count);
      runs.put(computed == out.dtype ? values : results, place, count);
    }
  };
  // Where several elements share a place, the last one counts: no second thread.
  const int64_t grain = runs.overlap() ? std::max<int64_t>(runs.total(), 1) : 16 * kOrderedBlock;
  parallel_for(runs.total(), grain, write);
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

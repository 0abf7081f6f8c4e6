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

  // Writes an array of elements of the view's type to the places from one on.
  void put(const char* elements, int64_t place, int64_t count) const;

 private:
  char* address_of(int64_t place) const;

  char* start_;
  int64_t item_size_, total_;
  int64_t length_ = 1, stride_;  // of a run; in bytes
  int rank_ = 0;                 // of the runs' beginnings, the fastest dimension first
  int64_t shape_[kMaxRank], strides_[kMaxRank];
  bool overlap_ = false;
};

// A place as a number, in vectors also where there is no instruction for it: the bits of a whole
// number below 2^52 are the last ones of 2^52 and the number.
template <typename T>
inline T number_of_place(int64_t place) {
  constexpr uint64_t kBits = 0x4330000000000000;  // of 2^52
  const auto sum = __builtin_bit_cast(double, kBits | static_cast<uint64_t>(place));
  return static_cast<T>(sum - 0x1p52);
}

constexpr int64_t kOrderedBlock = 512;  // elements
constexpr int64_t kWidestElement = 16;  // bytes

// fill(elements, place, count) makes the elements from a place on, of the type `computed`, which
// are then cast to out's type.
template <typename Fill>
Status write_blocks_in_order(const TensorView& out, aclDataType computed, const Fill& fill) {
  const CastArray cast = find_array_cast(computed, out.dtype);
  if (cast == nullptr) return no_kernel_for(out);
  const OrderedRuns runs(out);
  const auto write = [&](int64_t begin, int64_t end) {
    alignas(64) char elements[kOrderedBlock * kWidestElement];
    alignas(64) char converted[kOrderedBlock * kWidestElement];
    char* const results = computed == out.dtype ? elements : converted;
    for (int64_t place = begin; place < end; place += kOrderedBlock) {
      const int64_t count = std::min(kOrderedBlock, end - place);
      fill(elements, place, count);
      if (results == converted) cast(elements, converted, count);
      runs.put(results, place, count);
    }
  };
  // Where several elements share a place, the last one counts: no second thread.
  const int64_t grain = runs.overlap() ? std::max<int64_t>(runs.total(), 1) : 16 * kOrderedBlock;
  parallel_for(runs.total(), grain, write);
  return {};
}

// out[i] = element(i), computed in T, which is the C++ type of `computed`, and cast to out's type.
template <typename T, typename Element>
Status write_in_order(const TensorView& out, aclDataType computed, const Element& element) {
  return write_blocks_in_order(out, computed, [&](char* elements, int64_t place, int64_t count) {
    const Element own_element = element;  // which nothing that is stored can change
    for (int64_t i = 0; i < count; ++i) {
      store<T>(elements + i * int64_t{sizeof(T)}, own_element(place + i));
    }
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// The rows of a tensor as arrays of floats, whatever its dtype and strides.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/runs.h"
#include "kernels/loss/dense.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Rows lie along the last dimension; a tensor without any is a row of one element.
class FloatRows {
 public:
  explicit FloatRows(const TensorView& view)
      : size_(data_type_bits(view.dtype) / 8),
        start_(static_cast<char*>(view.data) + view.offset * size_),
        columns_(view.rank == 0 ? 1 : view.shape[view.rank - 1]),
        stride_(view.rank == 0 ? size_ : view.strides[view.rank - 1] * size_),
        outer_(std::max(view.rank - 1, 0)),
        from_(find_array_cast(view.dtype, ACL_FLOAT)),
        to_(find_array_cast(ACL_FLOAT, view.dtype)) {
    direct_ = view.dtype == ACL_FLOAT && stride_ == size_ && is_aligned(start_);
    for (int i = 0; i < outer_; ++i) {
      lengths_[i] = view.shape[i];
      strides_[i] = view.strides[i] * size_;
      rows_ *= view.shape[i];
    }
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  // The row itself where it can be read as it is, else a copy in `values`; `raw` has room for as
  // many elements of the tensor's type.
  const float* read(int64_t row, float* values, char* raw) const {
    const char* const from = address(row);
    if (direct_) return reinterpret_cast<const float*>(from);
    copy_run(from, stride_, raw, size_, size_, columns_);
    from_(raw, reinterpret_cast<char*>(values), columns_);
    return values;
  }

  void write(int64_t row, const float* values, char* raw) const {
    if (direct_) {
      std::memcpy(address(row), values, columns_ * sizeof(float));
      return;
    }
    to_(reinterpret_cast<const char*>(values), raw, columns_);
    copy_run(raw, size_, address(row), stride_, size_, columns_);
  }

 private:
  static bool is_aligned(const char* address) {
    return reinterpret_cast<uintptr_t>(address) % sizeof(float) == 0;
  }

  char* address(int64_t row) const {
    char* place = start_;
    for (int i = outer_ - 1; i >= 0; --i) {
      place += row % lengths_[i] * strides_[i];
      row /= lengths_[i];
    }
    return place;
  }

  int64_t size_;
  char* start_;
  int64_t columns_;
  int64_t stride_;  // bytes
  int outer_;
  CastArray from_, to_;
  bool direct_;
  int64_t rows_ = 1;
  int64_t lengths_[kMaxRank], strides_[kMaxRank];
};

// Room for the rows that a thread works on.
class RowBuffers {
 public:
  RowBuffers(int64_t columns, int count)
      : columns_(columns),
        memory_(new (std::nothrow) float[columns * (count + kRaw)]),
        raw_(memory_ == nullptr ? nullptr : memory_.get() + columns * count) {}

  bool ok() const { return memory_ != nullptr; }
  float* row(int number) const { return memory_.get() + number * columns_; }
  char* raw() const { return reinterpret_cast<char*>(raw_); }

 private:
  static constexpr int kRaw = 1;  // no dtype is wider than float

  int64_t columns_;
  std::unique_ptr<float[]> memory_;
  float* raw_;
};

// Calls body(row, buffers) for every row, some on other threads.
template <typename Body>
Status for_each_row(int64_t rows, int64_t columns, int buffers, const Body& body) {
  constexpr int64_t kGrain = 16384;  // elements; less is not worth a second thread
  std::atomic<bool> enough_memory{true};
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(columns, 1));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    const RowBuffers own(columns, buffers);
    if (!own.ok()) {
      enough_memory = false;
      return;
    }
    for (int64_t row = begin; row < end; ++row) body(row, own);
  });
  return enough_memory ? Status{} : no_memory_for_copy();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// The rows of a tensor as arrays of floats or doubles, whatever its dtype and strides.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/dense.h"
#include "engines/runs.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Some elements of a row.
struct Range {
  int64_t begin;
  int64_t count;
};

// Rows lie along one dimension; a tensor without any is a row of one element. T is float or, of
// DOUBLE, double.
template <typename T>
class Rows {
 public:
  explicit Rows(const TensorView& view) : Rows(view, view.rank - 1) {}
  Rows(const TensorView& view, int axis)
      : size_(data_type_bits(view.dtype) / 8),
        start_(static_cast<char*>(view.data) + view.offset * size_),
        columns_(view.rank == 0 ? 1 : view.shape[axis]),
        stride_(view.rank == 0 ? size_ : view.strides[axis] * size_),
        from_(find_array_cast(view.dtype, kDtype)),
        to_(find_array_cast(kDtype, view.dtype)) {
    direct_ = view.dtype == kDtype && is_aligned(start_) && (stride_ == size_ || columns_ == 1);
    for (int i = 0; i < view.rank; ++i) {
      if (i == axis) continue;
      lengths_[outer_] = view.shape[i];
      strides_[outer_++] = view.strides[i] * size_;
      rows_ *= view.shape[i];
    }
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  bool direct() const { return direct_; }  // elements are as they are computed
  int64_t step() const { return outer_ == 0 ? 0 : strides_[outer_ - 1] / size_; }  // of a matrix

  // The row itself where it can be read as it is, else a copy in `values`; `raw` has room for as
  // many elements of the tensor's type.
  const T* read(int64_t row, T* values, char* raw) const {
    if (direct_) return reinterpret_cast<const T*>(address(row));
    read_part(row, {0, columns_}, values, raw);
    return values;
  }
  void read_part(int64_t row, Range columns, T* values, char* raw) const {
    const char* from = address(row) + columns.begin * stride_;
    if (stride_ != size_) {
      copy_run(from, stride_, raw, size_, size_, columns.count);
      from = raw;
    }
    from_(from, reinterpret_cast<char*>(values), columns.count);
  }

  // The elements as they are stored: where they are, or copied to `raw`.
  const char* read_stored(int64_t row, char* raw) const {
    char* const from = address(row);
    if (lies_as_stored(from)) return from;
    copy_run(from, stride_, raw, size_, size_, columns_);
    return raw;
  }
  char* place_stored(int64_t row, char* raw) const {
    return lies_as_stored(address(row)) ? address(row) : raw;
  }
  void write_stored(int64_t row, const char* elements) const {
    char* const to = address(row);
    if (elements != to) copy_run(elements, size_, to, stride_, size_, columns_);
  }

  // Where a row may be made: in its place, else in `values`. It must be written then.
  T* place(int64_t row, T* values) const {
    return direct_ ? reinterpret_cast<T*>(address(row)) : values;
  }

  void write(int64_t row, const T* values, char* raw) const {
    if (!direct_) return write_part(row, {0, columns_}, values, raw);
    char* const to = address(row);
    if (to == reinterpret_cast<const char*>(values)) return;
    std::memcpy(to, values, columns_ * sizeof(T));
  }
  void write_part(int64_t row, Range columns, const T* values, char* raw) const {
    char* const to = address(row) + columns.begin * stride_;
    const bool dense = stride_ == size_;
    to_(reinterpret_cast<const char*>(values), dense ? to : raw, columns.count);
    if (!dense) copy_run(raw, size_, to, stride_, size_, columns.count);
  }

 private:
  static constexpr aclDataType kDtype = std::is_same_v<T, double> ? ACL_DOUBLE : ACL_FLOAT;

  bool lies_as_stored(const char* row) const {
    return stride_ == size_ && reinterpret_cast<uintptr_t>(row) % size_ == 0;
  }

  static bool is_aligned(const char* address) {
    return reinterpret_cast<uintptr_t>(address) % sizeof(T) == 0;
  }

  char* address(int64_t row) const {
    if (outer_ == 1) return start_ + row * strides_[0];
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
  int outer_ = 0;
  CastArray from_, to_;
  bool direct_;
  int64_t rows_ = 1;
  int64_t lengths_[kMaxRank], strides_[kMaxRank];
};
using FloatRows = Rows<float>;

// Rows are gone through in pieces: what is converted stays in the first-level cache. They are whole
// steps of sums in lanes.
constexpr int64_t kRowPiece = 1024;

// Calls body(piece) for those of n elements.
template <typename Body>
void for_each_piece(int64_t n, const Body& body) {
  for (int64_t begin = 0; begin < n; begin += kRowPiece) {
    body(Range{begin, std::min(kRowPiece, n - begin)});
  }
}

// A row that is read in pieces, and again: where it is, or converted.
template <typename T>
class RowInput {
 public:
  RowInput(const Rows<T>& rows, int64_t row, T* values, char* raw)
      : array_(rows.direct() ? rows.place(row, nullptr) : nullptr),
        rows_(&rows),
        row_(row),
        values_(values),
        raw_(raw) {}
  explicit RowInput(const T* array) : array_(array) {}

  const T* array() const { return array_; }  // the whole row, if nothing is converted; else null

  const T* read(Range piece) {
    if (array_ != nullptr) return array_ + piece.begin;
    if (piece.begin != held_.begin || piece.count != held_.count) {
      rows_->read_part(row_, piece, values_, raw_);
      held_ = piece;
    }
    return values_;
  }

 private:
  const T* array_;
  const Rows<T>* rows_ = nullptr;
  int64_t row_ = 0;
  T* values_ = nullptr;
  char* raw_ = nullptr;
  Range held_ = {0, 0};
};

// A row that is made in pieces: in its place, or in a buffer that is written then.
template <typename T>
class RowOutput {
 public:
  RowOutput(const Rows<T>& rows, int64_t row, T* values, char* raw)
      : rows_(rows), row_(row), values_(values), raw_(raw) {}

  T* place(Range piece) const {
    return rows_.direct() ? rows_.place(row_, nullptr) + piece.begin : values_;
  }
  void write(Range piece) const {
    if (!rows_.direct()) rows_.write_part(row_, piece, values_, raw_);
  }

 private:
  const Rows<T>& rows_;
  int64_t row_;
  T* values_;
  char* raw_;
};

// Room for the rows that a thread works on.
template <typename T>
class BuffersOf {
 public:
  BuffersOf(int64_t columns, int count)
      : columns_(columns),
        memory_(new (std::nothrow) T[columns * (count + kRaw)]),
        raw_(memory_ == nullptr ? nullptr : memory_.get() + columns * count) {}

  bool ok() const { return memory_ != nullptr; }
  T* row(int number) const { return memory_.get() + number * columns_; }
  char* raw() const { return reinterpret_cast<char*>(raw_); }

 private:
  static constexpr int kRaw = 1;  // no dtype is wider than T

  int64_t columns_;
  std::unique_ptr<T[]> memory_;
  T* raw_;
};
using RowBuffers = BuffersOf<float>;

constexpr int64_t kRowGrain = 16384;  // elements; less is not worth a second thread

// Calls body(unit, buffers) for every unit, some on other threads. Buffers are of so many elements;
// a unit may be more work.
template <typename T = float, typename Body>
Status for_each_row(int64_t units, int64_t elements, int buffers, const Body& body,
                    int64_t work = 1) {
  std::atomic<bool> enough_memory{true};
  const int64_t grain = std::max<int64_t>(1, kRowGrain / std::max(elements, work));
  parallel_for(units, grain, [&](int64_t begin, int64_t end) {
    const BuffersOf<T> own(elements, buffers);
    if (!own.ok()) {
      enough_memory = false;
      return;
    }
    for (int64_t unit = begin; unit < end; ++unit) body(unit, own);
  });
  return enough_memory ? Status{} : no_memory_for_copy();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost

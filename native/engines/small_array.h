// SPDX-License-Identifier: Apache-2.0
// An array of a size that is known when it is made: on the stack if that is small.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

namespace aclhost {

// Elements are not initialised.
template <typename T, int few>
class SmallArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit SmallArray(int size) : size_(size) {
    if (size <= few) return;
    heap_.reset(new T[size]);
    data_ = heap_.get();
  }
  SmallArray(const SmallArray& other) : SmallArray(other.size_) {
    std::copy_n(other.data(), size_, data());
  }
  SmallArray& operator=(const SmallArray&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int i) { return data_[i]; }
  const T& operator[](int i) const { return data_[i]; }

 private:
  int size_;
  std::unique_ptr<T[]> heap_;
  T few_[few];
  T* data_ = few_;
};

}  // namespace aclhost

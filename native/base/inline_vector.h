// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace aclhost {

// A growing array of plain values. A few of them need no memory of their own, so that ordinary
// calls allocate nothing; there is no limit to their number.
template <typename T, size_t kInline>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");

 public:
  InlineVector() = default;
  InlineVector(const InlineVector& other) { *this = other; }
  ~InlineVector() {
    if (!is_inline()) delete[] reinterpret_cast<char*>(data_);
  }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    std::memcpy(static_cast<void*>(extend(other.size_)), other.data(), other.size_ * sizeof(T));
    return *this;
  }

  // Room for so many more elements, which hold anything until they are written.
  T* extend(size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    T* const first = data_ + size_;
    size_ += count;
    return first;
  }
  T& add() { return *new (extend(1)) T; }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  bool is_inline() const { return static_cast<const void*>(data_) == own_; }

  [[gnu::noinline]] void grow(size_t least) {
    const size_t capacity = least > 2 * capacity_ ? least : 2 * capacity_;
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "an ordinary new suffices");
    char* const larger = new char[capacity * sizeof(T)];
    std::memcpy(larger, static_cast<const void*>(data_), size_ * sizeof(T));
    if (!is_inline()) delete[] reinterpret_cast<char*>(data_);
    data_ = reinterpret_cast<T*>(larger);
    capacity_ = capacity;
  }

  T* data_ = reinterpret_cast<T*>(own_);
  size_t size_ = 0;
  size_t capacity_ = kInline;
  alignas(T) char own_[kInline * sizeof(T)];
};

}  // namespace aclhost

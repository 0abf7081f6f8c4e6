// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>
#include <new>

namespace aclhost::python {

// Objects that stay where they are while more are added. The first few need no memory of their own.
template <typename T, int kInline>
class Growing {
 public:
  Growing() = default;
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;
  ~Growing() {
    for (int i = 0; i < count_ && i < kInline; ++i) own(i).~T();
  }

  T& add() {
    T& added = count_ < kInline ? *new (&own(count_)) T : more_.emplace_front();
    ++count_;
    return added;
  }
  int size() const { return count_; }
  T& first() { return own(0); }

  template <typename Visit>
  void for_each(const Visit& visit) {
    for (int i = 0; i < count_ && i < kInline; ++i) visit(own(i));
    if (count_ <= kInline) return;
    more_.reverse();
    for (T& each : more_) visit(each);
    more_.reverse();
  }

 private:
  T& own(int i) { return reinterpret_cast<T*>(memory_)[i]; }

  int count_ = 0;
  std::forward_list<T> more_;  // the last one first
  alignas(T) char memory_[kInline * sizeof(T)];
};

}  // namespace aclhost::python

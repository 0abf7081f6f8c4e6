// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>

namespace aclhost::python {

// Objects that stay where they are while more are added. The first few need no memory of their own.
template <typename T, int kInline>
class Growing {
 public:
  T& add() {
    if (count_ < kInline) return own_[count_++];
    ++count_;
    return more_.emplace_front();
  }
  int size() const { return count_; }
  T& first() { return own_[0]; }

  template <typename Visit>
  void for_each(const Visit& visit) {
    for (int i = 0; i < count_ && i < kInline; ++i) visit(own_[i]);
    more_.reverse();
    for (T& each : more_) visit(each);
    more_.reverse();
  }

 private:
  T own_[kInline];
  std::forward_list<T> more_;  // the last one first
  int count_ = 0;
};

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace aclhost {

// The latest few of what has ended, for those who still speak of it.
template <typename Key, typename Value>
class Remembered {
 public:
  Value& add(const Key& key, Value value) {
    const auto [place, fresh] = values_.insert_or_assign(key, std::move(value));
    if (fresh) order_.push_back(key);
    if (order_.size() > kMost) {
      values_.erase(order_.front());
      order_.pop_front();
    }
    return place->second;
  }

  const Value* find(const Key& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

  // The one with the largest key that is not above this one.
  const Value* find_below(const Key& key) const {
    const auto above = values_.upper_bound(key);
    return above == values_.begin() ? nullptr : &std::prev(above)->second;
  }

 private:
  static constexpr size_t kMost = 4096;
  std::map<Key, Value> values_;
  std::deque<Key> order_;
};

}  // namespace aclhost

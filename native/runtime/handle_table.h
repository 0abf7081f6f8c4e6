// SPDX-License-Identifier: Apache-2.0
// Handles of rare objects, looked up under a lock. For what is looked up by every launch there is
// Registry. A handle is a number that is never given twice, so a stale one is found out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace aclhost {

// The kind tells the handles of one table from those of another.
template <typename T, uint8_t kKind>
class HandleTable {
 public:
  void* add(std::shared_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t number = ++next_;
    objects_[number] = std::move(object);
    return reinterpret_cast<void*>(number);
  }

  // Null for what is not (or no longer) a handle.
  std::shared_ptr<T> find(const void* handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<uint64_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  // Ends the handle; the object lives as long as somebody holds it.
  bool remove(const void* handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    return objects_.erase(reinterpret_cast<uint64_t>(handle)) == 1;
  }

  // Ends the handles of objects that `is_it`, a bool(const T&), is true for; says how many.
  template <typename Predicate>
  size_t remove_if(const Predicate& is_it) {
    std::lock_guard<std::mutex> lock(mutex_);
    size_t removed = 0;
    for (auto each = objects_.begin(); each != objects_.end();) {
      const bool ends = is_it(*each->second);
      each = ends ? objects_.erase(each) : std::next(each);
      removed += ends ? 1 : 0;
    }
    return removed;
  }

  // Calls visit(object) for all, without the lock.
  template <typename Visit>
  void for_each(const Visit& visit) {
    std::map<uint64_t, std::shared_ptr<T>> all;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      all = objects_;
    }
    for (const auto& [handle, object] : all) visit(object);
  }

 private:
  std::mutex mutex_;
  uint64_t next_ = uint64_t{0x5B00 + kKind} << 48;
  std::map<uint64_t, std::shared_ptr<T>> objects_;
};

}  // namespace aclhost

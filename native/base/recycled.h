// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace aclhost {

// An allocator of single objects whose blocks wait for the next object of the type, so that a call
// which is repeated allocates nothing. They are shared by all threads, because what one thread
// makes another one often ends; without a lock, which would take longer than the allocation.
template <typename T>
class Recycled {
 public:
  using value_type = T;

  Recycled() = default;
  template <typename Other>
  Recycled(const Recycled<Other>&) {}

  T* allocate(size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "an ordinary new suffices");
    if (count == 1) {
      for (std::atomic<void*>& place : waiting) {
        if (place.load(std::memory_order_relaxed) == nullptr) continue;
        void* const block = place.exchange(nullptr, std::memory_order_acquire);
        if (block != nullptr) return static_cast<T*>(block);
      }
    }
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }

  void deallocate(T* block, size_t count) {
    if (count == 1) {
      for (std::atomic<void*>& place : waiting) {
        void* nothing = place.load(std::memory_order_relaxed);
        if (nothing == nullptr &&
            place.compare_exchange_strong(nothing, block, std::memory_order_release)) {
          return;
        }
      }
    }
    ::operator delete(block);
  }

  template <typename Other>
  bool operator==(const Recycled<Other>&) const {
    return true;
  }
  template <typename Other>
  bool operator!=(const Recycled<Other>&) const {
    return false;
  }

 private:
  static constexpr int kMost = 16;
  static inline std::atomic<void*> waiting[kMost] = {};  // made by the compiler, never destroyed
};

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

namespace aclhost {

// An allocator of single objects whose blocks wait for the next object of the type, so that a call
// which is repeated allocates nothing. They are shared by all threads, because what one thread
// makes another one often ends.
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
      Waiting& waiting = Recycled::waiting();
      std::lock_guard<std::mutex> lock(waiting.mutex);
      if (waiting.count > 0) return static_cast<T*>(waiting.blocks[--waiting.count]);
    }
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }

  void deallocate(T* block, size_t count) {
    if (count == 1) {
      Waiting& waiting = Recycled::waiting();
      std::lock_guard<std::mutex> lock(waiting.mutex);
      if (waiting.count < kMost) {
        waiting.blocks[waiting.count++] = block;
        return;
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
  struct Waiting {
    std::mutex mutex;
    void* blocks[kMost];
    int count = 0;
  };
  // Never destroyed: clients compute in static destructors, too.
  static Waiting& waiting() {
    static auto& instance = *new Waiting;
    return instance;
  }
};

}  // namespace aclhost

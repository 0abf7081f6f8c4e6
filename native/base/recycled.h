// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

#include "base/fork_mutex.h"

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
      std::lock_guard<ForkMutex> lock(waiting.mutex);
      if (waiting.count > 0) return static_cast<T*>(waiting.blocks[--waiting.count]);
    }
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }

  void deallocate(T* block, size_t count) {
    if (count == 1) {
      Waiting& waiting = Recycled::waiting();
      std::lock_guard<ForkMutex> lock(waiting.mutex);
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
    ForkMutex mutex;
    void* blocks[kMost] = {};
    int count = 0;
  };
  // Made by the compiler and never destroyed (base/immortal.h).
  static Waiting& waiting() {
    static __constinit Waiting instance;
    return instance;
  }
};

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// State of the process. Clients call from static destructors, so nothing destroys it; a guarded
// static would hang a child that is forked while another thread makes it, so it is made when the
// library is loaded; and an allocation could fail outside of any call, so making it takes none.
#pragma once

#include <atomic>

namespace aclhost {

// For variables of namespaces.
template <typename T>
union Immortal {
  constexpr Immortal() : object() {}
  ~Immortal() {}
  T& operator*() { return object; }
  T* operator->() { return &object; }
  T object;
};

// A number or pointer that is worked out when first asked for, by several threads if they ask at
// the same time.
template <typename T, T (*work_out)()>
T once() {
  static std::atomic<bool> known{false};
  static std::atomic<T> value{};
  if (!known.load(std::memory_order_acquire)) {
    value.store(work_out(), std::memory_order_relaxed);
    known.store(true, std::memory_order_release);
  }
  return value.load(std::memory_order_relaxed);
}

}  // namespace aclhost

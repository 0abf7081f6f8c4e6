// SPDX-License-Identifier: Apache-2.0
// Memory for what is computed on the way to a result.
//
// Memory that comes fresh from the system costs a page fault for every 4 KiB of it, which is more
// than many operators take for as many bytes; and malloc gives large blocks back to the system as
// soon as they are free. So a thread keeps a few of those that it gave back, for its next calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace aclhost {

namespace scratch_detail {
void* take(size_t bytes);  // null: there is none
void give_back(void* memory);
}  // namespace scratch_detail

struct GiveBack {
  void operator()(void* memory) const { scratch_detail::give_back(memory); }
};

template <typename T>
using ScratchMemory = std::unique_ptr<T[], GiveBack>;

// Elements are not initialised. Null: there is not enough memory.
template <typename T>
ScratchMemory<T> take_scratch(int64_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  return ScratchMemory<T>(
      static_cast<T*>(scratch_detail::take(static_cast<size_t>(count) * sizeof(T))));
}

}  // namespace aclhost

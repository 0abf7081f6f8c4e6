// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace aclhost {

template <typename T>
using Array = std::unique_ptr<T[]>;

// Null where memory is short; a place for nothing otherwise, since LAPACK takes no null.
template <typename T>
Array<T> make_array(int64_t size) {
  return Array<T>(new (std::nothrow) T[std::max<int64_t>(size, 1)]);
}

}  // namespace aclhost

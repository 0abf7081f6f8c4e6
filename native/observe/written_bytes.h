// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace aclhost {

// Which bytes of an allocation somebody wrote: a bit each until all are.
class WrittenBytes {
 public:
  explicit WrittenBytes(size_t size = 0);

  void write(size_t begin, size_t end);
  // The first byte of the range that nobody wrote; -1 if there is none.
  int64_t first_unwritten(size_t begin, size_t end) const;

 private:
  size_t size_;
  bool complete_ = false;
  // From calloc: the kernel gives pages of zeros only where somebody writes.
  std::unique_ptr<uint64_t[], void (*)(void*)> words_;
};

}  // namespace aclhost

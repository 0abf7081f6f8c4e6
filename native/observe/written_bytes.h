// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aclhost {

// Which bytes of an allocation somebody wrote: a bit each until all are.
class WrittenBytes {
 public:
  explicit WrittenBytes(size_t size = 0) : size_(size), words_((size + 63) / 64) {}

  void write(size_t begin, size_t end);
  // The first byte of the range that nobody wrote; -1 if there is none.
  int64_t first_unwritten(size_t begin, size_t end) const;

 private:
  size_t size_;
  bool complete_ = false;
  std::vector<uint64_t> words_;
};

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Scratch memory from elsewhere than this process: from an allocator of the program.
#pragma once

#include <cstddef>

namespace aclhost {

class ScratchSource {
 public:
  // At any alignment; null: there is none. The block is what give_back() gets.
  virtual void* take(size_t bytes, void** block) = 0;
  virtual void give_back(void* block) = 0;

 protected:
  ~ScratchSource() = default;
};

// What the calling thread takes comes from there; null: from the process. Gives what was set
// before.
ScratchSource* set_scratch_source(ScratchSource* source);

}  // namespace aclhost

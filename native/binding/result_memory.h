// SPDX-License-Identifier: Apache-2.0
// Memory of large results. When a result goes, its memory waits here for the next one of about its
// size: writing to pages that are there is several times as fast as asking the kernel for them.
//
// None of this needs the GIL; torch frees from threads of its own.
#pragma once

#include <cstddef>

namespace aclhost::python {

// Whether results of this size come from here. Smaller ones are better served by malloc, and
// ACLHOST_RESULT_CACHE=0 turns it off.
bool recycles_results(size_t size);

// Uninitialised; null when there is no memory.
void* take_result_memory(size_t size);
void give_result_memory(void* memory);
void* resize_result_memory(void* memory, size_t size);  // as realloc does

struct ResultMemory {
  size_t kept;   // bytes that wait for a result
  int buffers;   // in how many pieces
  size_t limit;  // of the bytes
};
ResultMemory result_memory();

}  // namespace aclhost::python

// SPDX-License-Identifier: Apache-2.0
// Pages of freed memory, for the next allocation of the same size.
//
// A new page costs its fault, and in a virtual machine that is ten times the price of clearing it.
// So pages are moved away from the freed address, which stays without memory, and later to the new
// one. Measured with 1 MiB that is written once: 520 us with new pages, 45 us with parked ones.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace aclhost {

class ParkedPages {
 public:
  // True if the pages are kept: nothing is mapped at the address any more.
  bool park(void* pages, size_t size);

  // Zero-filled pages at `place`, which may be anything mapped; false if there are none.
  bool take(void* place, size_t size);

 private:
  struct Region {
    void* pages;
    size_t size;
  };

  std::mutex mutex_;
  std::vector<Region> regions_;  // that were parked longest ago first
  size_t bytes_ = 0;
};

}  // namespace aclhost

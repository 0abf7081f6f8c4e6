// SPDX-License-Identifier: Apache-2.0
// Runs of equal items. An item is one or several numbers; one with a NaN equals no other.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"
#include "base/status.h"
#include "engines/mask.h"
#include "engines/overlap.h"
#include "engines/sort_keys.h"
#include "operator/sized_results.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Dense items of a type, of which complex numbers are two numbers.
struct Items {
  Items(const char* first, int64_t items, int64_t elements, aclDataType type,
        bool zeros_differ = false);

  const char* data;
  int64_t count;
  aclDataType dtype;
  KeyType key;
  int64_t width;  // numbers of an item
  int64_t bytes;  // of an item
};

class Runs {
 public:
  Status find(const Items& items);
  int64_t count() const { return starts_.chosen(); }

  // The first item of each run.
  void write_items(const Items& items, char* to) const;
  // The run of each item. `order` says where items were; null: where they are.
  void write_places(const int64_t* order, char* to) const;
  // How long each run is.
  void write_lengths(char* to) const;

 private:
  int64_t total_ = 0;
  CopiedView bytes_;
  CountedMask starts_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/observer.h"

namespace aclhost {

// Bytes from begin up to end.
struct Run {
  uintptr_t begin;
  uintptr_t end;
};

using RunsPtr = std::shared_ptr<const std::vector<Run>>;

// The bytes of a region, in rising order, neighbours merged. Of a view with very many gaps only the
// bytes at both ends, which can hide a mistake but never invent one.
struct Runs {
  RunsPtr shared;     // never empty
  bool exact = true;  // false if bytes between the ends are missing

  const std::vector<Run>& list() const { return *shared; }
  uintptr_t first() const { return shared->front().begin; }
  uintptr_t last() const { return shared->back().end; }
};

Runs runs_of(const Region& region);

// Whether two items of the region share a byte.
bool overlaps_itself(const Region& region, const Runs& runs);

bool intersect(const std::vector<Run>& a, const std::vector<Run>& b);

}  // namespace aclhost

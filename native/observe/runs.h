// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/observer.h"

namespace aclhost {

// Bytes from begin up to end.
struct Run {
  uintptr_t begin;
  uintptr_t end;
};

// The bytes of a region, in rising order, neighbours merged. Of a view with very many gaps only the
// bytes at both ends, which can hide a mistake but never invent one.
std::vector<Run> runs_of(const Region& region);

bool intersect(const std::vector<Run>& a, const std::vector<Run>& b);

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Strict mode: finds what would fail or corrupt on a card and reports each finding once, on stderr.
#pragma once

#include "base/observer.h"
#include "base/strict.h"

namespace aclhost {

// Lives as long as the process. Also watches for faults and for the end of the process.
Observer* make_strict_observer();

}  // namespace aclhost

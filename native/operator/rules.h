// SPDX-License-Identifier: Apache-2.0
// The one walk over an operator's checks; the Python half is src/aclhost/spec/evaluate.py.
#pragma once

#include <utility>

#include "base/status.h"
#include "operator/args.h"

namespace aclhost {

// How the checks of a call end: refused, accepted, or accepted with nothing to compute.
struct Outcome {
  Status status;  // of phase 1
  bool idle = false;
  Status launch;             // what only phase 2 refuses
  bool is_repeated = false;  // accepted before, with other addresses at most
};

Outcome check(const Args& args);

// What phase 1 refuses before it looks at where to put its results.
Status check_early(const Args& args);

}  // namespace aclhost

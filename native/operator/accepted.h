// SPDX-License-Identifier: Apache-2.0
// Calls that passed the checks of phase 1: programs repeat them, and the same call passes again.
#pragma once

#include "operator/args.h"

namespace aclhost {

// Whether this thread has lately accepted a call that differs in addresses only.
bool was_accepted(const Args& args);

// Whether two calls differ in addresses only.
bool is_same_call(const Args& a, const Args& b);

void accept(const Args& args);

}  // namespace aclhost

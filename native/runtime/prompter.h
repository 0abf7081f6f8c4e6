// SPDX-License-Identifier: Apache-2.0
// The thread that has streams begin what the program left lying. See Note [Who runs a task].
#pragma once

namespace aclhost {

// A task was left lying. False if there is no such thread, for lack of resources.
bool prompt_later() noexcept;

}  // namespace aclhost

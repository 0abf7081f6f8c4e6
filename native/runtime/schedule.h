// SPDX-License-Identifier: Apache-2.0
// How streams may use the freedom that ordering leaves them.
#pragma once

namespace aclhost {

enum class Schedule {
  kNormal,    // small work on an idle stream runs in the calling thread; Note [Who runs a task]
  kBlocking,  // ACLHOST_LAUNCH_BLOCKING=1 or ASCEND_LAUNCH_BLOCKING=1: a launch returns when done
  kStress,    // ACLHOST_STRESS=seed: every task on the stream's thread, after a random delay
};

Schedule schedule();  // read once
void stress_delay();  // what the current thread waits before a task under kStress

}  // namespace aclhost

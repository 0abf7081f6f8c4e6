// SPDX-License-Identifier: Apache-2.0
#include "observe/fault.h"

#include <signal.h>

#include "runtime/pages.h"

namespace aclhost {
namespace {

void (*explain_fault)(const void* address);
struct sigaction before;

// The process is lost anyway, so that code which no handler may otherwise run is worth its risk.
void on_fault(int signal, siginfo_t* info, void*) {
  sigaction(signal, &before, nullptr);  // the faulting instruction runs again and ends the process
  if (is_hidden(info->si_addr)) explain_fault(info->si_addr);
}

}  // namespace

void watch_faults(void (*explain)(const void* address)) {
  explain_fault = explain;
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
}

}  // namespace aclhost

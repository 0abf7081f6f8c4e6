// SPDX-License-Identifier: Apache-2.0
#include "observe/fault.h"

#include <signal.h>
#include <time.h>

#include <atomic>

#include "runtime/pages.h"

namespace aclhost {
namespace {

bool (*explain_fault)(const void* address);
struct sigaction before;

std::atomic<bool> explaining{false};
std::atomic<bool> lost{false};  // a fault was explained that the process cannot survive

void wait_a_millisecond() {
  const timespec millisecond{0, 1000000};
  nanosleep(&millisecond, nullptr);
}

// The faulting instruction runs again after the handler and meets the old action.
void give_up(int signal) { sigaction(signal, &before, nullptr); }

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(signal);
  }
  give_up(signal);
  const bool sent = info->si_code <= 0;  // by kill or raise: no instruction will fault again
  if (sent) raise(signal);
}

// The process is lost anyway, or the fault was in the program's own code: so that functions which
// no handler may otherwise call are worth their risk.
void on_fault(int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;
  if (sent || !is_guarded(info->si_addr)) return pass_on(signal, info, context);
  while (explaining.exchange(true)) wait_a_millisecond();
  if (!lost && !explain_fault(info->si_addr)) lost = true;
  if (lost) give_up(signal);
  explaining = false;
}

}  // namespace

void watch_faults(bool (*explain)(const void* address)) {
  explain_fault = explain;
  sigaction(SIGSEGV, nullptr, &before);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  // A program that handles overflowing stacks needs the other stack here, too.
  action.sa_flags = SA_SIGINFO | (before.sa_flags & SA_ONSTACK);
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace aclhost

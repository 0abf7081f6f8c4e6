// SPDX-License-Identifier: Apache-2.0
// What POSIX lets happen to threads: signals, cancellation, pthread_exit.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace aclhost {

// Threads that begin while one of these lives get no signal that is meant for the program. Those
// that a thread's own instructions raise are left alone.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// While one of these lives, pthread_cancel has to wait: for what must not be left half done.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// As condition.wait(lock, ready), which older libraries declare noexcept, so that a cancelled
// thread would end the process.
template <typename Ready>
void wait_for_ever(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                   const Ready& ready) {
  while (!ready()) condition.wait_for(lock, std::chrono::hours(1));
}

}  // namespace aclhost

// SPDX-License-Identifier: Apache-2.0
// Lets the N-th malloc, mmap or pthread_create of a typical sequence of calls fail, for every N,
// each in a process of its own. Every call must answer 0 or a documented code, nothing may end the
// process, and the same sequence must succeed afterwards.
//
//   walk malloc|mmap|thread [first [step]]
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sequence.h"

namespace {
std::atomic<long> left{0};  // until the failure; 0 for none
std::atomic<const char*> walked{""};

bool fails(const char* kind) {
  if (walked.load() != kind || left.load() == 0) return false;
  if (left.fetch_sub(1) != 1) return false;
  errno = ENOMEM;
  return true;
}

constexpr const char* kMalloc = "malloc";
constexpr const char* kMmap = "mmap";
constexpr const char* kThread = "thread";
}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t number, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) { return fails(kMalloc) ? nullptr : __libc_malloc(size); }
void* calloc(size_t number, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* memory, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}

void* mmap(void* address, size_t size, int access, int flags, int file, off_t offset) noexcept {
  static const auto real = reinterpret_cast<decltype(&mmap)>(dlsym(RTLD_NEXT, "mmap"));
  if (fails(kMmap)) return MAP_FAILED;
  return real(address, size, access, flags, file, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails(kThread) ? EAGAIN : real(thread, attributes, body, argument);
}
}

namespace {

constexpr int kReached = 10;  // exit status: the failure happened, everything else is well
constexpr int kNotReached = 11;
constexpr int kWrong = 12;
constexpr long kMostWrong = 50;

int walk_one(const char* kind, long n) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    mmap(nullptr, 0, 0, 0, -1, 0);  // what the loader allocates for these is not of interest
    walked = kind;
    left = n;
    const bool documented = run_sequence(true);
    const bool reached = left.exchange(0) == 0;
    const bool recovered = run_sequence(false);
    if (!documented || !recovered) _exit(kWrong);
    std::fflush(stdout);
    _exit(reached ? kReached : kNotReached);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    std::printf("%s %ld: signal %d\n", kind, n, WTERMSIG(status));
    return kWrong;
  }
  if (WEXITSTATUS(status) == kWrong) std::printf("%s %ld: wrong\n", kind, n);
  return WEXITSTATUS(status);
}

const char* known_kind(const char* text) {
  for (const char* kind : {kMalloc, kMmap, kThread}) {
    if (std::strcmp(kind, text) == 0) return kind;
  }
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  const char* kind = count > 1 ? known_kind(arguments[1]) : nullptr;
  if (kind == nullptr) return 2;
  const long first = count > 2 ? std::atol(arguments[2]) : 1;
  const long step = count > 3 ? std::atol(arguments[3]) : 1;
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // children must not print what is buffered here
  long runs = 0, wrong = 0;
  for (long n = first; wrong < kMostWrong; n += step) {
    const int outcome = walk_one(kind, n);
    if (outcome == kNotReached) break;
    ++runs;
    wrong += outcome != kReached;
  }
  std::printf("%s: %ld failures, %ld wrong\n", kind, runs, wrong);
  return wrong == 0 ? 0 : 1;
}

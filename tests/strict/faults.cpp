// SPDX-License-Identifier: Apache-2.0
// Accesses of the program itself that end it, and some that only look so.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "corpus.h"

namespace {

FATAL_MISTAKE(host_writes_device, "host access to device memory") {
  const Pair pair;
  *static_cast<volatile float*>(pair.target) = 1;
}

FATAL_MISTAKE(host_copies_from_device, "host access to device memory") {
  const Pair pair;
  volatile size_t size = 16;
  float values[4];
  std::memcpy(values, pair.source, size);
}

FATAL_MISTAKE(in_front_of_the_first_allocation, "host access to device memory") {
  void* lowest = raw(16);
  static_cast<volatile char*>(lowest)[-1] = 1;
}

FATAL_MISTAKE(first_allocation_freed_by_the_c_library, "host access to device memory") {
  void* volatile lowest = raw(16);
  std::free(lowest);
}

FATAL_MISTAKE(later_allocation_freed_by_the_c_library, "host access to device memory") {
  raw(16);
  void* volatile later = raw(16);
  std::free(later);
}

FATAL_MISTAKE(host_reads_freed_memory, "host access to device memory") {
  void* memory = raw(16);
  OK(aclrtFree(memory));
  std::printf("%f\n", *static_cast<volatile float*>(memory));
}

FATAL_MISTAKE(host_reads_freed_pinned_memory, "use after free") {
  float* memory = pinned(16);
  OK(aclrtFreeHost(memory));
  std::printf("%f\n", *static_cast<volatile float*>(memory));
}

FATAL_MISTAKE(four_threads_write, "host access to device memory") {
  void* memory = raw(4 * 4096);
  std::atomic<int> ready{0};
  const auto write = [&](int index) {
    ++ready;
    while (ready < 4) continue;
    static_cast<volatile char*>(memory)[index * 4096] = 1;
  };
  std::thread one(write, 1), two(write, 2), three(write, 3);
  write(0);
  one.join();
  two.join();
  three.join();
}

sigjmp_buf recovery;

// A program that expects faults in memory of its own.
CORRECT(own_faults_are_its_own) {
  struct sigaction action{};
  action.sa_handler = [](int) { siglongjmp(recovery, 1); };
  OK(sigaction(SIGSEGV, &action, nullptr));
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sigsetjmp(recovery, 1) == 0) *static_cast<volatile char*>(page) = 1;
  munmap(page, 4096);
}

}  // namespace

int main(int, char** arguments) { return run_program(arguments); }

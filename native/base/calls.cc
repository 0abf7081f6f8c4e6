// SPDX-License-Identifier: Apache-2.0
#include "base/calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace aclhost {
namespace {

std::atomic<CallCounter*> first{nullptr};

// One write, so that programs which end together do not mix their lines.
void write_log() {
  const char* path = std::getenv("ACLHOST_CALL_LOG");
  if (path == nullptr || *path == '\0') return;
  std::string text;
  for (const CallCount& count : call_counts()) {
    if (count.calls == 0) continue;
    text += count.op + " " + std::to_string(count.calls) + " " + std::to_string(count.refused);
    text += '\n';
  }
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t written = write(file, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    std::fprintf(stderr, "aclhost: cannot write %s: calls are missing there\n", path);
  }
  close(file);
}

// A child's own calls are what it reports; its parent reports the others.
void forget_after_fork() {
  for (CallCounter* counter = first; counter != nullptr; counter = counter->next) {
    counter->calls = 0;
    counter->refused = 0;
  }
}

__attribute__((constructor)) void prepare() {
  std::atexit(write_log);
  pthread_atfork(nullptr, nullptr, forget_after_fork);
}

}  // namespace

void CallCounter::remember() {
  if (listed_.exchange(true)) return;
  next = first;
  while (!first.compare_exchange_weak(next, this)) continue;
}

std::vector<CallCount> call_counts() {
  std::map<std::string, CallCount> by_name;
  for (const CallCounter* counter = first; counter != nullptr; counter = counter->next) {
    CallCount& sum = by_name.try_emplace(counter->op, CallCount{counter->op, 0, 0}).first->second;
    sum.calls += counter->calls;
    sum.refused += counter->refused;
  }
  std::vector<CallCount> result;
  for (const auto& [name, sum] : by_name) result.push_back(sum);
  return result;
}

}  // namespace aclhost

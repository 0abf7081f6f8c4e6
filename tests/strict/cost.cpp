// SPDX-License-Identifier: Apache-2.0
// What a piece of work costs, early and late in a long program. Prints, for four equal parts of the
// work, the milliseconds and the megabytes that the process holds at the end of each.
//   cost launches N | slices N | streams N | events N | frees N
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "client.h"

namespace {

aclScalar* scalar;

void elu(int64_t count, void* source, void* target, aclrtStream stream) {
  aclTensor *x = tensor(count, source), *y = tensor(count, target);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
  OK(aclnnElu(nullptr, 0, executor, stream));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

double megabytes() {
  long pages = 0, unused = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr && std::fscanf(file, "%ld %ld", &unused, &pages) == 2);
  std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void in_parts(int count, const std::function<void(int)>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr int kParts = 4;
  for (int part = 0; part < kParts; ++part) {
    const auto begin = Clock::now();
    for (int i = 0; i < count / kParts; ++i) work(part * (count / kParts) + i);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    std::printf("%.3f %.1f\n", took.count(), megabytes());
  }
}

constexpr int kSlices = 1024;

struct Program {
  aclrtStream first, second;
  void* source = device_floats(std::vector<float>(2 * kSlices, 1));
  void* target = device_floats(std::vector<float>(2 * kSlices, 0));

  void launches(int) { elu(2, source, target, first); }

  // Neighbouring parts of two tensors, so that no use covers the one before.
  void slices(int i) {
    const int at = 2 * (i % kSlices);
    elu(2, static_cast<float*>(source) + at, static_cast<float*>(target) + at, first);
  }

  void streams(int) {
    aclrtStream stream = nullptr;
    OK(aclrtCreateStream(&stream));
    elu(2, source, target, stream);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
  }

  // Two streams that take turns and are never awaited.
  void events(int) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEvent(&event));
    elu(2, source, target, first);
    OK(aclrtRecordEvent(event, first));
    OK(aclrtStreamWaitEvent(second, event));
    elu(2, target, source, second);
    OK(aclrtRecordEvent(event, second));
    OK(aclrtStreamWaitEvent(first, event));
    OK(aclrtDestroyEvent(event));
  }

  void frees(int) { aclrtFree(static_cast<char*>(source) + 1); }
};

const std::map<std::string, void (Program::*)(int)> kWork = {{"launches", &Program::launches},
                                                             {"slices", &Program::slices},
                                                             {"streams", &Program::streams},
                                                             {"events", &Program::events},
                                                             {"frees", &Program::frees}};

}  // namespace

int main(int, char** arguments) {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  float one = 1;
  scalar = aclCreateScalar(&one, ACL_FLOAT);
  Program program;
  OK(aclrtCreateStream(&program.first));
  OK(aclrtCreateStream(&program.second));
  const auto work = kWork.at(arguments[1]);
  in_parts(std::stoi(arguments[2]), [&](int i) { (program.*work)(i); });
  OK(aclrtSynchronizeDevice());
  aclrtFree(program.source);
  aclrtFree(program.target);
  aclDestroyScalar(scalar);
  aclrtDestroyStream(program.first);
  aclrtDestroyStream(program.second);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}

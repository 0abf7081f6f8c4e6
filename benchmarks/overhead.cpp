// SPDX-License-Identifier: Apache-2.0
// elu_backward of 16 elements in loops: the kernel alone, and the C functions as a program calls
// them on an idle stream. Prints microseconds per call.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "elu_backward.h"

namespace {

constexpr int kElements = 16;
constexpr int kCalls = 2000;  // less than a millisecond, in which others seldom disturb
constexpr int kRepeats = 501;

template <typename Call>
void print_time(const char* name, Call&& call) {
  double times[kRepeats];
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    time = taken.count() / kCalls;
  }
  std::sort(times, times + kRepeats);
  std::printf("%s\t%.4f\n", name, times[kRepeats / 2]);
}

}  // namespace

int main() {
  require(aclInit(nullptr) == ACL_SUCCESS);
  require(aclrtSetDevice(0) == ACL_SUCCESS);
  const Launched work(kElements);
  const Stream stream;
  print_time("kernel float32", KernelCall(work.memory, kElements, ACL_FLOAT));
  print_time("kernel bfloat16", KernelCall(work.memory, kElements, ACL_BF16));
  print_time("c abi", [&] {
    work.launch(stream.handle);
    stream.synchronize();
  });
}

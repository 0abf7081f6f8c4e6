// SPDX-License-Identifier: Apache-2.0
// elu_backward through the C functions, on one thread for each call: what launching costs besides
// the kernel, and what runs at the same time. Prints microseconds per call.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "elu_backward.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kSizes[] = {16, 1000, 4096, 32768, 100000, 1000000};
constexpr int kStreams[] = {1, 2, 8};
constexpr int64_t kLarge = 10000000;
int rounds = 51;
constexpr int kChain = 100;
constexpr double kTurn = 500;  // microseconds, about: others seldom disturb so short a time

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const std::string& name, double time) { std::printf("%s\t%.4f\n", name.c_str(), time); }

// Microseconds of each of `calls`, which are made one after the other.
template <typename Call>
double time_of(int calls, Call&& call) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return since(start) / calls;
}

// In rounds, because the clock of a machine changes.
template <typename Call>
double typical(int calls, Call&& call) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) times.push_back(time_of(calls, call));
  return median(times);
}

int calls_of(int64_t elements) {
  return std::max(1, static_cast<int>(kTurn / (1 + static_cast<double>(elements) / 3000)));
}

std::string streams_of(int count, int64_t elements) {
  return std::to_string(count) + " streams x " + std::to_string(elements);
}

// One stream: the kernel, then both phases and a synchronisation.
void time_one_stream(int64_t elements) {
  const Launched work(elements);
  const Stream stream;
  KernelCall kernel(work.memory, elements, ACL_FLOAT);
  std::vector<double> alone, extra;
  for (int round = 0; round < rounds; ++round) {
    alone.push_back(time_of(calls_of(elements), kernel));
    const double whole = time_of(calls_of(elements), [&] {
      work.launch(stream.handle);
      stream.synchronize();
    });
    extra.push_back(whole - alone.back());
  }
  const std::string size = std::to_string(elements);
  print(size + " elements, kernel alone", median(alone));
  print(size + " elements, over the kernel", median(extra));
}

// Many launches, then one synchronisation.
void time_chain(int64_t elements) {
  const Launched work(elements);
  const Stream stream;
  KernelCall kernel(work.memory, elements, ACL_FLOAT);
  std::vector<double> extra;
  for (int round = 0; round < rounds; ++round) {
    const double alone = time_of(calls_of(elements), kernel);
    const double whole = time_of(1, [&] {
      for (int i = 0; i < kChain; ++i) work.launch(stream.handle);
      stream.synchronize();
    });
    extra.push_back(whole / kChain - alone);
  }
  print("chain of 100 x " + std::to_string(elements) + ", each over the kernel", median(extra));
}

// A thread for each stream; all of their calls together.
void time_own_threads(int count, int64_t elements) {
  const int calls = calls_of(elements) * 4;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        require(aclrtSetDevice(0) == ACL_SUCCESS);
        const Launched work(elements);
        const Stream stream;
        ++ready;
        while (!go) std::this_thread::yield();
        for (int call = 0; call < calls; ++call) {
          work.launch(stream.handle);
          stream.synchronize();
        }
        --ready;
        while (go) std::this_thread::yield();
      });
    }
    while (ready < count) std::this_thread::yield();
    const Clock::time_point start = Clock::now();
    go = true;
    while (ready > 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    times.push_back(since(start) / calls / count);
    go = false;
    for (std::thread& thread : threads) thread.join();
  }
  print(streams_of(count, elements) + ", a thread for each", median(times));
}

// One thread launches on every stream, then waits for each.
void time_one_feeder(int count, int64_t elements) {
  std::vector<Launched> works;
  std::vector<Stream> streams(count);
  for (int i = 0; i < count; ++i) works.emplace_back(elements);
  const double whole = typical(std::max(1, calls_of(elements) / count), [&] {
    for (int i = 0; i < count; ++i) works[i].launch(streams[i].handle);
    for (const Stream& stream : streams) stream.synchronize();
  });
  print(streams_of(count, elements) + ", one thread for all", whole / count);
}

// How soon a large launch returns, what it takes in all, and two of them on two streams.
void time_overlap() {
  const Launched works[2] = {Launched(kLarge), Launched(kLarge)};
  const Stream streams[2];
  std::vector<double> returns, one, two;
  for (int round = 0; round < rounds; ++round) {
    Clock::time_point start = Clock::now();
    works[0].launch(streams[0].handle);
    returns.push_back(since(start));
    streams[0].synchronize();
    one.push_back(since(start));
    start = Clock::now();
    for (int i = 0; i < 2; ++i) works[i].launch(streams[i].handle);
    for (const Stream& stream : streams) stream.synchronize();
    two.push_back(since(start));
  }
  print("1e7 elements, until it returns", median(returns));
  print("1e7 elements, in all", median(one));
  print("1e7 elements, two on two streams in all", median(two));
}

}  // namespace

// The only argument is the number of rounds.
int main(int count, char** arguments) {
  if (count > 1) rounds = std::max(1, std::atoi(arguments[1]));
  setenv("ACLHOST_NUM_THREADS", "1", 1);  // read at the first call
  require(aclInit(nullptr) == ACL_SUCCESS);
  require(aclrtSetDevice(0) == ACL_SUCCESS);
  for (const int64_t size : kSizes) time_one_stream(size);
  for (const int64_t size : {16, 1000, 4096}) time_chain(size);
  for (const int64_t size : {1000, 100000}) {
    for (const int count : kStreams) time_own_threads(count, size);
    for (const int count : kStreams) time_one_feeder(count, size);
  }
  time_overlap();
}

// SPDX-License-Identifier: Apache-2.0
// What bare loops take that do only what an operator cannot do without: move memory in its
// proportion of reading and writing, convert 16-bit elements, add to places that indices name.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "simd/pairs.h"
#include "simd/simd.h"

namespace aclhost {
namespace {

using Floats = Vector<float>;
constexpr int64_t kSizes[] = {72 << 20, 288 << 20};  // bytes; some of the first stay in a cache
constexpr int64_t kLine = 64;
constexpr int64_t kHugePage = 2 << 20;
int rounds = 1;

double seconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Lines that are read for each that is written, or the other way round.
struct Mix {
  const char* name;
  int64_t reads, writes;
};

constexpr Mix kMixes[] = {
    {"a + b -> c", 2, 1},
    {"reading only, two arrays", 2, 0},
    {"10 read, 1 written", 10, 1},
    {"1 read, 8 written", 1, 8},
};

class Memory {
 public:
  // In huge pages, as large arrays of NumPy are. Not zeros: some machines write those twice as
  // fast.
  explicit Memory(int64_t size) : size_(size), lines_(std::aligned_alloc(kHugePage, size)) {
    madvise(lines_.get(), size, MADV_HUGEPAGE);
    std::fill_n(static_cast<float*>(lines_.get()), size / sizeof(float), 1.0f);
  }

  // Each array of a mix is a part of the memory, so that every mix moves the same bytes.
  void move(const Mix& mix) {
    const int64_t lines = size_ / kLine / (mix.reads + mix.writes);
    parallel_for(lines, lines / (8 * thread_count()), [&](int64_t begin, int64_t end) {
      char* const first = static_cast<char*>(lines_.get());
      char* const written = first + mix.reads * lines * kLine;
      Floats sum = {};
      for (int64_t i = begin; i < end; ++i) {
        Floats line[kLine / sizeof(Floats)] = {};
        for (int64_t k = 0; k < mix.reads; ++k) {
          const char* const from = first + (k * lines + i) * kLine;
          for (Floats& part : line)
            part += load_vector<Floats>(from + (&part - line) * sizeof part);
        }
        for (int64_t k = 0; k < mix.writes; ++k) {
          char* const to = written + (i * mix.writes + k) * kLine;
          for (Floats& part : line) stream_vector(to + (&part - line) * sizeof part, part);
        }
        for (const Floats& part : line) sum += part;
      }
      asm volatile("" ::"m"(sum));  // reading has a purpose
      finish_streaming();
    });
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  int64_t size_;
  std::unique_ptr<void, Free> lines_;
};

void print_mixes(int64_t size) {
  Memory memory(size);
  constexpr int kCount = std::size(kMixes);
  std::vector<double> times[kCount], fractions[kCount];
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kCount; ++i) {
      times[i].push_back(seconds([&] { memory.move(kMixes[i]); }));
      fractions[i].push_back(times[0].back() / times[i].back());
    }
  }
  for (int i = 1; i < kCount; ++i) {
    std::printf("floor, %d MiB, %s, of a + b -> c\t%.3f\n", static_cast<int>(size >> 20),
                kMixes[i].name, median(fractions[i]));
  }
}

// c = a + b of arrays that stay in the first-level cache, in ns for 1000 elements.
template <typename T>
double conversion_time() {
  constexpr int64_t kCount = 1024, kCalls = 20000;
  constexpr int64_t kStep = 2 * kLanes<ComputeType<T>>;
  alignas(kLine) T a[kCount] = {}, b[kCount] = {}, c[kCount];
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    times.push_back(seconds([&] {
      for (int64_t call = 0; call < kCalls; ++call) {
        for (int64_t i = 0; i < kCount; i += kStep) {
          const auto x = load_pair(a + i), y = load_pair(b + i);
          put_pair<Store>(c + i, Pair<T>{x.first + y.first, x.second + y.second});
        }
        asm volatile("" ::"r"(c) : "memory");
      }
    }));
  }
  return median(times) / kCalls / kCount * 1e12;
}

// sums[index] += number for places that the first-level cache holds, likewise.
double scatter_time() {
  constexpr int64_t kCount = 1024, kCalls = 20000;
  float sums[4 * kCount] = {}, numbers[kCount] = {};
  int32_t indices[kCount];
  for (int64_t i = 0; i < kCount; ++i) indices[i] = static_cast<int32_t>(2 * i + i % 3);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    times.push_back(seconds([&] {
      for (int64_t call = 0; call < kCalls; ++call) {
        for (int64_t i = 0; i < kCount; ++i) sums[indices[i]] += numbers[i];
        asm volatile("" ::"r"(sums), "r"(indices) : "memory");
      }
    }));
  }
  return median(times) / kCalls / kCount * 1e12;
}

}  // namespace
}  // namespace aclhost

int main(int argc, char** argv) {
  using namespace aclhost;
  if (argc > 1) rounds = std::max(std::atoi(argv[1]), 1);
  for (const int64_t size : kSizes) print_mixes(size);
  std::printf("floor, a + b -> c of 1000 in the cache, float32\t%.3f\n", conversion_time<float>());
  std::printf("floor, a + b -> c of 1000 in the cache, float16\t%.3f\n", conversion_time<Half>());
  std::printf("floor, a + b -> c of 1000 in the cache, bfloat16\t%.3f\n",
              conversion_time<BFloat16>());
  std::printf("floor, 1000 additions to places that indices name\t%.3f\n", scatter_time());
}

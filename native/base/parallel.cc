// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/immortal.h"
#include "base/threads.h"

namespace aclhost {
namespace {

constexpr int kMostThreads = 256;
constexpr std::size_t kFewWorkers = 16;  // more would take long to move, and have where to go
constexpr int kChunksPerThread = 4;      // a late worker still finds something
constexpr std::chrono::microseconds kSpinning(50);  // a worker's, between two calls
constexpr std::chrono::microseconds kWaiting(20);   // a caller's, for a worker's last chunk

thread_local char any_byte = 0;

// Makes the memory of this library's thread_local variables, which comes with the first access to
// one of them. Where there is none the process ends, so a worker had better do it as it begins.
void make_thread_data() { asm volatile("" : : "r"(&any_byte) : "memory"); }

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// True as soon as the condition is, false if it is not within the time.
template <typename Condition>
bool spin(std::chrono::microseconds time, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      pause();
    }
    if (std::chrono::steady_clock::now() >= end) return condition();
  }
}

// The caller takes chunks from the front and workers from the back: what a processor has in its own
// cache of one call is mostly what it works on in the next one.
struct Job {
  parallel_detail::Body body;
  const void* context;
  int64_t total;
  int64_t chunk;
  int64_t chunks = (total + chunk - 1) / chunk;
  std::atomic<uint64_t> taken{0};  // from the front, and times kFromBack, from the back
  std::atomic<int> helpers{0};     // workers that may still look at the job

  static constexpr uint64_t kFromFront = 1, kFromBack = uint64_t{1} << 32;

  bool has_work() const { return is_left(taken.load(std::memory_order_relaxed)); }
  bool is_left(uint64_t taken_before) const {
    return front(taken_before) + back(taken_before) < chunks;
  }
  static int64_t front(uint64_t count) { return static_cast<int64_t>(count % kFromBack); }
  static int64_t back(uint64_t count) { return static_cast<int64_t>(count / kFromBack); }

  void take_chunks(uint64_t side) {
    uint64_t before;
    while (is_left(before = taken.fetch_add(side, std::memory_order_relaxed))) {
      const int64_t place = side == kFromFront ? front(before) : chunks - 1 - back(before);
      body(context, place * chunk, std::min((place + 1) * chunk, total));
    }
  }
};

class Pool {
 public:
  void run(Job& job, int threads) {
    started_.store(true, std::memory_order_relaxed);
    bool somebody_sleeps;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      start_workers(threads - 1);
      if (!has_room()) return job.take_chunks(Job::kFromFront);  // nobody else hears of the job
      if (jobs_.empty()) keep_off(sched_getcpu());
      jobs_.push_back(&job);
      arrivals_.fetch_add(1, std::memory_order_release);
      somebody_sleeps = sleepers_ > 0;
    }
    if (somebody_sleeps) work_.notify_all();
    job.take_chunks(Job::kFromFront);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    }
    const auto alone = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
    if (spin(kWaiting, alone)) return;
    const NoCancellation whole;  // workers look at the caller's job
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, alone);
  }

  // The child of a fork has no workers, and perhaps a closed lock; its calls run alone.
  void forget_workers() {
    if (started_.load()) orphaned_.store(true);
  }
  bool orphaned() const { return orphaned_.load(std::memory_order_relaxed); }

 private:
  bool has_room() {
    try {
      jobs_.reserve(jobs_.size() + 1);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void start_workers(int wanted) {
    while (static_cast<int>(workers_.size()) < wanted) {
      try {
        workers_.reserve(workers_.size() + 1);
        const SignalsBlocked blocked;
        std::thread worker([this] { serve(); });
        workers_.push_back(worker.native_handle());
        worker.detach();
      } catch (const std::exception&) {
        return;  // the caller computes everything that nobody else does
      }
      avoided_cpu_ = -1;
    }
  }

  // Note [The caller's processor]
  // The scheduler likes to wake a thread where its waker runs. The caller does not stop for a
  // worker, so that one would wait for milliseconds, while another processor idles. So workers may
  // not run there, unless they have no choice.
  void keep_off(int cpu) {
    if (cpu == avoided_cpu_ || workers_.size() > kFewWorkers) return;
    avoided_cpu_ = cpu;
    cpu_set_t others;
    if (sched_getaffinity(0, sizeof others, &others) != 0) return;
    if (cpu >= 0) CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0) return;
    for (const pthread_t worker : workers_) pthread_setaffinity_np(worker, sizeof others, &others);
  }

  // The job that has waited longest goes first, so that streams share the workers.
  Job* pick() {
    for (Job* job : jobs_) {
      if (job->has_work()) return job;
    }
    return nullptr;
  }

  void serve() {
    make_thread_data();
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      Job* job = pick();
      if (job == nullptr) {
        wait_for_work(lock);
        continue;
      }
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      job->take_chunks(Job::kFromBack);
      lock.lock();
      if (job->helpers.fetch_sub(1, std::memory_order_release) == 1) done_.notify_all();
    }
  }

  void wait_for_work(std::unique_lock<std::mutex>& lock) {
    const uint64_t seen = arrivals_.load(std::memory_order_relaxed);
    lock.unlock();
    const bool arrived =
        spin(kSpinning, [&] { return arrivals_.load(std::memory_order_acquire) != seen; });
    lock.lock();
    if (arrived) return;
    ++sleepers_;
    work_.wait(lock, [&] { return pick() != nullptr; });
    --sleepers_;
  }

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::vector<Job*> jobs_;
  std::atomic<uint64_t> arrivals_{0};
  std::vector<pthread_t> workers_;
  int avoided_cpu_ = -1;  // where the last caller ran
  int sleepers_ = 0;
  std::atomic<bool> started_{false};
  std::atomic<bool> orphaned_{false};
};

Immortal<Pool> pool;

__attribute__((constructor)) void prepare() {
  pthread_atfork(nullptr, nullptr, [] { pool->forget_workers(); });
}

int usable_cpus() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return std::clamp(CPU_COUNT(&cpus), 1, kMostThreads);
}

int read_thread_count() {
  const char* text = std::getenv("ACLHOST_NUM_THREADS");
  if (text == nullptr) return usable_cpus();
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  const bool good = end != text && *end == '\0' && count >= 1;
  return good ? static_cast<int>(std::min<long>(count, kMostThreads)) : usable_cpus();
}

}  // namespace

int thread_count() { return once<int, read_thread_count>(); }

void parallel_detail::run(int64_t total, int64_t grain, Body body, const void* context) {
  const int threads = thread_count();
  if (threads == 1 || pool->orphaned()) {
    body(context, 0, total);
    return;
  }
  const int64_t grains = (total + grain - 1) / grain;
  const int64_t chunks = std::min<int64_t>(grains, threads * kChunksPerThread);
  // Rounded down: some more chunks are shared better than fewer and larger ones.
  Job job{body, context, total, grains / chunks * grain};
  pool->run(job, threads);
}

}  // namespace aclhost

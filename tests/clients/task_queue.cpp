// SPDX-License-Identifier: Apache-2.0
// As torch_npu does: one thread describes calls and asks for their workspaces, another launches
// them and ends the handles; memory goes from stream to stream behind events and is never given
// back.
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"
#include "views.h"

namespace {

constexpr int kSteps = 40;
constexpr int64_t kSide = 16, kCount = kSide * kSide;

// Tasks in order, on a thread that has its own current device.
class Queue {
 public:
  Queue() : consumer_([this] { serve(); }) {}
  ~Queue() {
    push({});
    consumer_.join();
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void push(std::function<void()> task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void wait_until_empty() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
  }

 private:
  void serve() {
    OK(aclrtSetDevice(0));
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      if (!tasks_.front()) return;
      const std::function<void()> task = tasks_.front();
      lock.unlock();
      task();
      lock.lock();
      tasks_.pop_front();  // empty means done
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread consumer_;
};

// Records and waits stand in the queue between the launches.
class Events {
 public:
  explicit Events(Queue& queue) : queue_(queue) {}
  ~Events() {
    for (aclrtEvent each : all_) OK(aclrtDestroyEvent(each));
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  aclrtEvent record(aclrtStream of) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    all_.push_back(event);
    queue_.push([=] { OK(aclrtRecordEvent(event, of)); });
    return event;
  }
  void wait(aclrtStream in, aclrtEvent event) {
    queue_.push([=] { OK(aclrtStreamWaitEvent(in, event)); });
  }

 private:
  Queue& queue_;
  std::vector<aclrtEvent> all_;
};

// Blocks by size; whoever gives one back says which stream used it last.
class Cache {
 public:
  explicit Cache(Events& events) : events_(events) {}
  ~Cache() {
    for (const auto& [size, block] : blocks_) OK(aclrtFree(block.memory));
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  void* take(size_t size, aclrtStream user) {
    const auto found = blocks_.find(size);
    if (found == blocks_.end()) {
      void* memory = nullptr;
      OK(aclrtMallocAlign32(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
      return memory;
    }
    const Block block = found->second;
    blocks_.erase(found);
    events_.wait(user, block.freed);
    return block.memory;
  }
  void give_back(void* memory, size_t size, aclrtStream user) {
    blocks_.emplace(size, Block{memory, events_.record(user)});
  }

 private:
  struct Block {
    void* memory;
    aclrtEvent freed;
  };
  Events& events_;
  std::multimap<size_t, Block> blocks_;
};

using PhaseTwo = aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream);

struct Call {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  std::vector<aclTensor*> tensors;
};

void launch_later(Queue& queue, Cache& cache, PhaseTwo* run, const Call& call, aclrtStream user) {
  void* workspace = call.size == 0 ? nullptr : cache.take(call.size, user);
  queue.push([=] {
    OK(run(workspace, call.size, call.executor, user));
    for (aclTensor* each : call.tensors) OK(aclDestroyTensor(each));
  });
  if (workspace != nullptr) cache.give_back(workspace, call.size, user);
}

aclTensor* square(void* memory) { return dense({kSide, kSide}, ACL_FLOAT, memory); }

// Each stream doubles a matrix of its own; what is in between goes from one to the other.
void train(Queue& queue, Cache& cache, const std::vector<std::pair<aclrtStream, void*>>& models,
           void* unit, const aclScalar* one) {
  constexpr size_t kBytes = kCount * sizeof(float);
  for (int step = 0; step < kSteps; ++step) {
    const auto [user, x] = models[step % models.size()];
    void* product = cache.take(kBytes, user);
    Call multiply, add;
    multiply.tensors = {square(x), square(unit), square(product)};
    OK(aclnnMatmulGetWorkspaceSize(multiply.tensors[0], multiply.tensors[1], multiply.tensors[2], 1,
                                   &multiply.size, &multiply.executor));
    launch_later(queue, cache, aclnnMatmul, multiply, user);
    add.tensors = {square(x), square(product)};
    OK(aclnnInplaceAddGetWorkspaceSize(add.tensors[0], add.tensors[1], one, &add.size,
                                       &add.executor));
    launch_later(queue, cache, aclnnInplaceAdd, add, user);
    cache.give_back(product, kBytes, user);
  }
}

}  // namespace

int main() {
  return on_a_device([] {
    std::vector<float> unit(kCount, 0);
    for (int64_t i = 0; i < kSide; ++i) unit[i * kSide + i] = 1;
    const std::vector<float> small(kCount, 0x1p-10F), large(kCount, 0x1p10F);  // doubled 20 times
    const Memory<float> x(small), y(small), identity(unit);
    float value = 1;
    aclScalar* one = aclCreateScalar(&value, ACL_FLOAT);
    aclrtStream other = nullptr;
    OK(aclrtCreateStream(&other));
    {
      Queue queue;
      Events events(queue);
      Cache cache(events);
      train(queue, cache, {{stream, x.address}, {other, y.address}}, identity.address, one);
      queue.wait_until_empty();
      OK(aclrtSynchronizeStream(other));
      OK(aclrtSynchronizeStream(stream));
    }
    OK(aclrtDestroyStream(other));
    OK(aclDestroyScalar(one));
    REQUIRE(x.values() == large && y.values() == large);
  });
}

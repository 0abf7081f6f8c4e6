// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"

namespace aclhost {
namespace {

Status run(const std::function<Status()>& task) {
  try {
    return task();
  } catch (const std::exception& problem) {
    return Status::failed(
        {ACL_ERROR_RT_INTERNAL_ERROR, "", "no_exception",
         std::string("a task of the stream could not finish: ") + problem.what()});
  }
}

}  // namespace

struct Stream::Queue {
  std::mutex mutex;
  std::condition_variable work;  // a task arrived or the stream closed
  std::condition_variable done;  // a task ended
  std::deque<std::function<Status()>> tasks;
  uint64_t enqueued = 0;
  uint64_t finished = 0;
  bool closed = false;
  Status first_failure;

  void finish(Status status) {
    if (first_failure.ok() && !status.ok()) first_failure = std::move(status);
    ++finished;
    done.notify_all();
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      work.wait(lock, [this] { return closed || !tasks.empty(); });
      if (tasks.empty()) return;
      std::function<Status()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      Status status = run(task);
      task = nullptr;  // what the task holds goes before anybody is told that it ended
      lock.lock();
      finish(std::move(status));
    }
  }
};

Stream::Stream(int32_t device, uint64_t context_id)
    : device_(device), context_id_(context_id), queue_(std::make_shared<Queue>()) {}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->closed = true;
    queue_->work.notify_all();
  }
  if (!worker_.joinable()) return;
  if (on_worker()) {
    worker_.detach();
  } else {
    worker_.join();
  }
}

bool Stream::on_worker() const { return worker_.get_id() == std::this_thread::get_id(); }

void Stream::enqueue(std::function<Status()> task) {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  if (!worker_.joinable()) {
    try {
      worker_ = std::thread([queue = queue_] { queue->serve(); });
    } catch (const std::system_error&) {
      // No more threads in this process. Running the task here is a legal schedule, too.
      ++queue_->enqueued;
      queue_->finish(run(task));
      return;
    }
  }
  queue_->tasks.push_back(std::move(task));
  ++queue_->enqueued;
  queue_->work.notify_one();
}

void Stream::wait() {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  if (on_worker()) return;  // a task that waits for itself would wait forever
  const uint64_t target = queue_->enqueued;
  queue_->done.wait(lock, [&] { return queue_->finished >= target; });
}

int32_t Stream::synchronize() {
  wait();
  std::lock_guard<std::mutex> lock(queue_->mutex);
  return report(queue_->first_failure);
}

StreamRegistry& streams() {
  static auto& registry = *new StreamRegistry;
  return registry;
}

StreamRef find_stream(aclrtStream stream) {
  if (stream != nullptr) return streams().find(stream);
  const ContextRef context = current_context();
  return context ? streams().find(context->default_stream()) : StreamRef();
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateStream(aclrtStream* stream) {
  return acl_call("aclrtCreateStream", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    const ContextRef context = current_context();
    return context ? context->create_stream(call, stream) : no_context(call);
  });
}

extern "C" aclError aclrtDestroyStream(aclrtStream stream) {
  return acl_call("aclrtDestroyStream", [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    const StreamRef found = streams().find(stream);
    if (!found) return no_stream(call, stream);
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    if (found->context_id() != context->id()) {
      return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream",
                       hex(stream) +
                           " belongs to another context than the thread's current one; "
                           "call aclrtSetCurrentContext with the stream's context first");
    }
    if (!context->destroy_stream(stream)) return no_stream(call, stream);
    found->wait();
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSynchronizeStream(aclrtStream stream) {
  return acl_call("aclrtSynchronizeStream", [&](const Call& call) {
    if (!current_context()) return no_context(call);
    const StreamRef found = find_stream(stream);
    return found ? found->synchronize() : no_stream(call, stream);
  });
}

extern "C" aclError aclrtSynchronizeDevice() {
  return acl_call("aclrtSynchronizeDevice", [&](const Call& call) {
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    int32_t first = 0;
    streams().for_each([&](void*, Stream& stream) {
      if (stream.device() != context->device()) return;
      const int32_t code = stream.synchronize();
      if (first == 0) first = code;
    });
    return first;
  });
}
